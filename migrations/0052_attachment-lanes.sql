DROP INDEX "attachment_due";--> statement-breakpoint
CREATE INDEX "attachment_lane" ON "attachment" USING btree ((hashtext(org_id) & 255),"due_at") WHERE due_at IS NOT NULL;