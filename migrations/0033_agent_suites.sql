CREATE TABLE "agent_suite" (
	"org_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"cases" jsonb NOT NULL,
	"required" boolean DEFAULT false NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "agent_suite_org_id_agent_id_pk" PRIMARY KEY("org_id","agent_id")
);
--> statement-breakpoint
CREATE TABLE "agent_test_pass" (
	"org_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"print" text NOT NULL,
	"passed_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "agent_test_pass_org_id_agent_id_print_pk" PRIMARY KEY("org_id","agent_id","print")
);
--> statement-breakpoint
ALTER TABLE "agent_suite" ADD CONSTRAINT "agent_suite_org_id_agent_id_agent_org_id_id_fk" FOREIGN KEY ("org_id","agent_id") REFERENCES "public"."agent"("org_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent_test_pass" ADD CONSTRAINT "agent_test_pass_org_id_agent_id_agent_org_id_id_fk" FOREIGN KEY ("org_id","agent_id") REFERENCES "public"."agent"("org_id","id") ON DELETE no action ON UPDATE no action;