CREATE TABLE "hand_off" (
	"org_id" text NOT NULL,
	"conversation_id" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"reason" text NOT NULL,
	CONSTRAINT "hand_off_org_id_at_conversation_id_pk" PRIMARY KEY("org_id","at","conversation_id")
);
--> statement-breakpoint
CREATE TABLE "numbers_day" (
	"org_id" text NOT NULL,
	"day" date NOT NULL,
	"counts" jsonb NOT NULL,
	"counted_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "numbers_day_org_id_day_pk" PRIMARY KEY("org_id","day")
);
--> statement-breakpoint
ALTER TABLE "conversation" ADD COLUMN "hand_off_reason" text;--> statement-breakpoint
ALTER TABLE "hand_off" ADD CONSTRAINT "hand_off_org_id_conversation_id_conversation_org_id_id_fk" FOREIGN KEY ("org_id","conversation_id") REFERENCES "public"."conversation"("org_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "hand_off_conversation" ON "hand_off" USING btree ("conversation_id");--> statement-breakpoint
-- Those that people answer now; why was not recorded.
INSERT INTO hand_off (org_id, conversation_id, at, reason)
SELECT org_id, id, handed_off_at, 'member' FROM conversation WHERE status = 'handed_off' AND handed_off_at IS NOT NULL;
--> statement-breakpoint
-- On every way to people, in the transaction of the change itself.
CREATE FUNCTION record_hand_off() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO hand_off (org_id, conversation_id, at, reason)
  VALUES (NEW.org_id, NEW.id, coalesce(NEW.handed_off_at, now()), coalesce(NEW.hand_off_reason, 'member'))
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER record_hand_off AFTER UPDATE OF status ON conversation FOR EACH ROW
  WHEN (NEW.status = 'handed_off' AND OLD.status <> 'handed_off') EXECUTE FUNCTION record_hand_off();
