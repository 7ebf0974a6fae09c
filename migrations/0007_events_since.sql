ALTER TABLE "event_delivery" ADD COLUMN "early" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "event_listed" ON "event" USING btree ("org_id","tx","id") WHERE type <> 'audit.recorded';--> statement-breakpoint
CREATE INDEX "event_delivery_waiting" ON "event_delivery" USING btree ("endpoint_id","event_id") WHERE due_at IS NOT NULL;--> statement-breakpoint
-- A resolved conversation continues. The status after it has its own event, if it is a hand-off.
-- safe for 0.1.0: that release ignores events whose type it does not know
CREATE FUNCTION tell_conversation_reopened() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF events_are_heard() AND event_is_wanted(NEW.org_id, 'conversation.reopened') THEN
    PERFORM tell_event(NEW.org_id, 'conversation.reopened', NEW.end_user_id, event_of_conversation(NEW));
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- safe for 0.1.0: it only writes an event
CREATE TRIGGER tell_conversation_reopened AFTER UPDATE OF status ON conversation FOR EACH ROW
  WHEN (OLD.status = 'resolved' AND NEW.status <> 'resolved')
  EXECUTE FUNCTION tell_conversation_reopened();
