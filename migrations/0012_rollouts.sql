CREATE TABLE "agent_rollout" (
	"org_id" text NOT NULL,
	"id" text NOT NULL,
	"agent_id" text NOT NULL,
	"version" integer NOT NULL,
	"base_version" integer NOT NULL,
	"percent" integer NOT NULL,
	"stop_when" jsonb,
	"status" text DEFAULT 'active' NOT NULL,
	"reason" text,
	"comparison" jsonb,
	"check_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"created_by" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "agent_rollout_org_id_id_pk" PRIMARY KEY("org_id","id")
);
--> statement-breakpoint
ALTER TABLE "run" ADD COLUMN "rollout_id" text;--> statement-breakpoint
ALTER TABLE "trigger" ADD COLUMN "agent_version" integer;--> statement-breakpoint
ALTER TABLE "agent_rollout" ADD CONSTRAINT "agent_rollout_org_id_agent_id_agent_org_id_id_fk" FOREIGN KEY ("org_id","agent_id") REFERENCES "public"."agent"("org_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "agent_rollout_active" ON "agent_rollout" USING btree ("org_id","agent_id") WHERE status = 'active';--> statement-breakpoint
CREATE INDEX "agent_rollout_of" ON "agent_rollout" USING btree ("agent_id","id");--> statement-breakpoint
CREATE INDEX "agent_rollout_due" ON "agent_rollout" USING btree ("check_at") WHERE status = 'active' AND stop_when IS NOT NULL;--> statement-breakpoint
CREATE INDEX "run_rollout" ON "run" USING btree ("rollout_id","id") WHERE rollout_id IS NOT NULL;
--> statement-breakpoint
-- safe for 0.1.0: that release does not change this table
CREATE FUNCTION tell_rollout_stopped() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF events_are_heard() AND event_is_wanted(NEW.org_id, 'agent.rollout_stopped') THEN
    PERFORM tell_event(NEW.org_id, 'agent.rollout_stopped', NULL, json_build_object('id', NEW.id,
      'agent_id', NEW.agent_id, 'version', NEW.version, 'base_version', NEW.base_version, 'percent', NEW.percent,
      'reason', NEW.reason, 'comparison', NEW.comparison, 'created_at', event_time(NEW.created_at),
      'ended_at', event_time(NEW.ended_at)));
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- safe for 0.1.0: that release does not change this table
CREATE TRIGGER tell_rollout_stopped AFTER UPDATE OF status ON agent_rollout FOR EACH ROW
  WHEN (OLD.status = 'active' AND NEW.status = 'stopped') EXECUTE FUNCTION tell_rollout_stopped();
