CREATE TABLE "rating" (
	"org_id" text NOT NULL,
	"conversation_id" text NOT NULL,
	"subject" text NOT NULL,
	"kind" text NOT NULL,
	"message_id" text,
	"run_id" text,
	"agent_id" text NOT NULL,
	"agent_version" integer,
	"channel_id" text NOT NULL,
	"score" smallint,
	"comment" text,
	"rated_at" timestamp (3) with time zone,
	"due_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "rating_org_id_conversation_id_subject_pk" PRIMARY KEY("org_id","conversation_id","subject"),
	CONSTRAINT "rating_kind" CHECK (kind IN ('survey', 'answer') AND (kind = 'survey') = (subject = 'survey')),
	CONSTRAINT "rating_score" CHECK (CASE kind WHEN 'survey' THEN score BETWEEN 1 AND 5 ELSE score IN (-1, 1) END)
);
--> statement-breakpoint
ALTER TABLE "rating" ADD CONSTRAINT "rating_org_id_conversation_id_conversation_org_id_id_fk" FOREIGN KEY ("org_id","conversation_id") REFERENCES "public"."conversation"("org_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "rating_scored" ON "rating" USING btree ("org_id","rated_at") WHERE score IS NOT NULL;--> statement-breakpoint
CREATE INDEX "rating_due" ON "rating" USING btree ("due_at") WHERE due_at IS NOT NULL;--> statement-breakpoint
-- A resolved conversation gets its survey once, if the version of the agent that answered asks for ratings. The statement
-- that resolves has also changed the run: a trigger after it reads the run as it is now.
-- safe for 0.1.0: the definitions of that release have no survey
CREATE FUNCTION record_survey() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO rating (org_id, conversation_id, subject, kind, run_id, agent_id, agent_version, channel_id, due_at)
  SELECT NEW.org_id, NEW.id, 'survey', 'survey', NEW.run_id, NEW.agent_id,
    (SELECT r.agent_version FROM run r WHERE r.org_id = NEW.org_id AND r.id = NEW.run_id), NEW.channel_id, now()
  FROM agent a WHERE a.org_id = NEW.org_id AND a.id = NEW.agent_id AND a.deleted_at IS NULL
    AND coalesce((SELECT v.definition FROM run r JOIN agent_version v ON v.org_id = r.org_id AND v.agent_id = NEW.agent_id
        AND v.version = r.agent_version WHERE r.org_id = NEW.org_id AND r.id = NEW.run_id), a.published) ? 'survey'
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- safe for 0.1.0: no definition of that release has a survey, so the function changes nothing
CREATE TRIGGER record_survey AFTER UPDATE OF status ON conversation FOR EACH ROW
  WHEN (NEW.status = 'resolved' AND OLD.status <> 'resolved') EXECUTE FUNCTION record_survey();
--> statement-breakpoint
-- safe for 0.1.0: that release does not call this function
-- A rating in the format of the API.
CREATE FUNCTION event_of_rating(r rating) RETURNS json LANGUAGE sql STABLE AS $$
  SELECT json_build_object('kind', r.kind, 'score', r.score, 'comment', r.comment, 'message_id', r.message_id,
    'run_id', r.run_id, 'agent_version', r.agent_version, 'rated_at', event_time(r.rated_at)) $$;
--> statement-breakpoint
-- safe for 0.1.0: that release does not change this table
CREATE FUNCTION tell_conversation_rated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF events_are_heard() AND event_is_wanted(NEW.org_id, 'conversation.rated') THEN
    PERFORM tell_event(c.org_id, 'conversation.rated', c.end_user_id, (left(event_of_conversation(c)::text, -1)
      || ', "rating" : ' || event_of_rating(NEW)::text || '}')::json)
    FROM conversation c WHERE c.org_id = NEW.org_id AND c.id = NEW.conversation_id;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- safe for 0.1.0: that release does not change this table
CREATE TRIGGER tell_conversation_rated AFTER INSERT OR UPDATE OF score, comment ON rating FOR EACH ROW
  WHEN (NEW.score IS NOT NULL) EXECUTE FUNCTION tell_conversation_rated();
