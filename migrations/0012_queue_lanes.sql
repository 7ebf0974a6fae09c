DROP INDEX "message_due";--> statement-breakpoint
DROP INDEX "run_due";--> statement-breakpoint
CREATE INDEX "message_lane" ON "message" USING btree ((hashtext(org_id) & 255),"due_at") WHERE due_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX "run_lane" ON "run" USING btree ((hashtext(org_id) & 255),"due_at") WHERE due_at IS NOT NULL;