CREATE TABLE "approval" (
	"org_id" text NOT NULL,
	"id" text NOT NULL,
	"agent_id" text NOT NULL,
	"conversation_id" text NOT NULL,
	"run_id" text NOT NULL,
	"call" jsonb NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"reason" text,
	"decided_by" text,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"decided_at" timestamp (3) with time zone,
	"outcome" jsonb,
	"answered_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "approval_org_id_id_pk" PRIMARY KEY("org_id","id")
);
--> statement-breakpoint
ALTER TABLE "approval" ADD CONSTRAINT "approval_org_id_conversation_id_conversation_org_id_id_fk" FOREIGN KEY ("org_id","conversation_id") REFERENCES "public"."conversation"("org_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "approval_conversation" ON "approval" USING btree ("conversation_id","created_at");--> statement-breakpoint
CREATE INDEX "approval_open" ON "approval" USING btree ("run_id") WHERE answered_at IS NULL;--> statement-breakpoint
CREATE INDEX "approval_due" ON "approval" USING btree ("expires_at") WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX "approval_pending" ON "approval" USING btree ("org_id","created_at","id") WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX "approval_decided" ON "approval" USING btree ("org_id","status","created_at","id") WHERE status <> 'pending';--> statement-breakpoint
-- safe for 0.1.0: that release does not call this function
-- The approval in the format of the API, without the members that only the dashboard shows.
CREATE FUNCTION event_of_approval(a approval) RETURNS json LANGUAGE sql STABLE AS $$
  SELECT json_build_object('id', a.id, 'status', a.status, 'agent_id', a.agent_id, 'run_id', a.run_id,
    'conversation_id', a.conversation_id, 'tool', a.call -> 'tool' ->> 'name', 'arguments', a.call -> 'arguments',
    'reason', a.reason, 'created_at', event_time(a.created_at), 'expires_at', event_time(a.expires_at),
    'decided_at', event_time(a.decided_at)) $$;
--> statement-breakpoint
-- safe for 0.1.0: that release writes no approvals
CREATE FUNCTION tell_approval_requested() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF events_are_heard() AND event_is_wanted(NEW.org_id, 'approval.requested') THEN
    PERFORM tell_event(c.org_id, 'approval.requested', c.end_user_id, event_of_approval(NEW))
    FROM conversation c WHERE c.org_id = NEW.org_id AND c.id = NEW.conversation_id;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- safe for 0.1.0: that release writes no approvals
CREATE TRIGGER tell_approval_requested AFTER INSERT ON approval FOR EACH ROW
  EXECUTE FUNCTION tell_approval_requested();
--> statement-breakpoint
-- A decision is final, and the approved call never changes.
-- safe for 0.1.0: that release writes no approvals
CREATE FUNCTION approval_rules() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.status <> 'pending' AND NEW.status <> OLD.status THEN
    RAISE EXCEPTION 'a decision about an approval is final';
  END IF;
  IF NEW.call IS DISTINCT FROM OLD.call THEN
    RAISE EXCEPTION 'the call of an approval does not change';
  END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
-- safe for 0.1.0: that release writes no approvals
CREATE TRIGGER approval_rules BEFORE UPDATE OF status, call ON approval FOR EACH ROW EXECUTE FUNCTION approval_rules();
--> statement-breakpoint
-- Only the current run of a conversation has open approvals. If another run continues the conversation, it takes them
-- over. If the conversation has no such run, or people answer, the pending ones are denied. An approved call that was
-- not made yet is not made any more.
-- safe for 0.1.0: in that release no run has approvals
CREATE FUNCTION approvals_follow_run() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  next text;
  why text;
BEGIN
  IF NOT EXISTS (SELECT 1 FROM approval WHERE run_id = NEW.id AND org_id = NEW.org_id AND answered_at IS NULL) THEN
    RETURN NULL;
  END IF;
  IF NEW.status = 'completed' AND NEW.reason = 'continued' THEN
    SELECT c.run_id INTO next FROM conversation c WHERE c.org_id = NEW.org_id AND c.id = NEW.conversation_id
      AND c.run_id <> NEW.id AND c.status <> 'handed_off';
  END IF;
  IF next IS NOT NULL THEN
    UPDATE approval SET run_id = next WHERE run_id = NEW.id AND org_id = NEW.org_id AND answered_at IS NULL;
    UPDATE run SET status = 'waiting_for_approval', due_at = CASE WHEN EXISTS (SELECT 1 FROM approval
        WHERE run_id = next AND org_id = NEW.org_id AND answered_at IS NULL AND status <> 'pending') THEN now() END
      WHERE org_id = NEW.org_id AND id = next AND status = 'waiting_for_user';
    RETURN NULL;
  END IF;
  why := CASE WHEN NEW.status IN ('completed', 'skipped', 'cancelled') THEN coalesce(NEW.reason, NEW.status)
    ELSE NEW.status END;
  UPDATE approval SET status = CASE WHEN status = 'pending' THEN 'denied' ELSE status END,
    reason = CASE WHEN status = 'pending' THEN why ELSE reason END,
    decided_by = CASE WHEN status = 'pending' THEN 'system' ELSE decided_by END,
    decided_at = coalesce(decided_at, clock_timestamp()), answered_at = clock_timestamp(),
    outcome = CASE WHEN status = 'approved' THEN coalesce(outcome, jsonb_build_object('result', '', 'steps', '[]'::jsonb,
      'error', 'Not called: the run had ended (' || why || ').')) END
  WHERE run_id = NEW.id AND org_id = NEW.org_id AND answered_at IS NULL;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- safe for 0.1.0: in that release no run has approvals
CREATE TRIGGER approvals_follow_run AFTER UPDATE OF status ON run FOR EACH ROW
  WHEN (NEW.status IN ('handed_off', 'completed', 'failed', 'skipped', 'cancelled') AND NEW.status IS DISTINCT FROM OLD.status)
  EXECUTE FUNCTION approvals_follow_run();
--> statement-breakpoint
-- A run that waits for an approval has spoken, like one that waits for the person.
-- safe for 0.1.0: in that release no run has this status
CREATE OR REPLACE FUNCTION recipient_follows_run() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  first text;
BEGIN
  IF NEW.status IN ('waiting_for_user', 'waiting_for_approval', 'handed_off') AND OLD.status = 'running' THEN
    SELECT m.status INTO first FROM message m WHERE m.org_id = NEW.org_id AND m.conversation_id = NEW.conversation_id
      AND m.run_id = NEW.id AND m.role = 'agent' ORDER BY m.id LIMIT 1;
    IF first IN ('sent', 'delivered', 'read') THEN
      PERFORM recipient_moves(NEW.org_id, NEW.id, first, NULL);
    END IF;
  ELSIF NEW.status = 'queued' AND OLD.status IN ('waiting_for_user', 'waiting_for_approval') THEN
    PERFORM recipient_moves(NEW.org_id, NEW.id, 'replied', NULL);
  ELSIF NEW.status IN ('completed', 'failed', 'cancelled') THEN
    PERFORM recipient_moves(NEW.org_id, NEW.id, NEW.status, NEW.reason);
  ELSIF NEW.status = 'skipped' THEN
    PERFORM recipient_moves(NEW.org_id, NEW.id,
      CASE WHEN NEW.reason IN ('opted_out', 'blocked') THEN 'suppressed' ELSE 'failed' END, NEW.reason);
  END IF;
  RETURN NULL;
END $$;
