CREATE TABLE "conversation_seen" (
	"org_id" text NOT NULL,
	"conversation_id" text NOT NULL,
	"user_id" text NOT NULL,
	"seen_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "conversation_seen_org_id_conversation_id_user_id_pk" PRIMARY KEY("org_id","conversation_id","user_id")
);
--> statement-breakpoint
ALTER TABLE "conversation" ADD COLUMN "handed_off_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "conversation_seen" ADD CONSTRAINT "conversation_seen_org_id_conversation_id_conversation_org_id_id_fk" FOREIGN KEY ("org_id","conversation_id") REFERENCES "public"."conversation"("org_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "conversation_handed_off" ON "conversation" USING btree ("org_id","id") WHERE status = 'handed_off';--> statement-breakpoint
-- The exact moment was not recorded.
UPDATE "conversation" SET "handed_off_at" = "updated_at" WHERE status = 'handed_off';
