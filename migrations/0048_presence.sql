CREATE UNLOGGED TABLE "conversation_presence" (
	"org_id" text NOT NULL,
	"conversation_id" text NOT NULL,
	"user_id" text NOT NULL,
	"here_until" timestamp (3) with time zone NOT NULL,
	"typing_until" timestamp (3) with time zone,
	CONSTRAINT "conversation_presence_org_id_conversation_id_user_id_pk" PRIMARY KEY("org_id","conversation_id","user_id")
);
--> statement-breakpoint
ALTER TABLE "conversation_presence" ADD CONSTRAINT "conversation_presence_org_id_conversation_id_conversation_org_id_id_fk" FOREIGN KEY ("org_id","conversation_id") REFERENCES "public"."conversation"("org_id","id") ON DELETE cascade ON UPDATE no action;