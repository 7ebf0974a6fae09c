CREATE TABLE "retention" (
	"org_id" text PRIMARY KEY NOT NULL,
	"days" integer NOT NULL,
	"cursor" text DEFAULT '' NOT NULL,
	"conversations" bigint DEFAULT 0 NOT NULL,
	"messages" bigint DEFAULT 0 NOT NULL,
	"due_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"swept_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "retention" ADD CONSTRAINT "retention_org_id_organization_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organization"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "retention_due" ON "retention" USING btree ("due_at");--> statement-breakpoint
CREATE INDEX "run_conversation" ON "run" USING btree ("conversation_id");