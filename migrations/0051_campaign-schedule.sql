CREATE TABLE "campaign_schedule" (
	"org_id" text NOT NULL,
	"campaign_id" text NOT NULL,
	"segment_id" text NOT NULL,
	"days" integer[] NOT NULL,
	"at" text NOT NULL,
	"paused" boolean DEFAULT false NOT NULL,
	"next_day" text,
	"next_at" timestamp (3) with time zone,
	"created_by" text NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "campaign_schedule_org_id_campaign_id_pk" PRIMARY KEY("org_id","campaign_id")
);
--> statement-breakpoint
ALTER TABLE "campaign" ADD COLUMN "round_of" text;--> statement-breakpoint
ALTER TABLE "campaign" ADD COLUMN "round_day" text;--> statement-breakpoint
ALTER TABLE "campaign_schedule" ADD CONSTRAINT "campaign_schedule_org_id_campaign_id_campaign_org_id_id_fk" FOREIGN KEY ("org_id","campaign_id") REFERENCES "public"."campaign"("org_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "campaign_schedule_due" ON "campaign_schedule" USING btree ("next_at") WHERE next_at IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "campaign_round" ON "campaign" USING btree ("org_id","round_of","round_day") WHERE round_of IS NOT NULL;