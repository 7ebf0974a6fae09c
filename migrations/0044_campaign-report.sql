ALTER TABLE "recipient" ADD COLUMN "sent_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "recipient" ADD COLUMN "delivered_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "recipient" ADD COLUMN "read_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "recipient" ADD COLUMN "replied_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "recipient" ADD COLUMN "left_at" timestamp (3) with time zone;--> statement-breakpoint
-- The report of a campaign counts by the moment at which a recipient came so far. A reply tells that the message arrived.
CREATE FUNCTION recipient_came_so_far() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.status IN ('sent', 'delivered', 'read', 'replied', 'completed') THEN
    NEW.sent_at := coalesce(NEW.sent_at, clock_timestamp());
  END IF;
  IF NEW.status IN ('delivered', 'read', 'replied') THEN
    NEW.delivered_at := coalesce(NEW.delivered_at, clock_timestamp());
  END IF;
  IF NEW.status = 'read' THEN
    NEW.read_at := coalesce(NEW.read_at, clock_timestamp());
  ELSIF NEW.status = 'replied' THEN
    NEW.replied_at := coalesce(NEW.replied_at, clock_timestamp());
  ELSIF NEW.status = 'completed' AND NEW.reason = 'opted_out' THEN
    NEW.left_at := coalesce(NEW.left_at, clock_timestamp());
  END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER recipient_came_so_far BEFORE UPDATE OF status ON recipient FOR EACH ROW
  WHEN (NEW.status IS DISTINCT FROM OLD.status) EXECUTE FUNCTION recipient_came_so_far();
--> statement-breakpoint
-- Of those until now only the latest move is known.
UPDATE recipient SET sent_at = updated_at,
  delivered_at = CASE WHEN status IN ('delivered', 'read', 'replied') THEN updated_at END,
  read_at = CASE WHEN status = 'read' THEN updated_at END,
  replied_at = CASE WHEN status = 'replied' THEN updated_at END,
  left_at = CASE WHEN status = 'completed' AND reason = 'opted_out' THEN updated_at END
WHERE status IN ('sent', 'delivered', 'read', 'replied', 'completed');
