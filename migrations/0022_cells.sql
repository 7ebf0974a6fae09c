CREATE TABLE "cell" (
	"name" text PRIMARY KEY NOT NULL,
	"schema_at" bigint NOT NULL,
	"ready" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "organization" ADD COLUMN "cell" text DEFAULT 'public' NOT NULL;--> statement-breakpoint
ALTER TABLE "installation" ADD COLUMN "cells_version" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "running_process" ADD COLUMN "cells_version" integer DEFAULT 0 NOT NULL;