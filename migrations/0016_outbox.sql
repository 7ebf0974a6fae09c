CREATE TABLE "mail" (
	"id" text PRIMARY KEY NOT NULL,
	"recipient" text,
	"sealed" text NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"due_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"lease" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE INDEX "mail_due" ON "mail" USING btree ("due_at");