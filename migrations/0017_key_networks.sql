ALTER TABLE "api_key" ADD COLUMN "allowed_networks" "cidr"[];--> statement-breakpoint
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_allowed_networks" CHECK (cardinality(allowed_networks) BETWEEN 1 AND 50 AND array_position(allowed_networks, NULL) IS NULL);--> statement-breakpoint
-- A key's scope and rights never change, its networks are only narrowed, and nothing leaves "revoked".
CREATE OR REPLACE FUNCTION api_key_rules() RETURNS trigger LANGUAGE plpgsql AS $$
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
  -- NULL is everywhere: any list is narrower, and nothing goes back to it.
  IF OLD.allowed_networks IS NOT NULL AND NEW.allowed_networks IS DISTINCT FROM OLD.allowed_networks
     AND (NEW.allowed_networks IS NULL OR EXISTS (
       SELECT 1 FROM unnest(NEW.allowed_networks) AS wanted (network)
       WHERE NOT wanted.network <<= ANY (OLD.allowed_networks))) THEN
    RAISE EXCEPTION 'allowed networks of an api key are narrowed, never widened';
  END IF;
  -- Last used never moves backwards, whichever node writes last.
  IF OLD.last_used_at IS NOT NULL AND (NEW.last_used_at IS NULL OR NEW.last_used_at < OLD.last_used_at) THEN
    NEW.last_used_at := OLD.last_used_at;
  END IF;
  RETURN NEW;
END $$;
