CREATE TABLE "document_embedding" (
	"org_id" text NOT NULL,
	"document_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"passages" integer,
	"embedded" integer DEFAULT 0 NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"fault" jsonb,
	"due_at" timestamp (3) with time zone,
	"lease" text,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "document_embedding_org_id_document_id_pk" PRIMARY KEY("org_id","document_id")
);
--> statement-breakpoint
CREATE TABLE "passage_embedding" (
	"org_id" text NOT NULL,
	"document_id" text NOT NULL,
	"hash" "bytea" NOT NULL,
	"vector" "bytea" NOT NULL,
	CONSTRAINT "passage_embedding_org_id_document_id_hash_pk" PRIMARY KEY("org_id","document_id","hash")
);
--> statement-breakpoint
ALTER TABLE "model_provider" ADD COLUMN "embedding_model" text;--> statement-breakpoint
ALTER TABLE "model_provider" ADD COLUMN "embedding_dimensions" integer;--> statement-breakpoint
ALTER TABLE "document_embedding" ADD CONSTRAINT "document_embedding_document" FOREIGN KEY ("org_id","document_id") REFERENCES "public"."document"("org_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "passage_embedding" ADD CONSTRAINT "passage_embedding_document" FOREIGN KEY ("org_id","document_id") REFERENCES "public"."document"("org_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "document_embedding_due" ON "document_embedding" USING btree ("due_at") WHERE due_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX "document_embedding_agent" ON "document_embedding" USING btree ("agent_id");--> statement-breakpoint
CREATE INDEX "passage_embedding_hash" ON "passage_embedding" USING btree ("hash");--> statement-breakpoint
CREATE UNIQUE INDEX "model_provider_embeds" ON "model_provider" USING btree ("org_id") WHERE embedding_model IS NOT NULL;