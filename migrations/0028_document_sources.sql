CREATE TABLE "document_page" (
	"org_id" text NOT NULL,
	"source_id" text NOT NULL,
	"url" text NOT NULL,
	"state" text DEFAULT 'waiting' NOT NULL,
	"is_sitemap" boolean DEFAULT false NOT NULL,
	"sync" integer DEFAULT 0 NOT NULL,
	"found" integer NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"etag" text,
	"last_modified" text,
	"hash" text,
	"document_id" text,
	"leads_to" text,
	"fault" jsonb,
	"fetched_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "document_page_org_id_source_id_url_pk" PRIMARY KEY("org_id","source_id","url")
);
--> statement-breakpoint
CREATE TABLE "document_source" (
	"org_id" text NOT NULL,
	"id" text NOT NULL,
	"agent_id" text NOT NULL,
	"url" text NOT NULL,
	"kind" text NOT NULL,
	"scope" text NOT NULL,
	"host" text NOT NULL,
	"schedule" text NOT NULL,
	"max_pages" integer NOT NULL,
	"state" text DEFAULT 'queued' NOT NULL,
	"sync" integer DEFAULT 0 NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"limit_reached" boolean DEFAULT false NOT NULL,
	"fault" jsonb,
	"created_by" text NOT NULL,
	"due_at" timestamp (3) with time zone,
	"lease" text,
	"started_at" timestamp (3) with time zone,
	"finished_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "document_source_org_id_id_pk" PRIMARY KEY("org_id","id")
);
--> statement-breakpoint
ALTER TABLE "document" ADD COLUMN "source_id" text;--> statement-breakpoint
ALTER TABLE "document" ADD COLUMN "url" text;--> statement-breakpoint
ALTER TABLE "document_page" ADD CONSTRAINT "document_page_org_id_source_id_document_source_org_id_id_fk" FOREIGN KEY ("org_id","source_id") REFERENCES "public"."document_source"("org_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "document_source" ADD CONSTRAINT "document_source_org_id_agent_id_agent_org_id_id_fk" FOREIGN KEY ("org_id","agent_id") REFERENCES "public"."agent"("org_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "document_source_due" ON "document_source" USING btree ("due_at") WHERE due_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX "document_source_host" ON "document_source" USING btree ("host") WHERE lease IS NOT NULL;--> statement-breakpoint
CREATE INDEX "document_source_list" ON "document_source" USING btree ("agent_id","created_at");--> statement-breakpoint
CREATE INDEX "document_of_source" ON "document" USING btree ("source_id") WHERE source_id IS NOT NULL;