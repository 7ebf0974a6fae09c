ALTER TABLE "conversation" DROP CONSTRAINT "conversation_channel_of_agent";
--> statement-breakpoint
ALTER TABLE "conversation" DROP CONSTRAINT "conversation_org_id_end_user_id_end_user_org_id_id_fk";
--> statement-breakpoint
ALTER TABLE "message" DROP CONSTRAINT "message_org_id_conversation_id_conversation_org_id_id_fk";
--> statement-breakpoint
ALTER TABLE "run" DROP CONSTRAINT "run_org_id_trigger_id_trigger_org_id_id_fk";
--> statement-breakpoint
ALTER TABLE "run" DROP CONSTRAINT "run_org_id_conversation_id_conversation_org_id_id_fk";
--> statement-breakpoint
-- The five references above, checked once per statement (docs/adr/0004). Foreign keys look up and lock the parent of each
-- row; here most parents are new in the same transaction, and the others are the same for many rows. What a foreign key
-- ensures stays, for every program that writes:
--   <child>_has_parents        after INSERT: each parent exists, and stays until this transaction ends;
--   <parent>_kept_by_<child>   after DELETE and TRUNCATE: no child is left;
--   …_fixed                    the columns of both sides never change.
--
-- After INSERT: a parent that this transaction has written cannot be deleted by another one before its end. Every other
-- parent is locked as a foreign key locks it, and a deletion that is under way is waited for. The look-ups are
-- subqueries, so the cached plan finds each parent by its key, however small the table was when it was planned. The
-- arguments of the triggers say what is checked: src/store/checked-references.ts reads them.

-- One look-up for two references: the channel belongs to the agent, and the agent exists because the channel references it.
CREATE FUNCTION conversation_has_parents() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT FROM (SELECT DISTINCT org_id, agent_id, channel_id FROM made) n
    WHERE (SELECT true FROM channel p WHERE p.org_id = n.org_id AND p.agent_id = n.agent_id AND p.id = n.channel_id FOR KEY SHARE) IS NULL
    UNION ALL
    SELECT FROM made n WHERE CASE
      WHEN (SELECT p.xmin = pg_current_xact_id()::xid FROM end_user p WHERE p.org_id = n.org_id AND p.id = n.end_user_id) THEN false
      ELSE (SELECT true FROM end_user p WHERE p.org_id = n.org_id AND p.id = n.end_user_id FOR KEY SHARE) IS NULL END
  ) THEN
    RAISE EXCEPTION 'insert on table "%" violates a foreign key: a row that it references does not exist', TG_TABLE_NAME
      USING ERRCODE = 'foreign_key_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER conversation_has_parents AFTER INSERT ON conversation REFERENCING NEW TABLE AS made
  FOR EACH STATEMENT EXECUTE FUNCTION conversation_has_parents(
    'channel', 'org_id, agent_id, channel_id', 'org_id, agent_id, id', 'end_user', 'org_id, end_user_id', 'org_id, id');
--> statement-breakpoint
CREATE FUNCTION run_has_parents() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT FROM (SELECT DISTINCT org_id, trigger_id FROM made WHERE trigger_id IS NOT NULL) n
    WHERE (SELECT true FROM trigger p WHERE p.org_id = n.org_id AND p.id = n.trigger_id FOR KEY SHARE) IS NULL
    UNION ALL
    SELECT FROM made n WHERE CASE
      WHEN (SELECT p.xmin = pg_current_xact_id()::xid FROM conversation p WHERE p.org_id = n.org_id AND p.id = n.conversation_id) THEN false
      ELSE (SELECT true FROM conversation p WHERE p.org_id = n.org_id AND p.id = n.conversation_id FOR KEY SHARE) IS NULL END
  ) THEN
    RAISE EXCEPTION 'insert on table "%" violates a foreign key: a row that it references does not exist', TG_TABLE_NAME
      USING ERRCODE = 'foreign_key_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER run_has_parents AFTER INSERT ON run REFERENCING NEW TABLE AS made
  FOR EACH STATEMENT EXECUTE FUNCTION run_has_parents(
    'trigger', 'org_id, trigger_id', 'org_id, id', 'conversation', 'org_id, conversation_id', 'org_id, id');
--> statement-breakpoint
CREATE FUNCTION message_has_parents() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT FROM made n WHERE CASE
      WHEN (SELECT p.xmin = pg_current_xact_id()::xid FROM conversation p WHERE p.org_id = n.org_id AND p.id = n.conversation_id) THEN false
      ELSE (SELECT true FROM conversation p WHERE p.org_id = n.org_id AND p.id = n.conversation_id FOR KEY SHARE) IS NULL END
  ) THEN
    RAISE EXCEPTION 'insert on table "%" violates a foreign key: a row that it references does not exist', TG_TABLE_NAME
      USING ERRCODE = 'foreign_key_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER message_has_parents AFTER INSERT ON message REFERENCING NEW TABLE AS made
  FOR EACH STATEMENT EXECUTE FUNCTION message_has_parents('conversation', 'org_id, conversation_id', 'org_id, id');
--> statement-breakpoint
-- The columns that a reference consists of never change: UPDATE needs no check.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'update on table "%" violates foreign key "%": its columns are fixed', TG_TABLE_NAME, TG_NAME
    USING ERRCODE = 'foreign_key_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
END $$;
--> statement-breakpoint
CREATE FUNCTION keep_parents(parent text, parent_columns text[], child text, child_columns text[]) RETURNS void
LANGUAGE plpgsql AS $keep$
DECLARE
  kept text := parent || '_kept_by_' || child;
  fixed text := child || '_of_' || parent || '_fixed';
  is_child text := (SELECT string_agg(format('c.%I = g.%I', cc, pc), ' AND ') FROM unnest(parent_columns, child_columns) t(pc, cc));
  is_back text := (SELECT string_agg(format('p.%1$I = g.%1$I', pc), ' AND ') FROM unnest(parent_columns) pc);
  changes_child text := (SELECT string_agg(format('NEW.%1$I IS DISTINCT FROM OLD.%1$I', c), ' OR ') FROM unnest(child_columns) c);
  changes_parent text := (SELECT string_agg(format('NEW.%1$I IS DISTINCT FROM OLD.%1$I', c), ' OR ') FROM unnest(parent_columns) c);
BEGIN
  -- A statement sees what was committed before it began only if the transaction is READ COMMITTED: in another one a child
  -- that was added since would be overlooked.
  EXECUTE format($f$CREATE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  IF NOT EXISTS (SELECT FROM gone) THEN
    RETURN NULL;
  END IF;
  IF current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') THEN
    RAISE EXCEPTION 'rows of "%%" are deleted only in READ COMMITTED transactions', TG_TABLE_NAME;
  END IF;
  IF EXISTS (
    SELECT FROM gone g WHERE (SELECT true FROM %I c WHERE %s LIMIT 1 FOR KEY SHARE)
      AND NOT EXISTS (SELECT FROM %I p WHERE %s))
  THEN
    RAISE EXCEPTION 'delete on table "%%" violates foreign key "%%"', TG_TABLE_NAME, TG_NAME
      USING ERRCODE = 'foreign_key_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
  END IF;
  RETURN NULL;
END $body$ $f$, kept, child, is_child, parent, is_back);
  EXECUTE format('CREATE TRIGGER %1$I AFTER DELETE ON %2$I REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION %1$I()', kept, parent);
  EXECUTE format($f$CREATE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  IF EXISTS (SELECT FROM %I) THEN
    RAISE EXCEPTION 'truncate of table "%%" violates foreign key "%%"', TG_TABLE_NAME, TG_NAME
      USING ERRCODE = 'foreign_key_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
  END IF;
  RETURN NULL;
END $body$ $f$, kept || '_emptied', child);
  EXECUTE format('CREATE TRIGGER %1$I AFTER TRUNCATE ON %2$I FOR EACH STATEMENT EXECUTE FUNCTION %1$I()',
    kept || '_emptied', parent);
  EXECUTE format('CREATE TRIGGER %I BEFORE UPDATE OF %s ON %I FOR EACH ROW WHEN (%s) EXECUTE FUNCTION refuse_change()',
    fixed, array_to_string(child_columns, ', '), child, changes_child);
  EXECUTE format('CREATE TRIGGER %I BEFORE UPDATE OF %s ON %I FOR EACH ROW WHEN (%s) EXECUTE FUNCTION refuse_change()',
    kept || '_fixed', array_to_string(parent_columns, ', '), parent, changes_parent);
END $keep$;
--> statement-breakpoint
SELECT keep_parents('channel', '{org_id,agent_id,id}', 'conversation', '{org_id,agent_id,channel_id}');
--> statement-breakpoint
SELECT keep_parents('end_user', '{org_id,id}', 'conversation', '{org_id,end_user_id}');
--> statement-breakpoint
SELECT keep_parents('trigger', '{org_id,id}', 'run', '{org_id,trigger_id}');
--> statement-breakpoint
SELECT keep_parents('conversation', '{org_id,id}', 'run', '{org_id,conversation_id}');
--> statement-breakpoint
SELECT keep_parents('conversation', '{org_id,id}', 'message', '{org_id,conversation_id}');
--> statement-breakpoint
DROP FUNCTION keep_parents(text, text[], text, text[]);
