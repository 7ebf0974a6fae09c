CREATE TABLE "access_token" (
	"org_id" text NOT NULL,
	"id" text NOT NULL,
	"label" text NOT NULL,
	"prefix" text NOT NULL,
	"kind" text NOT NULL,
	"user_id" text NOT NULL,
	"role" text,
	"verbs" text[] NOT NULL,
	"agent_ids" text[],
	"by_provider" boolean NOT NULL,
	"sign_in_factor" boolean NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	"revoked_by" text,
	"last_used_at" timestamp (3) with time zone,
	CONSTRAINT "access_token_org_id_id_pk" PRIMARY KEY("org_id","id"),
	CONSTRAINT "access_token_kind" CHECK (kind IN ('person', 'organization')),
	CONSTRAINT "access_token_role" CHECK ((kind = 'organization') = (role IS NOT NULL) AND (role IS NULL OR role IN ('member', 'viewer'))),
	CONSTRAINT "access_token_verbs" CHECK (cardinality(verbs) > 0 AND verbs <@ ARRAY['read', 'test', 'push', 'publish']),
	CONSTRAINT "access_token_agents" CHECK (agent_ids IS NULL OR cardinality(agent_ids) BETWEEN 1 AND 50)
);
--> statement-breakpoint
CREATE TABLE "access_token_digest" (
	"digest" "bytea" PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"token_id" text NOT NULL,
	"generation" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "audit" ADD COLUMN "token_id" text;--> statement-breakpoint
ALTER TABLE "access_token" ADD CONSTRAINT "access_token_org_id_organization_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organization"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "access_token_user" ON "access_token" USING btree ("user_id") WHERE revoked_at IS NULL;--> statement-breakpoint
CREATE INDEX "access_token_digest_token" ON "access_token_digest" USING btree ("org_id","token_id");--> statement-breakpoint
-- As with API keys: rights never change, and nothing leaves "revoked".
CREATE FUNCTION access_token_rules() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    RAISE EXCEPTION 'access tokens are revoked, never deleted';
  END IF;
  IF OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS DISTINCT FROM OLD.revoked_at THEN
    RAISE EXCEPTION 'a revoked access token stays revoked';
  END IF;
  IF (NEW.org_id, NEW.id, NEW.prefix, NEW.kind, NEW.user_id, NEW.role, NEW.verbs, NEW.agent_ids, NEW.by_provider, NEW.created_at, NEW.expires_at)
     IS DISTINCT FROM
     (OLD.org_id, OLD.id, OLD.prefix, OLD.kind, OLD.user_id, OLD.role, OLD.verbs, OLD.agent_ids, OLD.by_provider, OLD.created_at, OLD.expires_at)
     OR (NEW.sign_in_factor AND NOT OLD.sign_in_factor) THEN
    RAISE EXCEPTION 'the rights of an access token are fixed for life';
  END IF;
  IF OLD.last_used_at IS NOT NULL AND (NEW.last_used_at IS NULL OR NEW.last_used_at < OLD.last_used_at) THEN
    NEW.last_used_at := OLD.last_used_at;
  END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER access_token_rules BEFORE UPDATE OR DELETE ON access_token FOR EACH ROW EXECUTE FUNCTION access_token_rules();
