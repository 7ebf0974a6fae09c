ALTER TABLE "conversation" DROP CONSTRAINT "conversation_org_id_agent_id_agent_org_id_id_fk";
--> statement-breakpoint
ALTER TABLE "conversation" DROP CONSTRAINT "conversation_org_id_channel_id_channel_org_id_id_fk";
--> statement-breakpoint
ALTER TABLE "channel" ADD CONSTRAINT "channel_of_agent" UNIQUE("org_id","agent_id","id");
--> statement-breakpoint
ALTER TABLE "conversation" ADD CONSTRAINT "conversation_channel_of_agent" FOREIGN KEY ("org_id","agent_id","channel_id") REFERENCES "public"."channel"("org_id","agent_id","id") ON DELETE no action ON UPDATE no action;
