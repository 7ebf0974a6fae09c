ALTER TABLE "model_turn" ADD COLUMN "milliseconds" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "model_usage" ADD COLUMN "milliseconds" bigint DEFAULT 0 NOT NULL;