-- Lines of the audit log as events, for those who collect them elsewhere (docs/events.md). They say who did what and from
-- where, so an endpoint has to name the type: "every type" leaves it out.
CREATE FUNCTION endpoint_hears(types text[], kind text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT kind = ANY (types) OR (types = '{}' AND kind <> 'audit.recorded') $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION event_is_wanted(org text, kind text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN EXISTS (SELECT 1 FROM webhook_endpoint w WHERE w.org_id = org AND w.enabled AND endpoint_hears(w.types, kind))
    OR EXISTS (SELECT 1 FROM event_tail t WHERE t.org_id = org AND t.wanted_until > now());
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION event_fans_out() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF coalesce(current_setting('parley.events', true), '') <> 'off' THEN
    INSERT INTO event_delivery (org_id, event_id, endpoint_id, due_at)
    SELECT n.org_id, n.id, w.id, now() FROM made n JOIN webhook_endpoint w
      ON w.org_id = n.org_id AND w.enabled AND endpoint_hears(w.types, n.type)
    WHERE n.type <> 'webhook.test' FOR KEY SHARE OF w;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- Deliveries write no line here, so that one never brings the next; an endpoint that is gone is switched off once.
CREATE FUNCTION tell_audit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF events_are_heard() AND event_is_wanted(NEW.org_id, 'audit.recorded') THEN
    PERFORM tell_event(NEW.org_id, 'audit.recorded', NULL, json_build_object('id', NEW.id, 'actor', NEW.actor,
      'actor_name', u.name, 'actor_email', u.email, 'action', NEW.action, 'subject_id', NEW.subject_id, 'facts', NEW.facts,
      'address', NEW.address, 'request_id', NEW.request_id, 'created_at', event_time(NEW.created_at)))
    FROM (SELECT 1) one LEFT JOIN "user" u ON u.id = NEW.actor;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER tell_audit AFTER INSERT ON audit FOR EACH ROW EXECUTE FUNCTION tell_audit();
