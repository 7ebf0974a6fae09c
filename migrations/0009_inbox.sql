CREATE TABLE "attribute_order" (
	"org_id" text PRIMARY KEY NOT NULL,
	"names" text[] NOT NULL
);
--> statement-breakpoint
ALTER TABLE "conversation_presence" ADD COLUMN "draft" text;--> statement-breakpoint
ALTER TABLE "member_attendance" ADD COLUMN "away" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "saved_reply" ADD COLUMN "actions" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "attribute_order" ADD CONSTRAINT "attribute_order_org_id_organization_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organization"("id") ON DELETE no action ON UPDATE no action;