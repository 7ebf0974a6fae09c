CREATE TABLE "conversation_view" (
	"org_id" text NOT NULL,
	"id" text NOT NULL,
	"user_id" text,
	"name" text NOT NULL,
	"filters" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "conversation_view_org_id_id_pk" PRIMARY KEY("org_id","id")
);
--> statement-breakpoint
ALTER TABLE "conversation_view" ADD CONSTRAINT "conversation_view_org_id_organization_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organization"("id") ON DELETE no action ON UPDATE no action;