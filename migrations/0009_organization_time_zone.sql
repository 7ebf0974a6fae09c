ALTER TABLE "agent_version" ADD COLUMN "without_tests" text;--> statement-breakpoint
ALTER TABLE "organization" ADD COLUMN "time_zone" text;