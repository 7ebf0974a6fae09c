CREATE TABLE "document_question" (
	"org_id" text NOT NULL,
	"document_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"passages" integer,
	"written" integer DEFAULT 0 NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"fault" jsonb,
	"due_at" timestamp (3) with time zone,
	"lease" text,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "document_question_org_id_document_id_pk" PRIMARY KEY("org_id","document_id")
);
--> statement-breakpoint
CREATE TABLE "passage_question" (
	"org_id" text NOT NULL,
	"document_id" text NOT NULL,
	"hash" "bytea" NOT NULL,
	"questions" text[] NOT NULL,
	CONSTRAINT "passage_question_org_id_document_id_hash_pk" PRIMARY KEY("org_id","document_id","hash")
);
--> statement-breakpoint
ALTER TABLE "model_provider" ADD COLUMN "question_model" text;--> statement-breakpoint
ALTER TABLE "document_question" ADD CONSTRAINT "document_question_document" FOREIGN KEY ("org_id","document_id") REFERENCES "public"."document"("org_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "passage_question" ADD CONSTRAINT "passage_question_document" FOREIGN KEY ("org_id","document_id") REFERENCES "public"."document"("org_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "document_question_due" ON "document_question" USING btree ("due_at") WHERE due_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX "document_question_agent" ON "document_question" USING btree ("agent_id");--> statement-breakpoint
CREATE INDEX "passage_question_hash" ON "passage_question" USING btree ("hash");--> statement-breakpoint
-- safe for 0.1.0: it never writes the new column
CREATE UNIQUE INDEX "model_provider_questions" ON "model_provider" USING btree ("org_id") WHERE question_model IS NOT NULL;