ALTER TABLE "api_key" ADD COLUMN "leak" jsonb;--> statement-breakpoint
CREATE OR REPLACE FUNCTION tell_api_key() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  kind text := CASE TG_OP WHEN 'INSERT' THEN 'api_key.created' ELSE 'api_key.revoked' END;
BEGIN
  IF events_are_heard() AND event_is_wanted(NEW.org_id, kind) THEN
    PERFORM tell_event(NEW.org_id, kind, NULL, json_build_object('id', NEW.id, 'label', NEW.label, 'prefix', NEW.prefix,
      'scope', NEW.scope, 'agent_id', NEW.agent_id, 'campaign_id', NEW.campaign_id, 'permissions', NEW.permissions,
      'created_at', event_time(NEW.created_at), 'revoked_at', event_time(NEW.revoked_at), 'leak', NEW.leak));
  END IF;
  RETURN NULL;
END $$;
