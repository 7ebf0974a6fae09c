CREATE TABLE "past_secret" (
	"generation" integer PRIMARY KEY NOT NULL,
	"sealed" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "running_process" (
	"id" text PRIMARY KEY NOT NULL,
	"secret_generation" integer NOT NULL,
	"seen_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "data_key" ADD COLUMN "previous" text;--> statement-breakpoint
ALTER TABLE "data_key" ADD COLUMN "moving" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "suppression" ADD COLUMN "generation" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "api_key_digest" ADD COLUMN "generation" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "installation" ADD COLUMN "secret_generation" integer DEFAULT 0 NOT NULL;