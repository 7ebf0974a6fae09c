CREATE TABLE "key_usage" (
	"org_id" text NOT NULL,
	"key_id" text NOT NULL,
	"hour" timestamp (3) with time zone NOT NULL,
	"accepted" integer DEFAULT 0 NOT NULL,
	"refused" integer DEFAULT 0 NOT NULL,
	"failed" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "key_usage_org_id_key_id_hour_pk" PRIMARY KEY("org_id","key_id","hour")
);
--> statement-breakpoint
CREATE TABLE "request_log" (
	"org_id" text NOT NULL,
	"id" text NOT NULL,
	"key_id" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"method" text NOT NULL,
	"route" text NOT NULL,
	"status" smallint NOT NULL,
	"code" text,
	"ms" integer NOT NULL,
	CONSTRAINT "request_log_org_id_id_pk" PRIMARY KEY("org_id","id")
);
--> statement-breakpoint
CREATE INDEX "key_usage_age" ON "key_usage" USING btree ("hour");--> statement-breakpoint
CREATE INDEX "request_log_key" ON "request_log" USING btree ("org_id","key_id","id");--> statement-breakpoint
CREATE INDEX "request_log_age" ON "request_log" USING btree ("at");