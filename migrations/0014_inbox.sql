CREATE TABLE "attribute_order" (
	"org_id" text PRIMARY KEY NOT NULL,
	"names" text[] NOT NULL
);
--> statement-breakpoint
CREATE TABLE "conversation_summary" (
	"org_id" text NOT NULL,
	"conversation_id" text NOT NULL,
	"text" text NOT NULL,
	"model" text NOT NULL,
	"handed_off_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "conversation_summary_org_id_conversation_id_pk" PRIMARY KEY("org_id","conversation_id")
);
--> statement-breakpoint
CREATE TABLE "member_help" (
	"org_id" text PRIMARY KEY NOT NULL,
	"summary" boolean NOT NULL,
	"draft" boolean NOT NULL,
	"translation" boolean NOT NULL
);
--> statement-breakpoint
ALTER TABLE "conversation_presence" ADD COLUMN "draft" text;--> statement-breakpoint
ALTER TABLE "member_attendance" ADD COLUMN "away" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "saved_reply" ADD COLUMN "actions" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "attribute_order" ADD CONSTRAINT "attribute_order_org_id_organization_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organization"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "conversation_summary" ADD CONSTRAINT "conversation_summary_org_id_conversation_id_conversation_org_id_id_fk" FOREIGN KEY ("org_id","conversation_id") REFERENCES "public"."conversation"("org_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "member_help" ADD CONSTRAINT "member_help_org_id_organization_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organization"("id") ON DELETE no action ON UPDATE no action;