CREATE TABLE "conversation_note" (
	"org_id" text NOT NULL,
	"id" text NOT NULL,
	"conversation_id" text NOT NULL,
	"author_id" text NOT NULL,
	"text" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "conversation_note_org_id_conversation_id_id_pk" PRIMARY KEY("org_id","conversation_id","id")
);
--> statement-breakpoint
ALTER TABLE "conversation_note" ADD CONSTRAINT "conversation_note_org_id_conversation_id_conversation_org_id_id_fk" FOREIGN KEY ("org_id","conversation_id") REFERENCES "public"."conversation"("org_id","id") ON DELETE cascade ON UPDATE no action;