ALTER TABLE "agent_version" ADD COLUMN "without_tests" text;--> statement-breakpoint
ALTER TABLE "refused_origin" ADD COLUMN "reached_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "organization" ADD COLUMN "time_zone" text;