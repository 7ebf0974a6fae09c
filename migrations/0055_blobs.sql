CREATE TABLE "blob_deletion" (
	"org_id" text NOT NULL,
	"hash" text NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "blob_deletion_org_id_hash_pk" PRIMARY KEY("org_id","hash")
);
--> statement-breakpoint
ALTER TABLE "attachment" ADD COLUMN "place" text;--> statement-breakpoint
ALTER TABLE "attachment" ADD COLUMN "placed_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "blob_deletion_due" ON "blob_deletion" USING btree ("due_at");--> statement-breakpoint
CREATE INDEX "attachment_here" ON "attachment" USING btree ("created_at") WHERE place IS DISTINCT FROM 'store' AND due_at IS NULL AND message_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX "attachment_stored" ON "attachment" USING btree ("hash") WHERE place IS NOT NULL;--> statement-breakpoint
-- Written by hand: whatever deletes a row (a cascade, an erase, a retention period), its object is looked at. One whose
-- upload may be under way is looked at when that is surely over.
CREATE FUNCTION leave_blob() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO blob_deletion (org_id, hash, due_at)
  VALUES (OLD.org_id, OLD.hash, now() + CASE WHEN OLD.place = 'store' THEN interval '0' ELSE interval '10 minutes' END)
  ON CONFLICT (org_id, hash) DO UPDATE SET due_at = greatest(blob_deletion.due_at, excluded.due_at);
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER leave_blob AFTER DELETE ON attachment FOR EACH ROW WHEN (OLD.place IS NOT NULL) EXECUTE FUNCTION leave_blob();
