DROP INDEX "api_key_list";--> statement-breakpoint
DROP INDEX "document_list";--> statement-breakpoint
DROP INDEX "recipient_status";--> statement-breakpoint
DROP INDEX "conversation_end_user";--> statement-breakpoint
DROP INDEX "message_conversation";--> statement-breakpoint
DROP INDEX "identity_end_user";--> statement-breakpoint
DROP INDEX "run_list";--> statement-breakpoint
DROP INDEX "request_log_key";--> statement-breakpoint
CREATE INDEX "document_list" ON "document" USING btree ("agent_id","created_at");--> statement-breakpoint
CREATE INDEX "recipient_status" ON "recipient" USING btree ("campaign_id","status","created_at");--> statement-breakpoint
CREATE INDEX "conversation_end_user" ON "conversation" USING btree ("end_user_id","created_at");--> statement-breakpoint
CREATE INDEX "message_conversation" ON "message" USING btree ("conversation_id","created_at");--> statement-breakpoint
CREATE INDEX "identity_end_user" ON "identity" USING btree ("end_user_id");--> statement-breakpoint
CREATE INDEX "run_list" ON "run" USING btree ("trigger_id","created_at");--> statement-breakpoint
CREATE INDEX "request_log_key" ON "request_log" USING btree ("key_id","at");