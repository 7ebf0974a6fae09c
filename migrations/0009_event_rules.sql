-- Events are written here, by one rule for each table that facts live in, in the transaction of the fact: whichever
-- program or job changes the row, the event commits with it or not at all (docs/adr/0201).

-- Ids as everywhere (contract/ids.ts): a UUIDv7, its 12 bits below the millisecond holding the microseconds, so that
-- events of one transaction sort in their order.
CREATE FUNCTION new_event_id() RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  micros bigint := (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;
  bits bit(130);
  id text := 'evt_';
BEGIN
  bits := B'00' || ('x' || lpad(to_hex(micros / 1000), 12, '0') || '7' || lpad(to_hex(micros % 1000 * 4096 / 1000), 3, '0')
    || substr(replace(gen_random_uuid()::text, '-', ''), 17))::bit(128);
  FOR n IN 0..25 LOOP
    id := id || substr('0123456789abcdefghjkmnpqrstvwxyz', substring(bits FROM n * 5 + 1 FOR 5)::int + 1, 1);
  END LOOP;
  RETURN id;
END $$;
--> statement-breakpoint
-- A moment as on the wire.
CREATE FUNCTION event_time(at timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;
--> statement-breakpoint
-- The one look-up that a statement pays for while nobody listens anywhere. `parley.events` is off while a backup is loaded.
CREATE FUNCTION events_are_heard() RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (EXISTS (SELECT 1 FROM webhook_endpoint WHERE enabled) OR EXISTS (SELECT 1 FROM event_tail WHERE wanted_until > now()))
    AND coalesce(current_setting('parley.events', true), '') <> 'off';
END $$;
--> statement-breakpoint
CREATE FUNCTION event_is_wanted(org text, kind text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN EXISTS (SELECT 1 FROM webhook_endpoint w WHERE w.org_id = org AND w.enabled AND (w.types = '{}' OR kind = ANY (w.types)))
    OR EXISTS (SELECT 1 FROM event_tail t WHERE t.org_id = org AND t.wanted_until > now());
END $$;
--> statement-breakpoint
CREATE FUNCTION tell_event(org text, kind text, person text, facts json) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO event (org_id, id, type, end_user_id, data, created_at)
  VALUES (org, new_event_id(), kind, person, facts, clock_timestamp());
END $$;
--> statement-breakpoint
-- Each event goes to every endpoint that listens at this moment. A test event is written for one endpoint alone. Locked, so
-- that an endpoint deleted at this moment is passed over instead of failing the fact on a foreign key.
CREATE FUNCTION event_fans_out() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF coalesce(current_setting('parley.events', true), '') <> 'off' THEN
    INSERT INTO event_delivery (org_id, event_id, endpoint_id, due_at)
    SELECT n.org_id, n.id, w.id, now() FROM made n JOIN webhook_endpoint w
      ON w.org_id = n.org_id AND w.enabled AND (w.types = '{}' OR n.type = ANY (w.types))
    WHERE n.type <> 'webhook.test' FOR KEY SHARE OF w;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER event_fans_out AFTER INSERT ON event REFERENCING NEW TABLE AS made
  FOR EACH STATEMENT EXECUTE FUNCTION event_fans_out();
--> statement-breakpoint

-- Conversations
CREATE FUNCTION event_of_conversation(c conversation) RETURNS json LANGUAGE sql STABLE AS $$
  SELECT json_build_object('id', c.id, 'agent_id', c.agent_id, 'channel_id', c.channel_id, 'end_user_id', c.end_user_id,
    'key', c.key, 'status', c.status, 'locale', c.locale, 'tags', c.tags, 'run_id', c.run_id,
    'created_at', event_time(c.created_at), 'updated_at', event_time(c.updated_at)) $$;
--> statement-breakpoint
CREATE FUNCTION tell_conversations_begun() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF events_are_heard() THEN
    WITH org AS MATERIALIZED (
      SELECT org_id FROM (SELECT DISTINCT org_id FROM made) o WHERE event_is_wanted(org_id, 'conversation.started'))
    INSERT INTO event (org_id, id, type, end_user_id, data, created_at)
    SELECT c.org_id, new_event_id(), 'conversation.started', c.end_user_id, event_of_conversation(c), clock_timestamp()
    FROM org JOIN made n ON n.org_id = org.org_id JOIN conversation c ON c.org_id = n.org_id AND c.id = n.id;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER tell_conversations_begun AFTER INSERT ON conversation REFERENCING NEW TABLE AS made
  FOR EACH STATEMENT EXECUTE FUNCTION tell_conversations_begun();
--> statement-breakpoint
CREATE FUNCTION tell_conversation_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF events_are_heard() AND event_is_wanted(NEW.org_id, 'conversation.' || NEW.status) THEN
    PERFORM tell_event(NEW.org_id, 'conversation.' || NEW.status, NEW.end_user_id, event_of_conversation(NEW));
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- Changes are told row by row: what does not move the status is passed over without a call.
CREATE TRIGGER tell_conversation_moved AFTER UPDATE OF status ON conversation FOR EACH ROW
  WHEN (NEW.status IN ('handed_off', 'resolved') AND NEW.status IS DISTINCT FROM OLD.status)
  EXECUTE FUNCTION tell_conversation_moved();
--> statement-breakpoint

-- Messages. Each stage is told once, also where a channel skips one: what was read has been delivered.
CREATE FUNCTION delivery_rank(status text) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE status WHEN 'sent' THEN 1 WHEN 'failed' THEN 1 WHEN 'undelivered' THEN 1 WHEN 'delivered' THEN 2
    WHEN 'read' THEN 3 ELSE 0 END $$;
--> statement-breakpoint
CREATE FUNCTION events_of_message(role text, before text, after text, is_new boolean) RETURNS text[]
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN role = 'end_user' THEN CASE WHEN is_new THEN ARRAY['message.received'] ELSE '{}' END ELSE array_remove(ARRAY[
    CASE WHEN after IN ('sent', 'delivered', 'read') AND delivery_rank(before) < 1 THEN 'message.sent' END,
    CASE WHEN after IN ('delivered', 'read') AND delivery_rank(before) < 2 THEN 'message.delivered' END,
    CASE WHEN after = 'read' AND delivery_rank(before) < 3 THEN 'message.read' END,
    CASE WHEN after IN ('failed', 'undelivered', 'suppressed') THEN 'message.failed' END], NULL) END $$;
--> statement-breakpoint
CREATE FUNCTION event_of_message(m message, c conversation) RETURNS json LANGUAGE sql STABLE AS $$
  SELECT json_build_object('id', m.id, 'conversation_id', m.conversation_id, 'agent_id', c.agent_id, 'channel_id', c.channel_id,
    'end_user_id', c.end_user_id, 'run_id', m.run_id, 'role', m.role, 'content', m.content, 'sources', m.sources,
    'status', m.status, 'error', m.error, 'metadata', coalesce(m.metadata, '{}'), 'created_at', event_time(m.created_at)) $$;
--> statement-breakpoint
CREATE FUNCTION tell_messages_made() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF events_are_heard() THEN
    WITH wanted AS MATERIALIZED (
      SELECT o.org_id, k.kind FROM (SELECT DISTINCT org_id FROM made) o
      CROSS JOIN unnest(ARRAY['message.received', 'message.sent', 'message.delivered', 'message.read', 'message.failed']) AS k(kind)
      WHERE event_is_wanted(o.org_id, k.kind))
    INSERT INTO event (org_id, id, type, end_user_id, data, created_at)
    SELECT m.org_id, new_event_id(), t.kind, c.end_user_id, event_of_message(m, c), clock_timestamp()
    FROM made n CROSS JOIN LATERAL unnest(events_of_message(n.role, NULL, n.status, true)) AS t(kind)
    JOIN wanted w ON w.org_id = n.org_id AND w.kind = t.kind
    JOIN message m ON m.org_id = n.org_id AND m.id = n.id
    JOIN conversation c ON c.org_id = m.org_id AND c.id = m.conversation_id;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER tell_messages_made AFTER INSERT ON message REFERENCING NEW TABLE AS made
  FOR EACH STATEMENT EXECUTE FUNCTION tell_messages_made();
--> statement-breakpoint
CREATE FUNCTION tell_message_moved() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  kind text;
  c conversation;
BEGIN
  IF NOT events_are_heard() THEN
    RETURN NULL;
  END IF;
  FOREACH kind IN ARRAY events_of_message(NEW.role, OLD.status, NEW.status, false) LOOP
    IF event_is_wanted(NEW.org_id, kind) THEN
      SELECT * INTO c FROM conversation WHERE org_id = NEW.org_id AND id = NEW.conversation_id;
      PERFORM tell_event(NEW.org_id, kind, c.end_user_id, event_of_message(NEW, c));
    END IF;
  END LOOP;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER tell_message_moved AFTER UPDATE OF status ON message FOR EACH ROW
  WHEN (NEW.status <> 'queued' AND NEW.status IS DISTINCT FROM OLD.status) EXECUTE FUNCTION tell_message_moved();
--> statement-breakpoint

-- Runs
CREATE FUNCTION tell_run_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF events_are_heard() AND event_is_wanted(NEW.org_id, 'run.' || NEW.status) THEN
    PERFORM tell_event(c.org_id, 'run.' || NEW.status, c.end_user_id, json_build_object('id', NEW.id, 'status', NEW.status,
      'reason', NEW.reason, 'error', NEW.error, 'agent_id', c.agent_id, 'trigger_id', NEW.trigger_id,
      'conversation_id', c.id, 'end_user_id', c.end_user_id, 'channel_id', c.channel_id,
      'metadata', coalesce(NEW.input -> 'metadata', '{}'), 'created_at', event_time(NEW.created_at),
      'finished_at', event_time(NEW.finished_at)))
    FROM conversation c WHERE c.org_id = NEW.org_id AND c.id = NEW.conversation_id;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER tell_run_ended AFTER UPDATE OF status ON run FOR EACH ROW
  WHEN (NEW.status IN ('completed', 'failed', 'skipped') AND NEW.status IS DISTINCT FROM OLD.status)
  EXECUTE FUNCTION tell_run_ended();
--> statement-breakpoint

-- People
CREATE FUNCTION event_of_end_user(e end_user) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('id', e.id, 'external_id', e.external_id, 'name', e.name, 'email', e.email, 'phone', e.phone,
    'locale', e.locale, 'time_zone', e.time_zone, 'attributes', e.attributes, 'tags', e.tags, 'consent', e.consent,
    'blocked', e.blocked, 'created_at', event_time(e.created_at), 'updated_at', event_time(e.updated_at),
    'last_seen_at', event_time(e.last_seen_at)) $$;
--> statement-breakpoint
CREATE FUNCTION tell_end_users_made() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF events_are_heard() THEN
    WITH org AS MATERIALIZED (
      SELECT org_id FROM (SELECT DISTINCT org_id FROM made) o WHERE event_is_wanted(org_id, 'end_user.created'))
    INSERT INTO event (org_id, id, type, end_user_id, data, created_at)
    SELECT e.org_id, new_event_id(), 'end_user.created', e.id, event_of_end_user(e)::json, clock_timestamp()
    FROM org JOIN made n ON n.org_id = org.org_id JOIN end_user e ON e.org_id = n.org_id AND e.id = n.id;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER tell_end_users_made AFTER INSERT ON end_user REFERENCING NEW TABLE AS made
  FOR EACH STATEMENT EXECUTE FUNCTION tell_end_users_made();
--> statement-breakpoint
CREATE FUNCTION tell_end_user_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  channel_kind text;
BEGIN
  IF NOT events_are_heard() THEN
    RETURN NULL;
  END IF;
  IF event_is_wanted(NEW.org_id, 'end_user.updated') THEN
    PERFORM tell_event(NEW.org_id, 'end_user.updated', NEW.id, event_of_end_user(NEW)::json);
  END IF;
  IF NEW.consent <> OLD.consent AND event_is_wanted(NEW.org_id, 'end_user.opted_out') THEN
    FOR channel_kind IN SELECT k.key FROM jsonb_each(NEW.consent) k WHERE k.value ->> 'status' = 'opted_out'
      AND OLD.consent -> k.key ->> 'status' IS DISTINCT FROM 'opted_out'
    LOOP
      PERFORM tell_event(NEW.org_id, 'end_user.opted_out', NEW.id,
        (event_of_end_user(NEW) || jsonb_build_object('channel_kind', channel_kind))::json);
    END LOOP;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- That somebody was seen is no news about the person.
CREATE TRIGGER tell_end_user_changed AFTER UPDATE ON end_user FOR EACH ROW
  WHEN ((NEW.external_id, NEW.name, NEW.email, NEW.phone, NEW.locale, NEW.time_zone, NEW.attributes, NEW.tags, NEW.consent, NEW.blocked)
    IS DISTINCT FROM
    (OLD.external_id, OLD.name, OLD.email, OLD.phone, OLD.locale, OLD.time_zone, OLD.attributes, OLD.tags, OLD.consent, OLD.blocked))
  EXECUTE FUNCTION tell_end_user_changed();
--> statement-breakpoint
-- Holds the id alone and belongs to nobody any more: it outlives the erasure.
CREATE FUNCTION tell_end_user_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF events_are_heard() AND event_is_wanted(OLD.org_id, 'end_user.deleted') THEN
    PERFORM tell_event(OLD.org_id, 'end_user.deleted', NULL, json_build_object('id', OLD.id));
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER tell_end_user_deleted AFTER DELETE ON end_user FOR EACH ROW EXECUTE FUNCTION tell_end_user_deleted();
--> statement-breakpoint

-- Campaigns
CREATE FUNCTION tell_recipient_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF events_are_heard() AND event_is_wanted(NEW.org_id, 'campaign.recipient.updated') THEN
    PERFORM tell_event(NEW.org_id, 'campaign.recipient.updated', NEW.end_user_id, json_build_object('id', NEW.id,
      'campaign_id', NEW.campaign_id, 'end_user_id', NEW.end_user_id, 'ref', NEW.ref, 'status', NEW.status,
      'previous_status', OLD.status, 'reason', NEW.reason, 'conversation_id', NEW.conversation_id, 'run_id', NEW.run_id,
      'created_at', event_time(NEW.created_at), 'updated_at', event_time(NEW.updated_at)));
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER tell_recipient_moved AFTER UPDATE OF status ON recipient FOR EACH ROW
  WHEN (NEW.status IS DISTINCT FROM OLD.status) EXECUTE FUNCTION tell_recipient_moved();
--> statement-breakpoint
CREATE FUNCTION tell_campaign_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF events_are_heard() AND event_is_wanted(NEW.org_id, 'campaign.ended') THEN
    PERFORM tell_event(NEW.org_id, 'campaign.ended', NULL, json_build_object('id', NEW.id, 'agent_id', NEW.agent_id,
      'channel_id', NEW.channel_id, 'name', NEW.name, 'state', NEW.state, 'created_at', event_time(NEW.created_at),
      'updated_at', event_time(NEW.updated_at)));
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER tell_campaign_ended AFTER UPDATE OF state ON campaign FOR EACH ROW
  WHEN (NEW.state = 'ended' AND OLD.state <> 'ended') EXECUTE FUNCTION tell_campaign_ended();
--> statement-breakpoint

-- API keys
CREATE FUNCTION tell_api_key() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  kind text := CASE TG_OP WHEN 'INSERT' THEN 'api_key.created' ELSE 'api_key.revoked' END;
BEGIN
  IF events_are_heard() AND event_is_wanted(NEW.org_id, kind) THEN
    PERFORM tell_event(NEW.org_id, kind, NULL, json_build_object('id', NEW.id, 'label', NEW.label, 'prefix', NEW.prefix,
      'scope', NEW.scope, 'agent_id', NEW.agent_id, 'campaign_id', NEW.campaign_id, 'permissions', NEW.permissions,
      'created_at', event_time(NEW.created_at), 'revoked_at', event_time(NEW.revoked_at)));
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER tell_api_key_created AFTER INSERT ON api_key FOR EACH ROW EXECUTE FUNCTION tell_api_key();
--> statement-breakpoint
CREATE TRIGGER tell_api_key_revoked AFTER UPDATE OF revoked_at ON api_key FOR EACH ROW
  WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL) EXECUTE FUNCTION tell_api_key();
--> statement-breakpoint

-- Rows of the queue change a few times in a short life.
ALTER TABLE event_delivery SET (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.05);
