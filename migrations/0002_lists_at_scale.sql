-- safe for 0.1.0: that release finds the runs of a trigger by the new index, and sorts them until it is replaced
DROP INDEX "run_list";--> statement-breakpoint
CREATE INDEX "conversation_channel" ON "conversation" USING btree ("status","channel_id","id");--> statement-breakpoint
CREATE INDEX "run_list" ON "run" USING btree ("trigger_id","status","created_at");