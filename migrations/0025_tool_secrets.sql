CREATE TABLE "tool_secret" (
	"org_id" text NOT NULL,
	"id" text NOT NULL,
	"agent_id" text NOT NULL,
	"tool" text NOT NULL,
	"origin" text NOT NULL,
	"sealed" text NOT NULL,
	"credentials" jsonb NOT NULL,
	"previous_until" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "tool_secret_org_id_id_pk" PRIMARY KEY("org_id","id"),
	CONSTRAINT "tool_secret_of_tool" UNIQUE("org_id","agent_id","tool","origin")
);
--> statement-breakpoint
ALTER TABLE "tool_secret" ADD CONSTRAINT "tool_secret_org_id_agent_id_agent_org_id_id_fk" FOREIGN KEY ("org_id","agent_id") REFERENCES "public"."agent"("org_id","id") ON DELETE no action ON UPDATE no action;