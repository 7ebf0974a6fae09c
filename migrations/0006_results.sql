ALTER TABLE "run" ADD COLUMN "agent_version" integer;--> statement-breakpoint
ALTER TABLE "run" ADD COLUMN "result" jsonb;--> statement-breakpoint
ALTER TABLE "run" ADD COLUMN "result_event_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "run" ADD COLUMN "no_reply_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "run" ADD COLUMN "reminders" integer;--> statement-breakpoint
CREATE INDEX "run_result_event" ON "run" USING btree ("result_event_at") WHERE result_event_at IS NOT NULL;--> statement-breakpoint
-- safe for 0.1.0: that release does not call this function
-- The result of a run in the format of the API. `jsonb` has an order of its own for members.
CREATE FUNCTION event_of_result(result jsonb) RETURNS json LANGUAGE sql STABLE AS $$
  SELECT json_build_object('status', coalesce(result ->> 'status', 'none'), 'data', coalesce(result -> 'data', '{}'),
    'missing', coalesce(result -> 'missing', '[]'), 'updated_at', result ->> 'updated_at') $$;
--> statement-breakpoint
-- safe for 0.1.0: that release does not call this function
CREATE FUNCTION event_of_run(r run, c conversation) RETURNS json LANGUAGE sql STABLE AS $$
  SELECT json_build_object('id', r.id, 'status', r.status, 'reason', r.reason, 'error', r.error, 'agent_id', c.agent_id,
    'trigger_id', r.trigger_id, 'conversation_id', c.id, 'end_user_id', c.end_user_id, 'channel_id', c.channel_id,
    'metadata', coalesce(r.input -> 'metadata', '{}'), 'agent_version', r.agent_version,
    'result', event_of_result(r.result), 'created_at', event_time(r.created_at), 'finished_at', event_time(r.finished_at)) $$;
--> statement-breakpoint
-- safe for 0.1.0: the function has the same name and the same trigger, and its event has two more members
CREATE OR REPLACE FUNCTION tell_run_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF events_are_heard() AND event_is_wanted(NEW.org_id, 'run.' || NEW.status) THEN
    PERFORM tell_event(c.org_id, 'run.' || NEW.status, c.end_user_id, event_of_run(NEW, c))
    FROM conversation c WHERE c.org_id = NEW.org_id AND c.id = NEW.conversation_id;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- The statement that hands over has also changed the run: a trigger after it reads the run as it is now.
-- safe for 0.1.0: the function has the same name and the same trigger, and one of its events has one more member
CREATE OR REPLACE FUNCTION tell_conversation_moved() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  facts json;
BEGIN
  IF events_are_heard() AND event_is_wanted(NEW.org_id, 'conversation.' || NEW.status) THEN
    facts := event_of_conversation(NEW);
    IF NEW.status = 'handed_off' THEN
      facts := (left(facts::text, -1) || ', "result" : ' || event_of_result(
        (SELECT r.result FROM run r WHERE r.org_id = NEW.org_id AND r.id = NEW.run_id))::text || '}')::json;
    END IF;
    PERFORM tell_event(NEW.org_id, 'conversation.' || NEW.status, NEW.end_user_id, facts);
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- Changes of a result within one second share one event: the first of them says when it is due, and a worker clears
-- that time (src/store/runs/results.ts).
-- safe for 0.1.0: that release does not call this function
CREATE FUNCTION run_result_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.result_event_at IS NULL AND events_are_heard() AND event_is_wanted(NEW.org_id, 'run.result_updated') THEN
    NEW.result_event_at := clock_timestamp() + interval '1 second';
  END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
-- safe for 0.1.0: that release does not change this column
CREATE TRIGGER run_result_changes BEFORE UPDATE OF result ON run FOR EACH ROW
  WHEN ((NEW.result ->> 'status', NEW.result -> 'data')
    IS DISTINCT FROM (coalesce(OLD.result ->> 'status', 'none'), coalesce(OLD.result -> 'data', '{}')))
  EXECUTE FUNCTION run_result_changes();
--> statement-breakpoint
-- safe for 0.1.0: that release does not call this function
CREATE FUNCTION tell_run_result() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF events_are_heard() AND event_is_wanted(NEW.org_id, 'run.result_updated') THEN
    PERFORM tell_event(c.org_id, 'run.result_updated', c.end_user_id, event_of_run(NEW, c))
    FROM conversation c WHERE c.org_id = NEW.org_id AND c.id = NEW.conversation_id;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- safe for 0.1.0: that release does not change this column
CREATE TRIGGER tell_run_result AFTER UPDATE OF result_event_at ON run FOR EACH ROW
  WHEN (OLD.result_event_at IS NOT NULL AND NEW.result_event_at IS NULL) EXECUTE FUNCTION tell_run_result();
--> statement-breakpoint
-- A run that wakes because the person is silent runs without a reply: only an arriving message queues a waiting run.
-- safe for 0.1.0: in that release a waiting run never runs before it is queued
CREATE OR REPLACE FUNCTION recipient_follows_run() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  first text;
BEGIN
  IF NEW.status IN ('waiting_for_user', 'handed_off') AND OLD.status = 'running' THEN
    SELECT m.status INTO first FROM message m WHERE m.org_id = NEW.org_id AND m.conversation_id = NEW.conversation_id
      AND m.run_id = NEW.id AND m.role = 'agent' ORDER BY m.id LIMIT 1;
    IF first IN ('sent', 'delivered', 'read') THEN
      PERFORM recipient_moves(NEW.org_id, NEW.id, first, NULL);
    END IF;
  ELSIF NEW.status = 'queued' AND OLD.status = 'waiting_for_user' THEN
    PERFORM recipient_moves(NEW.org_id, NEW.id, 'replied', NULL);
  ELSIF NEW.status IN ('completed', 'failed', 'cancelled') THEN
    PERFORM recipient_moves(NEW.org_id, NEW.id, NEW.status, NEW.reason);
  ELSIF NEW.status = 'skipped' THEN
    PERFORM recipient_moves(NEW.org_id, NEW.id,
      CASE WHEN NEW.reason IN ('opted_out', 'blocked') THEN 'suppressed' ELSE 'failed' END, NEW.reason);
  END IF;
  RETURN NULL;
END $$;
