CREATE TABLE "recipient" (
	"org_id" text NOT NULL,
	"campaign_id" text NOT NULL,
	"id" text NOT NULL,
	"end_user_id" text,
	"enrolment" integer DEFAULT 0 NOT NULL,
	"ref" text,
	"status" text NOT NULL,
	"reason" text,
	"variables" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"send_at" timestamp (3) with time zone,
	"due_at" timestamp (3) with time zone,
	"conversation_id" text,
	"run_id" text,
	"request_id" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "recipient_org_id_campaign_id_id_pk" PRIMARY KEY("org_id","campaign_id","id")
);
--> statement-breakpoint
CREATE TABLE "suppression" (
	"org_id" text NOT NULL,
	"digest" "bytea" NOT NULL,
	"consent" jsonb NOT NULL,
	"blocked" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "suppression_org_id_digest_pk" PRIMARY KEY("org_id","digest")
);
--> statement-breakpoint
DROP INDEX "end_user_external_id";--> statement-breakpoint
DROP INDEX "end_user_email";--> statement-breakpoint
DROP INDEX "end_user_phone";--> statement-breakpoint
ALTER TABLE "campaign" ADD COLUMN "attended" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "campaign" ADD COLUMN "paced_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "recipient" ADD CONSTRAINT "recipient_org_id_campaign_id_campaign_org_id_id_fk" FOREIGN KEY ("org_id","campaign_id") REFERENCES "public"."campaign"("org_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recipient" ADD CONSTRAINT "recipient_org_id_end_user_id_end_user_org_id_id_fk" FOREIGN KEY ("org_id","end_user_id") REFERENCES "public"."end_user"("org_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "recipient_once" ON "recipient" USING btree ("org_id","end_user_id","campaign_id","enrolment");--> statement-breakpoint
CREATE INDEX "recipient_status" ON "recipient" USING btree ("org_id","campaign_id","status","id");--> statement-breakpoint
CREATE INDEX "recipient_due" ON "recipient" USING btree ("org_id","campaign_id","due_at") WHERE due_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX "recipient_ref" ON "recipient" USING btree ("org_id","campaign_id","ref") WHERE ref IS NOT NULL;--> statement-breakpoint
CREATE INDEX "recipient_run" ON "recipient" USING btree ("org_id","run_id") WHERE run_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX "campaign_attended" ON "campaign" USING btree ("org_id","id") WHERE attended;--> statement-breakpoint
CREATE INDEX "conversation_end_user" ON "conversation" USING btree ("org_id","end_user_id","id");--> statement-breakpoint
CREATE INDEX "end_user_search" ON "end_user" USING gin ((ARRAY[org_id]),to_tsvector('simple', name),"tags","attributes" jsonb_path_ops) WHERE name IS NOT NULL OR tags <> '{}' OR attributes <> '{}';--> statement-breakpoint
CREATE INDEX "end_user_changed" ON "end_user" USING btree ("org_id","updated_at") WHERE updated_at <> created_at;--> statement-breakpoint
CREATE UNIQUE INDEX "end_user_external_id" ON "end_user" USING btree ("org_id","external_id" text_pattern_ops) WHERE external_id IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "end_user_email" ON "end_user" USING btree ("org_id","email" text_pattern_ops) WHERE email IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "end_user_phone" ON "end_user" USING btree ("org_id","phone" text_pattern_ops) WHERE phone IS NOT NULL;
--> statement-breakpoint
ALTER TABLE recipient SET (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
-- A recipient follows its run and the first message of it, whichever program or job moves them. Statuses only go on,
-- never back, and nothing leaves an end.
CREATE FUNCTION recipient_rank(status text) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE status WHEN 'pending' THEN 0 WHEN 'waiting_window' THEN 0 WHEN 'sending' THEN 1 WHEN 'sent' THEN 2
    WHEN 'delivered' THEN 3 WHEN 'read' THEN 4 WHEN 'replied' THEN 5 ELSE 9 END $$;
--> statement-breakpoint
CREATE FUNCTION recipient_moves(org text, run text, next text, why text) RETURNS void LANGUAGE sql AS $$
  UPDATE recipient SET status = next, reason = why, updated_at = clock_timestamp()
  WHERE org_id = org AND run_id = run AND recipient_rank(status) < recipient_rank(next) $$;
--> statement-breakpoint
CREATE FUNCTION recipient_follows_run() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  first text;
BEGIN
  IF NEW.status IN ('waiting_for_user', 'handed_off') AND OLD.status = 'running' THEN
    SELECT m.status INTO first FROM message m WHERE m.org_id = NEW.org_id AND m.conversation_id = NEW.conversation_id
      AND m.run_id = NEW.id AND m.role = 'agent' ORDER BY m.id LIMIT 1;
    IF first IN ('sent', 'delivered', 'read') THEN
      PERFORM recipient_moves(NEW.org_id, NEW.id, first, NULL);
    END IF;
  ELSIF NEW.status IN ('queued', 'running') AND OLD.status = 'waiting_for_user' THEN
    PERFORM recipient_moves(NEW.org_id, NEW.id, 'replied', NULL);
  ELSIF NEW.status IN ('completed', 'failed', 'cancelled') THEN
    PERFORM recipient_moves(NEW.org_id, NEW.id, NEW.status, NEW.reason);
  ELSIF NEW.status = 'skipped' THEN
    PERFORM recipient_moves(NEW.org_id, NEW.id,
      CASE WHEN NEW.reason IN ('opted_out', 'blocked') THEN 'suppressed' ELSE 'failed' END, NEW.reason);
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- Runs of triggers, the many, are passed over without a call.
CREATE TRIGGER recipient_follows_run AFTER UPDATE ON run FOR EACH ROW
  WHEN (NEW.trigger_id IS NULL AND NEW.status IS DISTINCT FROM OLD.status) EXECUTE FUNCTION recipient_follows_run();
--> statement-breakpoint
CREATE FUNCTION recipient_follows_message() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM recipient_moves(NEW.org_id, NEW.run_id, CASE NEW.status WHEN 'undelivered' THEN 'failed' ELSE NEW.status END,
    CASE WHEN NEW.status IN ('failed', 'undelivered') THEN coalesce(NEW.error ->> 'code', NEW.status)
      WHEN NEW.status = 'suppressed' THEN coalesce(NEW.error ->> 'code', 'opted_out') END);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER recipient_follows_message AFTER UPDATE OF status ON message FOR EACH ROW
  WHEN (NEW.role = 'agent' AND NEW.run_id IS NOT NULL AND NEW.status <> 'queued' AND NEW.status IS DISTINCT FROM OLD.status)
  EXECUTE FUNCTION recipient_follows_message();
