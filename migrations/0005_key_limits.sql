CREATE TABLE "api_key_use" (
	"org_id" text NOT NULL,
	"key_id" text NOT NULL,
	"reserved" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "api_key_use_org_id_key_id_pk" PRIMARY KEY("org_id","key_id"),
	CONSTRAINT "api_key_use_reserved" CHECK (reserved >= 0)
);
--> statement-breakpoint
ALTER TABLE "api_key" ADD COLUMN "per_minute" integer;--> statement-breakpoint
ALTER TABLE "api_key" ADD COLUMN "per_end_user_per_minute" integer;--> statement-breakpoint
ALTER TABLE "api_key" ADD COLUMN "total" integer;--> statement-breakpoint
ALTER TABLE "api_key_use" ADD CONSTRAINT "api_key_use_org_id_key_id_api_key_org_id_id_fk" FOREIGN KEY ("org_id","key_id") REFERENCES "public"."api_key"("org_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
-- The limits of an API key are lowered, never raised or removed.
-- safe for 0.1.0: that release does not write these columns
CREATE FUNCTION api_key_limit_rules() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.per_minute IS NOT NULL AND NEW.per_minute IS NULL OR NEW.per_minute > OLD.per_minute
     OR OLD.per_end_user_per_minute IS NOT NULL AND NEW.per_end_user_per_minute IS NULL
     OR NEW.per_end_user_per_minute > OLD.per_end_user_per_minute
     OR OLD.total IS NOT NULL AND NEW.total IS NULL OR NEW.total > OLD.total THEN
    RAISE EXCEPTION 'limits of an api key are lowered, never raised or removed';
  END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
-- safe for 0.1.0: it fires only when these columns change
CREATE TRIGGER api_key_limit_rules BEFORE UPDATE OF per_minute, per_end_user_per_minute, total ON api_key
  FOR EACH ROW EXECUTE FUNCTION api_key_limit_rules();
