CREATE TABLE "analytics_day" (
	"org_id" text NOT NULL,
	"day" date NOT NULL,
	"time_zone" text NOT NULL,
	"facts" jsonb NOT NULL,
	"counted_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "analytics_day_org_id_day_pk" PRIMARY KEY("org_id","day")
);
