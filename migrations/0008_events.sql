CREATE TABLE "event" (
	"org_id" text NOT NULL,
	"id" text NOT NULL,
	"type" text NOT NULL,
	"end_user_id" text,
	"data" json NOT NULL,
	"tx" bigint DEFAULT pg_current_xact_id()::text::bigint NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "event_org_id_id_pk" PRIMARY KEY("org_id","id")
);
--> statement-breakpoint
CREATE TABLE "event_delivery" (
	"org_id" text NOT NULL,
	"event_id" text NOT NULL,
	"endpoint_id" text NOT NULL,
	"state" text DEFAULT 'pending' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"history" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"due_at" timestamp (3) with time zone,
	"lease" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "event_delivery_org_id_event_id_endpoint_id_pk" PRIMARY KEY("org_id","event_id","endpoint_id")
);
--> statement-breakpoint
CREATE TABLE "event_tail" (
	"org_id" text PRIMARY KEY NOT NULL,
	"wanted_until" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhook_endpoint" (
	"org_id" text NOT NULL,
	"id" text NOT NULL,
	"url" text NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"types" text[] DEFAULT '{}' NOT NULL,
	"enabled" boolean DEFAULT true NOT NULL,
	"disabled_reason" text,
	"sealed" text NOT NULL,
	"previous_until" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "webhook_endpoint_org_id_id_pk" PRIMARY KEY("org_id","id")
);
--> statement-breakpoint
ALTER TABLE "event_delivery" ADD CONSTRAINT "event_delivery_org_id_event_id_event_org_id_id_fk" FOREIGN KEY ("org_id","event_id") REFERENCES "public"."event"("org_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "event_delivery" ADD CONSTRAINT "event_delivery_org_id_endpoint_id_webhook_endpoint_org_id_id_fk" FOREIGN KEY ("org_id","endpoint_id") REFERENCES "public"."webhook_endpoint"("org_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "event_tail" ADD CONSTRAINT "event_tail_org_id_organization_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organization"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_endpoint" ADD CONSTRAINT "webhook_endpoint_org_id_organization_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organization"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "event_order" ON "event" USING btree ("tx","id");--> statement-breakpoint
CREATE INDEX "event_end_user" ON "event" USING btree ("end_user_id") WHERE end_user_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX "event_age" ON "event" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "event_delivery_endpoint" ON "event_delivery" USING btree ("endpoint_id","event_id");--> statement-breakpoint
CREATE INDEX "event_delivery_due" ON "event_delivery" USING btree ("due_at") WHERE due_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX "webhook_endpoint_listening" ON "webhook_endpoint" USING btree ("org_id","id") WHERE enabled;