-- A recipient follows the first message of its run. Once that one has arrived, or was answered, a later message that is
-- not sent says nothing about it any more.
CREATE OR REPLACE FUNCTION recipient_follows_message() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.status IN ('failed', 'undelivered', 'suppressed') AND EXISTS (
    SELECT 1 FROM recipient r WHERE r.org_id = NEW.org_id AND r.run_id = NEW.run_id AND r.status IN ('delivered', 'read', 'replied')
  ) THEN
    RETURN NULL;
  END IF;
  PERFORM recipient_moves(NEW.org_id, NEW.run_id, CASE NEW.status WHEN 'undelivered' THEN 'failed' ELSE NEW.status END,
    CASE WHEN NEW.status IN ('failed', 'undelivered') THEN coalesce(NEW.error ->> 'code', NEW.status)
      WHEN NEW.status = 'suppressed' THEN coalesce(NEW.error ->> 'code', 'opted_out') END);
  RETURN NULL;
END $$;
