CREATE TABLE "refused_origin" (
	"org_id" text NOT NULL,
	"channel_id" text NOT NULL,
	"origin" text NOT NULL,
	"refused_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "refused_origin_org_id_channel_id_origin_pk" PRIMARY KEY("org_id","channel_id","origin")
);
--> statement-breakpoint
ALTER TABLE "refused_origin" ADD CONSTRAINT "refused_origin_org_id_channel_id_channel_org_id_id_fk" FOREIGN KEY ("org_id","channel_id") REFERENCES "public"."channel"("org_id","id") ON DELETE cascade ON UPDATE no action;