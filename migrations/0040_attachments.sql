CREATE TABLE "attachment" (
	"org_id" text NOT NULL,
	"id" text NOT NULL,
	"token" text NOT NULL,
	"message_id" text,
	"provider_message_id" text,
	"name" text NOT NULL,
	"type" text NOT NULL,
	"size" integer NOT NULL,
	"hash" text NOT NULL,
	"bytes" "bytea",
	"source" jsonb,
	"due_at" timestamp (3) with time zone,
	"lease" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "attachment_org_id_id_pk" PRIMARY KEY("org_id","id")
);
--> statement-breakpoint
ALTER TABLE "attachment" ADD CONSTRAINT "attachment_org_id_message_id_message_org_id_id_fk" FOREIGN KEY ("org_id","message_id") REFERENCES "public"."message"("org_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "attachment_message" ON "attachment" USING btree ("message_id");--> statement-breakpoint
CREATE INDEX "attachment_loose" ON "attachment" USING btree ("created_at") WHERE message_id IS NULL;--> statement-breakpoint
CREATE INDEX "attachment_due" ON "attachment" USING btree ("due_at") WHERE due_at IS NOT NULL;--> statement-breakpoint
-- Pictures, voice and video are compressed already; and a part of one is read without the rest.
ALTER TABLE "attachment" ALTER COLUMN "bytes" SET STORAGE EXTERNAL;
