CREATE TABLE "conversation_mention" (
	"org_id" text NOT NULL,
	"conversation_id" text NOT NULL,
	"note_id" text NOT NULL,
	"user_id" text NOT NULL,
	"seen_at" timestamp (3) with time zone,
	CONSTRAINT "conversation_mention_org_id_conversation_id_note_id_user_id_pk" PRIMARY KEY("org_id","conversation_id","note_id","user_id")
);
--> statement-breakpoint
ALTER TABLE "conversation_mention" ADD CONSTRAINT "conversation_mention_note" FOREIGN KEY ("org_id","conversation_id","note_id") REFERENCES "public"."conversation_note"("org_id","conversation_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "conversation_mention_user" ON "conversation_mention" USING btree ("user_id","conversation_id");--> statement-breakpoint
CREATE INDEX "conversation_mention_new" ON "conversation_mention" USING btree ("org_id","user_id") WHERE seen_at IS NULL;