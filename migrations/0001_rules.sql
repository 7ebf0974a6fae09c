-- Rules that hold whatever program writes: see docs/security.md.

-- A key's scope and rights never change, and nothing leaves "revoked".
CREATE FUNCTION api_key_rules() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    RAISE EXCEPTION 'api keys are revoked, never deleted';
  END IF;
  IF OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS DISTINCT FROM OLD.revoked_at THEN
    RAISE EXCEPTION 'a revoked api key stays revoked';
  END IF;
  IF (NEW.org_id, NEW.id, NEW.prefix, NEW.scope, NEW.agent_id, NEW.campaign_id, NEW.permissions, NEW.created_at)
     IS DISTINCT FROM
     (OLD.org_id, OLD.id, OLD.prefix, OLD.scope, OLD.agent_id, OLD.campaign_id, OLD.permissions, OLD.created_at) THEN
    RAISE EXCEPTION 'scope and rights of an api key are fixed for life';
  END IF;
  -- Last used never moves backwards, whichever node writes last.
  IF OLD.last_used_at IS NOT NULL AND (NEW.last_used_at IS NULL OR NEW.last_used_at < OLD.last_used_at) THEN
    NEW.last_used_at := OLD.last_used_at;
  END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER api_key_rules BEFORE UPDATE OR DELETE ON api_key FOR EACH ROW EXECUTE FUNCTION api_key_rules();
--> statement-breakpoint
-- The audit log only grows.
CREATE FUNCTION audit_rules() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit log is append-only';
END $$;
--> statement-breakpoint
CREATE TRIGGER audit_rules BEFORE UPDATE OR DELETE ON audit FOR EACH ROW EXECUTE FUNCTION audit_rules();
--> statement-breakpoint
-- Raised inside an accepting statement to undo all of it; the caller tries again with fresh facts.
CREATE FUNCTION parley_lost_race() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'lost a race' USING ERRCODE = 'PY001';
END $$;
--> statement-breakpoint
INSERT INTO authz_clock (id, seq) VALUES (1, 0) ON CONFLICT DO NOTHING;
--> statement-breakpoint
-- Rows of the queue change three times in a short life: leave room on the page and clean up early.
ALTER TABLE run SET (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
--> statement-breakpoint
ALTER TABLE conversation SET (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.05);
