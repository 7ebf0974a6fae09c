DROP INDEX "document_list";--> statement-breakpoint
DROP INDEX "api_key_list";--> statement-breakpoint
DROP INDEX "recipient_status";--> statement-breakpoint
DROP INDEX "conversation_end_user";--> statement-breakpoint
DROP INDEX "message_conversation";--> statement-breakpoint
DROP INDEX "run_list";--> statement-breakpoint
DROP INDEX "request_log_key";--> statement-breakpoint
CREATE INDEX "document_list" ON "document" USING btree ("org_id","agent_id","created_at");--> statement-breakpoint
CREATE INDEX "api_key_list" ON "api_key" USING btree ("org_id","created_at");--> statement-breakpoint
CREATE INDEX "recipient_status" ON "recipient" USING btree ("org_id","campaign_id","status","created_at");--> statement-breakpoint
CREATE INDEX "conversation_end_user" ON "conversation" USING btree ("org_id","end_user_id","created_at");--> statement-breakpoint
CREATE INDEX "message_conversation" ON "message" USING btree ("org_id","conversation_id","created_at");--> statement-breakpoint
CREATE INDEX "run_list" ON "run" USING btree ("org_id","trigger_id","created_at");--> statement-breakpoint
CREATE INDEX "request_log_key" ON "request_log" USING btree ("org_id","key_id","at");