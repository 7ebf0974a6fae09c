CREATE TABLE "organization_move" (
	"organization_id" text PRIMARY KEY NOT NULL,
	"to_cell" text NOT NULL,
	"until" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
-- Rows of an organization that is in another cell are copies that a move leaves (docs/adr/0503). Only they are deleted.
-- safe for 0.1.0: for organizations in this schema, the function does the same as before
CREATE OR REPLACE FUNCTION api_key_rules() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF EXISTS (SELECT FROM organization o WHERE o.id = OLD.org_id AND o.cell <> TG_TABLE_SCHEMA) THEN
      RETURN OLD;
    END IF;
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
--> statement-breakpoint
-- safe for 0.1.0: for organizations in this schema, the function does the same as before
CREATE OR REPLACE FUNCTION audit_rules() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND EXISTS (
    SELECT FROM organization o WHERE o.id = OLD.org_id AND o.cell <> TG_TABLE_SCHEMA) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'the audit log is append-only';
END $$;
--> statement-breakpoint
-- The object in the store belongs to the row in the other cell.
-- safe for 0.1.0: for organizations in this schema, the function does the same as before
CREATE OR REPLACE FUNCTION leave_blob() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  due timestamptz := now() + CASE WHEN OLD.place = 'store' THEN interval '0' ELSE interval '10 minutes' END;
BEGIN
  IF NOT EXISTS (SELECT FROM organization o WHERE o.id = OLD.org_id AND o.cell <> TG_TABLE_SCHEMA) THEN
    INSERT INTO blob_deletion (org_id, hash, due_at) VALUES (OLD.org_id, OLD.hash, due)
    ON CONFLICT (org_id, hash) DO UPDATE SET due_at = greatest(blob_deletion.due_at, excluded.due_at);
  END IF;
  RETURN NULL;
END
$$;
