CREATE TABLE "former_member" (
	"org_id" text NOT NULL,
	"user_id" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "former_member_org_id_user_id_pk" PRIMARY KEY("org_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "proven_domain" (
	"domain" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"proven_by" text NOT NULL,
	"proven_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sign_in_domain" (
	"org_id" text NOT NULL,
	"domain" text NOT NULL,
	"token" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "sign_in_domain_org_id_domain_pk" PRIMARY KEY("org_id","domain")
);
--> statement-breakpoint
CREATE TABLE "sign_in_link" (
	"org_id" text NOT NULL,
	"subject" text NOT NULL,
	"user_id" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "sign_in_link_org_id_subject_pk" PRIMARY KEY("org_id","subject")
);
--> statement-breakpoint
CREATE TABLE "sign_in_provider" (
	"org_id" text PRIMARY KEY NOT NULL,
	"issuer" text NOT NULL,
	"client_id" text NOT NULL,
	"sealed" text NOT NULL,
	"default_role" text NOT NULL,
	"enabled" boolean NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "used_sign_in" (
	"state" text PRIMARY KEY NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "session" ADD COLUMN "sign_in_org_id" text;--> statement-breakpoint
ALTER TABLE "session" ADD COLUMN "sign_in_factor" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "former_member" ADD CONSTRAINT "former_member_org_id_organization_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organization"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "proven_domain" ADD CONSTRAINT "proven_domain_org_id_organization_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organization"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sign_in_domain" ADD CONSTRAINT "sign_in_domain_org_id_organization_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organization"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sign_in_link" ADD CONSTRAINT "sign_in_link_org_id_sign_in_provider_org_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."sign_in_provider"("org_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sign_in_provider" ADD CONSTRAINT "sign_in_provider_org_id_organization_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organization"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "proven_domain_organization" ON "proven_domain" USING btree ("org_id");--> statement-breakpoint
CREATE UNIQUE INDEX "sign_in_link_person" ON "sign_in_link" USING btree ("org_id","user_id");--> statement-breakpoint
CREATE INDEX "used_sign_in_expires" ON "used_sign_in" USING btree ("expires_at");
--> statement-breakpoint
-- Who was removed before this table was there does not come back by signing in either.
INSERT INTO "former_member" ("org_id", "user_id")
SELECT DISTINCT removed.org_id, removed.facts->>'user_id' FROM audit AS removed
WHERE removed.action = 'member.removed' AND removed.facts->>'user_id' IS NOT NULL
  AND NOT EXISTS (
    SELECT FROM member
    WHERE member.organization_id = removed.org_id AND member.user_id = removed.facts->>'user_id'
  )
ON CONFLICT DO NOTHING;
