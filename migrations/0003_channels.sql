CREATE TABLE "inbound_event" (
	"org_id" text NOT NULL,
	"channel_id" text NOT NULL,
	"event_id" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "inbound_event_org_id_channel_id_event_id_pk" PRIMARY KEY("org_id","channel_id","event_id")
);
--> statement-breakpoint
CREATE TABLE "receipt" (
	"org_id" text NOT NULL,
	"channel_id" text NOT NULL,
	"provider_message_id" text NOT NULL,
	"status" text NOT NULL,
	"error" jsonb,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "receipt_org_id_channel_id_provider_message_id_status_pk" PRIMARY KEY("org_id","channel_id","provider_message_id","status")
);
--> statement-breakpoint
ALTER TABLE "message" ADD COLUMN "reply_to" text;--> statement-breakpoint
ALTER TABLE "message" ADD COLUMN "metadata" jsonb;--> statement-breakpoint
ALTER TABLE "message" ADD COLUMN "send_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "message" ADD COLUMN "due_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "message" ADD COLUMN "lease" text;--> statement-breakpoint
ALTER TABLE "message" ADD COLUMN "attempts" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "message" ADD COLUMN "error" jsonb;--> statement-breakpoint
ALTER TABLE "message" ADD COLUMN "provider_message_id" text;--> statement-breakpoint
ALTER TABLE "message" ADD COLUMN "possible_duplicate" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "identity" ADD COLUMN "last_inbound_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "inbound_event" ADD CONSTRAINT "inbound_event_org_id_channel_id_channel_org_id_id_fk" FOREIGN KEY ("org_id","channel_id") REFERENCES "public"."channel"("org_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "receipt" ADD CONSTRAINT "receipt_org_id_channel_id_channel_org_id_id_fk" FOREIGN KEY ("org_id","channel_id") REFERENCES "public"."channel"("org_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "inbound_event_age" ON "inbound_event" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "receipt_age" ON "receipt" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "channel_inbound" ON "channel" USING btree ("id");--> statement-breakpoint
CREATE INDEX "conversation_address" ON "conversation" USING btree ("org_id","channel_id","address","id") WHERE address IS NOT NULL;--> statement-breakpoint
CREATE INDEX "message_due" ON "message" USING btree ("due_at") WHERE due_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX "message_queue" ON "message" USING btree ("org_id","conversation_id","id") WHERE due_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX "message_provider" ON "message" USING btree ("org_id","provider_message_id") WHERE provider_message_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX "identity_end_user" ON "identity" USING btree ("org_id","end_user_id","channel_id");