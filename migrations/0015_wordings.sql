CREATE TABLE "passage_wording" (
	"org_id" text NOT NULL,
	"id" text NOT NULL,
	"agent_id" text NOT NULL,
	"document_id" text NOT NULL,
	"passage" "bytea" NOT NULL,
	"words" "bytea" NOT NULL,
	"question" text NOT NULL,
	"heading" text,
	"quote" text NOT NULL,
	"state" text NOT NULL,
	"origin" text NOT NULL,
	"end_user_id" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "passage_wording_org_id_id_pk" PRIMARY KEY("org_id","id"),
	CONSTRAINT "passage_wording_once" UNIQUE NULLS NOT DISTINCT("org_id","document_id","passage","words","end_user_id")
);
--> statement-breakpoint
ALTER TABLE "passage_wording" ADD CONSTRAINT "passage_wording_document" FOREIGN KEY ("org_id","document_id") REFERENCES "public"."document"("org_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "passage_wording_list" ON "passage_wording" USING btree ("agent_id","created_at");--> statement-breakpoint
CREATE INDEX "passage_wording_person" ON "passage_wording" USING btree ("end_user_id") WHERE end_user_id IS NOT NULL;