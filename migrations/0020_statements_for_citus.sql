-- Citus runs a statement of a distributed schema as text on the node that has it. So it refuses clock_timestamp() in UPDATE,
-- joins with the rows of a transition table, subqueries in VALUES, and NEW as a row of the table, because on the node the
-- table has another name. These functions do the same as before with variables and arrays (docs/adr/0502).
-- safe for 0.1.0: that release does not call this function
CREATE OR REPLACE FUNCTION tell_events(orgs text[], kinds text[], people text[], facts json[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  own_tx bigint := pg_current_xact_id()::text::bigint;
BEGIN
  INSERT INTO event (org_id, id, type, end_user_id, data, tx, created_at)
  SELECT t.org_id, new_event_id(), t.kind, t.person, t.facts, own_tx, clock_timestamp()
  FROM unnest((SELECT orgs), (SELECT kinds), (SELECT people), (SELECT facts)) AS t (org_id, kind, person, facts);
END
$$;
--> statement-breakpoint
-- safe for 0.1.0: the function does the same as before
CREATE OR REPLACE FUNCTION conversation_has_parents() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  orgs text[];
  agents text[];
  channels text[];
  people text[];
BEGIN
  SELECT array_agg(org_id), array_agg(agent_id), array_agg(channel_id), array_agg(end_user_id)
    INTO orgs, agents, channels, people FROM made;
  IF EXISTS (
    SELECT FROM (SELECT DISTINCT m.org_id, m.agent_id, m.channel_id
      FROM unnest((SELECT orgs), (SELECT agents), (SELECT channels)) AS m (org_id, agent_id, channel_id)) n
    WHERE (SELECT true FROM channel p WHERE p.org_id = n.org_id AND p.agent_id = n.agent_id AND p.id = n.channel_id FOR KEY SHARE) IS NULL
    UNION ALL
    SELECT FROM unnest((SELECT orgs), (SELECT people)) AS n (org_id, end_user_id) WHERE CASE
      WHEN (SELECT p.xmin = pg_current_xact_id()::xid FROM end_user p WHERE p.org_id = n.org_id AND p.id = n.end_user_id) THEN false
      ELSE (SELECT true FROM end_user p WHERE p.org_id = n.org_id AND p.id = n.end_user_id FOR KEY SHARE) IS NULL END
  ) THEN
    RAISE EXCEPTION 'insert on table "%" violates a foreign key: a row that it references does not exist', TG_TABLE_NAME
      USING ERRCODE = 'foreign_key_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
-- safe for 0.1.0: the function does the same as before
CREATE OR REPLACE FUNCTION run_has_parents() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  orgs text[];
  triggers text[];
  conversations text[];
BEGIN
  SELECT array_agg(org_id), array_agg(trigger_id), array_agg(conversation_id)
    INTO orgs, triggers, conversations FROM made;
  IF EXISTS (
    SELECT FROM (SELECT DISTINCT m.org_id, m.trigger_id FROM unnest((SELECT orgs), (SELECT triggers)) AS m (org_id, trigger_id)
      WHERE m.trigger_id IS NOT NULL) n
    WHERE (SELECT true FROM trigger p WHERE p.org_id = n.org_id AND p.id = n.trigger_id FOR KEY SHARE) IS NULL
    UNION ALL
    SELECT FROM unnest((SELECT orgs), (SELECT conversations)) AS n (org_id, conversation_id) WHERE CASE
      WHEN (SELECT p.xmin = pg_current_xact_id()::xid FROM conversation p WHERE p.org_id = n.org_id AND p.id = n.conversation_id) THEN false
      ELSE (SELECT true FROM conversation p WHERE p.org_id = n.org_id AND p.id = n.conversation_id FOR KEY SHARE) IS NULL END
  ) THEN
    RAISE EXCEPTION 'insert on table "%" violates a foreign key: a row that it references does not exist', TG_TABLE_NAME
      USING ERRCODE = 'foreign_key_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
-- safe for 0.1.0: the function does the same as before
CREATE OR REPLACE FUNCTION message_has_parents() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  orgs text[];
  conversations text[];
BEGIN
  SELECT array_agg(org_id), array_agg(conversation_id)
    INTO orgs, conversations FROM made;
  IF EXISTS (
    SELECT FROM unnest((SELECT orgs), (SELECT conversations)) AS n (org_id, conversation_id) WHERE CASE
      WHEN (SELECT p.xmin = pg_current_xact_id()::xid FROM conversation p WHERE p.org_id = n.org_id AND p.id = n.conversation_id) THEN false
      ELSE (SELECT true FROM conversation p WHERE p.org_id = n.org_id AND p.id = n.conversation_id FOR KEY SHARE) IS NULL END
  ) THEN
    RAISE EXCEPTION 'insert on table "%" violates a foreign key: a row that it references does not exist', TG_TABLE_NAME
      USING ERRCODE = 'foreign_key_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
-- safe for 0.1.0: the function does the same as before
CREATE OR REPLACE FUNCTION channel_kept_by_conversation() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  orgs text[];
  agents text[];
  ids text[];
BEGIN
  SELECT array_agg(org_id), array_agg(agent_id), array_agg(id) INTO orgs, agents, ids FROM gone;
  IF ids IS NULL THEN
    RETURN NULL;
  END IF;
  IF current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') THEN
    RAISE EXCEPTION 'rows of "%" are deleted only in READ COMMITTED transactions', TG_TABLE_NAME;
  END IF;
  IF EXISTS (
    SELECT FROM unnest((SELECT orgs), (SELECT agents), (SELECT ids)) AS g (org_id, agent_id, id)
    WHERE (SELECT true FROM conversation c WHERE c.org_id = g.org_id AND c.agent_id = g.agent_id AND c.channel_id = g.id LIMIT 1 FOR KEY SHARE)
      AND NOT EXISTS (SELECT FROM channel p WHERE p.org_id = g.org_id AND p.agent_id = g.agent_id AND p.id = g.id))
  THEN
    RAISE EXCEPTION 'delete on table "%" violates foreign key "%"', TG_TABLE_NAME, TG_NAME
      USING ERRCODE = 'foreign_key_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
-- safe for 0.1.0: the function does the same as before
CREATE OR REPLACE FUNCTION end_user_kept_by_conversation() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  orgs text[];
  ids text[];
BEGIN
  SELECT array_agg(org_id), array_agg(id) INTO orgs, ids FROM gone;
  IF ids IS NULL THEN
    RETURN NULL;
  END IF;
  IF current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') THEN
    RAISE EXCEPTION 'rows of "%" are deleted only in READ COMMITTED transactions', TG_TABLE_NAME;
  END IF;
  IF EXISTS (
    SELECT FROM unnest((SELECT orgs), (SELECT ids)) AS g (org_id, id)
    WHERE (SELECT true FROM conversation c WHERE c.org_id = g.org_id AND c.end_user_id = g.id LIMIT 1 FOR KEY SHARE)
      AND NOT EXISTS (SELECT FROM end_user p WHERE p.org_id = g.org_id AND p.id = g.id))
  THEN
    RAISE EXCEPTION 'delete on table "%" violates foreign key "%"', TG_TABLE_NAME, TG_NAME
      USING ERRCODE = 'foreign_key_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
-- safe for 0.1.0: the function does the same as before
CREATE OR REPLACE FUNCTION trigger_kept_by_run() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  orgs text[];
  ids text[];
BEGIN
  SELECT array_agg(org_id), array_agg(id) INTO orgs, ids FROM gone;
  IF ids IS NULL THEN
    RETURN NULL;
  END IF;
  IF current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') THEN
    RAISE EXCEPTION 'rows of "%" are deleted only in READ COMMITTED transactions', TG_TABLE_NAME;
  END IF;
  IF EXISTS (
    SELECT FROM unnest((SELECT orgs), (SELECT ids)) AS g (org_id, id)
    WHERE (SELECT true FROM run c WHERE c.org_id = g.org_id AND c.trigger_id = g.id LIMIT 1 FOR KEY SHARE)
      AND NOT EXISTS (SELECT FROM trigger p WHERE p.org_id = g.org_id AND p.id = g.id))
  THEN
    RAISE EXCEPTION 'delete on table "%" violates foreign key "%"', TG_TABLE_NAME, TG_NAME
      USING ERRCODE = 'foreign_key_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
-- safe for 0.1.0: the function does the same as before
CREATE OR REPLACE FUNCTION conversation_kept_by_run() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  orgs text[];
  ids text[];
BEGIN
  SELECT array_agg(org_id), array_agg(id) INTO orgs, ids FROM gone;
  IF ids IS NULL THEN
    RETURN NULL;
  END IF;
  IF current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') THEN
    RAISE EXCEPTION 'rows of "%" are deleted only in READ COMMITTED transactions', TG_TABLE_NAME;
  END IF;
  IF EXISTS (
    SELECT FROM unnest((SELECT orgs), (SELECT ids)) AS g (org_id, id)
    WHERE (SELECT true FROM run c WHERE c.org_id = g.org_id AND c.conversation_id = g.id LIMIT 1 FOR KEY SHARE)
      AND NOT EXISTS (SELECT FROM conversation p WHERE p.org_id = g.org_id AND p.id = g.id))
  THEN
    RAISE EXCEPTION 'delete on table "%" violates foreign key "%"', TG_TABLE_NAME, TG_NAME
      USING ERRCODE = 'foreign_key_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
-- safe for 0.1.0: the function does the same as before
CREATE OR REPLACE FUNCTION conversation_kept_by_message() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  orgs text[];
  ids text[];
BEGIN
  SELECT array_agg(org_id), array_agg(id) INTO orgs, ids FROM gone;
  IF ids IS NULL THEN
    RETURN NULL;
  END IF;
  IF current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') THEN
    RAISE EXCEPTION 'rows of "%" are deleted only in READ COMMITTED transactions', TG_TABLE_NAME;
  END IF;
  IF EXISTS (
    SELECT FROM unnest((SELECT orgs), (SELECT ids)) AS g (org_id, id)
    WHERE (SELECT true FROM message c WHERE c.org_id = g.org_id AND c.conversation_id = g.id LIMIT 1 FOR KEY SHARE)
      AND NOT EXISTS (SELECT FROM conversation p WHERE p.org_id = g.org_id AND p.id = g.id))
  THEN
    RAISE EXCEPTION 'delete on table "%" violates foreign key "%"', TG_TABLE_NAME, TG_NAME
      USING ERRCODE = 'foreign_key_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
-- safe for 0.1.0: the function does the same as before
CREATE OR REPLACE FUNCTION event_fans_out() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  orgs text[];
  ids text[];
  types text[];
  at timestamptz := now();
BEGIN
  IF coalesce(current_setting('parley.events', true), '') <> 'off' THEN
    SELECT array_agg(org_id), array_agg(id), array_agg(type) INTO orgs, ids, types FROM made WHERE type <> 'webhook.test';
    INSERT INTO event_delivery (org_id, event_id, endpoint_id, state, attempts, history, due_at, created_at, updated_at, early)
    SELECT w.org_id, n.id, w.id, 'pending', 0, '[]', at, at, at, 0
    FROM unnest((SELECT orgs), (SELECT ids), (SELECT types)) AS n (org_id, id, type)
    JOIN webhook_endpoint w ON w.org_id = n.org_id AND w.enabled AND endpoint_hears(w.types, n.type)
    FOR KEY SHARE OF w;
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
-- safe for 0.1.0: the function does the same as before
CREATE OR REPLACE FUNCTION tell_conversations_begun() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  wanted text[];
  begun conversation[];
BEGIN
  IF events_are_heard() THEN
    SELECT array_agg(org_id) INTO wanted FROM (SELECT DISTINCT org_id FROM made) o
    WHERE event_is_wanted(org_id, 'conversation.started');
    SELECT array_agg(ROW(n.*)::conversation) INTO begun FROM made n WHERE n.org_id = ANY (wanted);
    PERFORM tell_events(array_agg(c.org_id), array_agg('conversation.started'::text), array_agg(c.end_user_id),
      array_agg(event_of_conversation(c))) FROM unnest((SELECT begun)) AS c;
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
-- safe for 0.1.0: the function does the same as before
CREATE OR REPLACE FUNCTION tell_end_users_made() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  wanted text[];
BEGIN
  IF events_are_heard() THEN
    SELECT array_agg(org_id) INTO wanted FROM (SELECT DISTINCT org_id FROM made) o
    WHERE event_is_wanted(org_id, 'end_user.created');
    PERFORM tell_events(array_agg(n.org_id), array_agg('end_user.created'::text), array_agg(n.id),
      array_agg(event_of_end_user(ROW(n.*)::end_user)::json)) FROM made n WHERE n.org_id = ANY (wanted);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
-- safe for 0.1.0: the function does the same as before
CREATE OR REPLACE FUNCTION tell_event(org text, kind text, person text, facts json) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  id text := new_event_id();
  own_tx bigint := pg_current_xact_id()::text::bigint;
  at timestamptz := clock_timestamp();
BEGIN
  INSERT INTO event (org_id, id, type, end_user_id, data, tx, created_at) VALUES (org, id, kind, person, facts, own_tx, at);
END
$$;
--> statement-breakpoint
-- safe for 0.1.0: the function does the same as before
CREATE OR REPLACE FUNCTION tell_messages_made() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  orgs text[];
  kinds text[];
  made_messages message[];
BEGIN
  IF events_are_heard() THEN
    SELECT array_agg(o.org_id), array_agg(k.kind) INTO orgs, kinds FROM (SELECT DISTINCT org_id FROM made) o
    CROSS JOIN unnest(ARRAY['message.received', 'message.sent', 'message.delivered', 'message.read', 'message.failed']) AS k(kind)
    WHERE event_is_wanted(o.org_id, k.kind);
    IF orgs IS NULL THEN
      RETURN NULL;
    END IF;
    SELECT array_agg(ROW(n.*)::message) INTO made_messages FROM made n WHERE n.org_id = ANY (orgs);
    PERFORM tell_events(e.orgs, e.kinds, e.people, e.facts) FROM (
      SELECT array_agg(c.org_id) AS orgs, array_agg(t.kind) AS kinds, array_agg(c.end_user_id) AS people,
        array_agg(event_of_message(m, ROW(c.*)::conversation)) AS facts
      FROM unnest((SELECT made_messages)) AS m CROSS JOIN LATERAL unnest(events_of_message(m.role, NULL, m.status, true)) AS t(kind)
      JOIN unnest((SELECT orgs), (SELECT kinds)) AS w(org_id, kind) ON w.org_id = m.org_id AND w.kind = t.kind
      JOIN conversation c ON c.org_id = m.org_id AND c.id = m.conversation_id) e;
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
-- safe for 0.1.0: the function does the same as before
CREATE OR REPLACE FUNCTION tell_conversation_moved() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  facts json;
BEGIN
  IF events_are_heard() AND event_is_wanted(NEW.org_id, 'conversation.' || NEW.status) THEN
    facts := event_of_conversation(ROW(NEW.*)::conversation);
    IF NEW.status = 'handed_off' THEN
      facts := (left(facts::text, -1) || ', "result" : ' || event_of_result(
        (SELECT r.result FROM run r WHERE r.org_id = NEW.org_id AND r.id = NEW.run_id))::text || '}')::json;
    END IF;
    PERFORM tell_event(NEW.org_id, 'conversation.' || NEW.status, NEW.end_user_id, facts);
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
-- safe for 0.1.0: the function does the same as before
CREATE OR REPLACE FUNCTION tell_conversation_reopened() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF events_are_heard() AND event_is_wanted(NEW.org_id, 'conversation.reopened') THEN
    PERFORM tell_event(NEW.org_id, 'conversation.reopened', NEW.end_user_id,
      event_of_conversation(ROW(NEW.*)::conversation));
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
-- safe for 0.1.0: the function does the same as before
CREATE OR REPLACE FUNCTION tell_message_moved() RETURNS trigger LANGUAGE plpgsql AS $$
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
      PERFORM tell_event(NEW.org_id, kind, c.end_user_id, event_of_message(ROW(NEW.*)::message, c));
    END IF;
  END LOOP;
  RETURN NULL;
END
$$;
--> statement-breakpoint
-- safe for 0.1.0: the function does the same as before
CREATE OR REPLACE FUNCTION tell_end_user_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  facts jsonb;
  channel_kind text;
BEGIN
  IF NOT events_are_heard() THEN
    RETURN NULL;
  END IF;
  IF event_is_wanted(NEW.org_id, 'end_user.updated') THEN
    PERFORM tell_event(NEW.org_id, 'end_user.updated', NEW.id, event_of_end_user(ROW(NEW.*)::end_user)::json);
  END IF;
  IF NEW.consent <> OLD.consent AND event_is_wanted(NEW.org_id, 'end_user.opted_out') THEN
    facts := event_of_end_user(ROW(NEW.*)::end_user);
    FOR channel_kind IN SELECT k.key FROM jsonb_each(NEW.consent) k WHERE k.value ->> 'status' = 'opted_out'
      AND OLD.consent -> k.key ->> 'status' IS DISTINCT FROM 'opted_out'
    LOOP
      PERFORM tell_event(NEW.org_id, 'end_user.opted_out', NEW.id,
        (facts || jsonb_build_object('channel_kind', channel_kind))::json);
    END LOOP;
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
-- safe for 0.1.0: the function does the same as before
CREATE OR REPLACE FUNCTION tell_run_ended() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  c conversation;
BEGIN
  IF events_are_heard() AND event_is_wanted(NEW.org_id, 'run.' || NEW.status) THEN
    SELECT * INTO c FROM conversation WHERE org_id = NEW.org_id AND id = NEW.conversation_id;
    IF FOUND THEN
      PERFORM tell_event(NEW.org_id, 'run.' || NEW.status, c.end_user_id, event_of_run(ROW(NEW.*)::run, c));
    END IF;
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
-- safe for 0.1.0: the function does the same as before
CREATE OR REPLACE FUNCTION tell_run_result() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  c conversation;
BEGIN
  IF events_are_heard() AND event_is_wanted(NEW.org_id, 'run.result_updated') THEN
    SELECT * INTO c FROM conversation WHERE org_id = NEW.org_id AND id = NEW.conversation_id;
    IF FOUND THEN
      PERFORM tell_event(NEW.org_id, 'run.result_updated', c.end_user_id, event_of_run(ROW(NEW.*)::run, c));
    END IF;
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
-- safe for 0.1.0: the function does the same as before
CREATE OR REPLACE FUNCTION tell_approval_requested() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  person text;
BEGIN
  IF events_are_heard() AND event_is_wanted(NEW.org_id, 'approval.requested') THEN
    SELECT end_user_id INTO person FROM conversation WHERE org_id = NEW.org_id AND id = NEW.conversation_id;
    IF FOUND THEN
      PERFORM tell_event(NEW.org_id, 'approval.requested', person, event_of_approval(ROW(NEW.*)::approval));
    END IF;
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
-- safe for 0.1.0: the function does the same as before
CREATE OR REPLACE FUNCTION recipient_moves(org text, run text, next text, why text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  at timestamptz := clock_timestamp();
BEGIN
  UPDATE recipient r SET status = next, reason = why, updated_at = at
  WHERE r.org_id = org AND r.run_id = run AND recipient_rank(r.status) < recipient_rank(next);
END
$$;
--> statement-breakpoint
-- safe for 0.1.0: the function does the same as before
CREATE OR REPLACE FUNCTION approvals_follow_run() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  next text;
  why text;
  at timestamptz := clock_timestamp();
  due timestamptz;
  not_called jsonb;
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
    IF EXISTS (SELECT 1 FROM approval WHERE run_id = next AND org_id = NEW.org_id AND answered_at IS NULL
      AND status <> 'pending') THEN
      due := now();
    END IF;
    UPDATE run SET status = 'waiting_for_approval', due_at = due
      WHERE org_id = NEW.org_id AND id = next AND status = 'waiting_for_user';
    RETURN NULL;
  END IF;
  why := CASE WHEN NEW.status IN ('completed', 'skipped', 'cancelled') THEN coalesce(NEW.reason, NEW.status)
    ELSE NEW.status END;
  not_called := jsonb_build_object('result', '', 'steps', '[]'::jsonb,
    'error', 'Not called: the run had ended (' || why || ').');
  UPDATE approval SET status = CASE WHEN status = 'pending' THEN 'denied' ELSE status END,
    reason = CASE WHEN status = 'pending' THEN why ELSE reason END,
    decided_by = CASE WHEN status = 'pending' THEN 'system' ELSE decided_by END,
    decided_at = coalesce(decided_at, at), answered_at = at,
    outcome = CASE WHEN status = 'approved' THEN coalesce(outcome, not_called) END
  WHERE run_id = NEW.id AND org_id = NEW.org_id AND answered_at IS NULL;
  RETURN NULL;
END
$$;
--> statement-breakpoint
-- safe for 0.1.0: the function does the same as before
CREATE OR REPLACE FUNCTION record_hand_off() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz := coalesce(NEW.handed_off_at, now());
  why text := coalesce(NEW.hand_off_reason, 'member');
  due timestamptz;
BEGIN
  IF NEW.assignee_id IS NULL AND EXISTS (SELECT FROM hand_off_rule WHERE org_id = NEW.org_id) THEN
    due := now();
  END IF;
  INSERT INTO hand_off (org_id, conversation_id, at, reason, due_at) VALUES (NEW.org_id, NEW.id, moment, why, due)
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;
--> statement-breakpoint
-- safe for 0.1.0: the function does the same as before
CREATE OR REPLACE FUNCTION leave_blob() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  due timestamptz := now() + CASE WHEN OLD.place = 'store' THEN interval '0' ELSE interval '10 minutes' END;
BEGIN
  INSERT INTO blob_deletion (org_id, hash, due_at) VALUES (OLD.org_id, OLD.hash, due)
  ON CONFLICT (org_id, hash) DO UPDATE SET due_at = greatest(blob_deletion.due_at, excluded.due_at);
  RETURN NULL;
END
$$;
--> statement-breakpoint
-- safe for 0.1.0: the definitions of that release have no survey
CREATE OR REPLACE FUNCTION record_survey() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  chosen integer := (SELECT r.agent_version FROM run r WHERE r.org_id = NEW.org_id AND r.id = NEW.run_id);
  definition jsonb;
  at timestamptz := now();
BEGIN
  SELECT coalesce((SELECT v.definition FROM agent_version v WHERE v.org_id = a.org_id AND v.agent_id = a.id
    AND v.version = chosen), a.published) INTO definition
  FROM agent a WHERE a.org_id = NEW.org_id AND a.id = NEW.agent_id AND a.deleted_at IS NULL;
  IF definition ? 'survey' THEN
    INSERT INTO rating (org_id, conversation_id, subject, kind, run_id, agent_id, agent_version, channel_id, due_at)
    VALUES (NEW.org_id, NEW.id, 'survey', 'survey', NEW.run_id, NEW.agent_id, chosen, NEW.channel_id, at)
    ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
-- safe for 0.1.0: that release does not change this table
CREATE OR REPLACE FUNCTION tell_conversation_rated() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  c conversation;
BEGIN
  IF events_are_heard() AND event_is_wanted(NEW.org_id, 'conversation.rated') THEN
    SELECT * INTO c FROM conversation WHERE org_id = NEW.org_id AND id = NEW.conversation_id;
    IF FOUND THEN
      PERFORM tell_event(NEW.org_id, 'conversation.rated', c.end_user_id, (left(event_of_conversation(c)::text, -1)
        || ', "rating" : ' || event_of_rating(ROW(NEW.*)::rating)::text || '}')::json);
    END IF;
  END IF;
  RETURN NULL;
END
$$;
