CREATE TABLE "hand_off_rule" (
	"org_id" text PRIMARY KEY NOT NULL,
	"goes_to" text NOT NULL,
	"user_id" text,
	"hours" jsonb,
	"outside" jsonb
);
--> statement-breakpoint
CREATE TABLE "member_attendance" (
	"org_id" text NOT NULL,
	"user_id" text NOT NULL,
	"seen_at" timestamp (3) with time zone NOT NULL,
	"given_at" timestamp (3) with time zone,
	CONSTRAINT "member_attendance_org_id_user_id_pk" PRIMARY KEY("org_id","user_id")
);
--> statement-breakpoint
ALTER TABLE "hand_off" ADD COLUMN "due_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "hand_off_rule" ADD CONSTRAINT "hand_off_rule_org_id_organization_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organization"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "member_attendance" ADD CONSTRAINT "member_attendance_org_id_user_id_member_organization_id_user_id_fk" FOREIGN KEY ("org_id","user_id") REFERENCES "public"."member"("organization_id","user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "hand_off_due" ON "hand_off" USING btree ("due_at") WHERE due_at IS NOT NULL;
--> statement-breakpoint
-- A hand-off that no member has waits for the worker that applies the rules of its organization.
CREATE OR REPLACE FUNCTION record_hand_off() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO hand_off (org_id, conversation_id, at, reason, due_at)
  VALUES (NEW.org_id, NEW.id, coalesce(NEW.handed_off_at, now()), coalesce(NEW.hand_off_reason, 'member'),
    CASE WHEN NEW.assignee_id IS NULL AND EXISTS (SELECT FROM hand_off_rule WHERE org_id = NEW.org_id) THEN now() END)
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
