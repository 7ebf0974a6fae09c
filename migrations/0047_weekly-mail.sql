CREATE TABLE "weekly_mail" (
	"org_id" text NOT NULL,
	"user_id" text NOT NULL,
	"wanted" boolean,
	"time_zone" text DEFAULT 'UTC' NOT NULL,
	"language" text DEFAULT 'en' NOT NULL,
	"week" date,
	CONSTRAINT "weekly_mail_org_id_user_id_pk" PRIMARY KEY("org_id","user_id")
);
--> statement-breakpoint
ALTER TABLE "weekly_mail" ADD CONSTRAINT "weekly_mail_org_id_user_id_member_organization_id_user_id_fk" FOREIGN KEY ("org_id","user_id") REFERENCES "public"."member"("organization_id","user_id") ON DELETE cascade ON UPDATE no action;