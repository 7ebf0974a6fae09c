CREATE TABLE "mcp_change" (
	"org_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"tool" text NOT NULL,
	"pin" text NOT NULL,
	"what" text[] NOT NULL,
	"since" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "mcp_change_org_id_agent_id_tool_pk" PRIMARY KEY("org_id","agent_id","tool")
);
--> statement-breakpoint
ALTER TABLE "mcp_change" ADD CONSTRAINT "mcp_change_org_id_agent_id_agent_org_id_id_fk" FOREIGN KEY ("org_id","agent_id") REFERENCES "public"."agent"("org_id","id") ON DELETE no action ON UPDATE no action;