CREATE INDEX IF NOT EXISTS "conversation_org_tags" ON "conversation" USING gin ((ARRAY[org_id]),"tags") WHERE tags <> '{}';--> statement-breakpoint
-- safe for 0.1.0: that release finds the tags of all organizations in the new index
DROP INDEX IF EXISTS "conversation_tags";
