ALTER TABLE "invitation" ADD COLUMN "token_digest" "bytea";--> statement-breakpoint
ALTER TABLE "invitation" ADD COLUMN "mailed" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "invitation_inviter" ON "invitation" USING btree ("inviter_id");--> statement-breakpoint
CREATE UNIQUE INDEX "invitation_token" ON "invitation" USING btree ("token_digest");--> statement-breakpoint
-- Nobody makes an operator's account for somebody else. All other addresses stay unproven until a mailed link proves them.
UPDATE "user" SET email_verified = true WHERE id IN (SELECT operator_id FROM installation);
