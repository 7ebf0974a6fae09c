CREATE TABLE "campaign_push" (
	"org_id" text NOT NULL,
	"campaign_id" text NOT NULL,
	"id" text NOT NULL,
	"state" text DEFAULT 'queued' NOT NULL,
	"source" text NOT NULL,
	"filter_names" text[] DEFAULT '{}' NOT NULL,
	"filter" jsonb,
	"file" text,
	"after" text,
	"total" integer,
	"done" integer DEFAULT 0 NOT NULL,
	"accepted" integer DEFAULT 0 NOT NULL,
	"duplicates" integer DEFAULT 0 NOT NULL,
	"opted_out" integer DEFAULT 0 NOT NULL,
	"blocked" integer DEFAULT 0 NOT NULL,
	"invalid" integer DEFAULT 0 NOT NULL,
	"faults" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"fault" jsonb,
	"created_by" text NOT NULL,
	"request_id" text,
	"due_at" timestamp (3) with time zone,
	"lease" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp (3) with time zone,
	CONSTRAINT "campaign_push_org_id_campaign_id_id_pk" PRIMARY KEY("org_id","campaign_id","id")
);
--> statement-breakpoint
ALTER TABLE "campaign_push" ADD CONSTRAINT "campaign_push_org_id_campaign_id_campaign_org_id_id_fk" FOREIGN KEY ("org_id","campaign_id") REFERENCES "public"."campaign"("org_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "campaign_push_one_open" ON "campaign_push" USING btree ("org_id","campaign_id") WHERE due_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX "campaign_push_due" ON "campaign_push" USING btree ("due_at") WHERE due_at IS NOT NULL;