CREATE TABLE "budget" (
	"org_id" text NOT NULL,
	"id" text NOT NULL,
	"subject" text NOT NULL,
	"subject_id" text NOT NULL,
	"period" text NOT NULL,
	"unit" text NOT NULL,
	"amount" numeric NOT NULL,
	"period_start" date NOT NULL,
	"spent" numeric DEFAULT '0' NOT NULL,
	"reserved" numeric DEFAULT '0' NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "budget_org_id_id_pk" PRIMARY KEY("org_id","id"),
	CONSTRAINT "budget_once" UNIQUE("org_id","subject","subject_id","period","unit")
);
--> statement-breakpoint
CREATE TABLE "budget_reservation" (
	"org_id" text NOT NULL,
	"id" text NOT NULL,
	"budget_id" text NOT NULL,
	"run_id" text,
	"lease" text,
	"period_start" date NOT NULL,
	"amount" numeric NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "budget_reservation_org_id_id_budget_id_pk" PRIMARY KEY("org_id","id","budget_id")
);
--> statement-breakpoint
CREATE TABLE "model_gate" (
	"org_id" text NOT NULL,
	"provider" text NOT NULL,
	"model" text NOT NULL,
	"failures" integer NOT NULL,
	"closings" integer DEFAULT 0 NOT NULL,
	"closed_until" timestamp (3) with time zone,
	"probe_until" timestamp (3) with time zone,
	"reason" text NOT NULL,
	"since" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "model_gate_org_id_provider_model_pk" PRIMARY KEY("org_id","provider","model")
);
--> statement-breakpoint
CREATE TABLE "model_price" (
	"org_id" text NOT NULL,
	"provider" text NOT NULL,
	"model" text NOT NULL,
	"currency" text NOT NULL,
	"input" numeric NOT NULL,
	"output" numeric NOT NULL,
	"cached" numeric,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "model_price_org_id_provider_model_pk" PRIMARY KEY("org_id","provider","model")
);
--> statement-breakpoint
CREATE TABLE "model_turn" (
	"org_id" text NOT NULL,
	"id" text NOT NULL,
	"conversation_id" text,
	"run_id" text,
	"agent_id" text NOT NULL,
	"provider" text NOT NULL,
	"model" text NOT NULL,
	"calls" integer DEFAULT 0 NOT NULL,
	"unmeasured" integer DEFAULT 0 NOT NULL,
	"input_tokens" bigint DEFAULT 0 NOT NULL,
	"cached_tokens" bigint DEFAULT 0 NOT NULL,
	"output_tokens" bigint DEFAULT 0 NOT NULL,
	"tool_calls" integer DEFAULT 0 NOT NULL,
	"cost" numeric,
	"currency" text,
	"instead_of" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "model_turn_org_id_id_pk" PRIMARY KEY("org_id","id")
);
--> statement-breakpoint
CREATE TABLE "model_usage" (
	"org_id" text NOT NULL,
	"day" date NOT NULL,
	"agent_id" text NOT NULL,
	"key_id" text NOT NULL,
	"campaign_id" text NOT NULL,
	"provider" text NOT NULL,
	"model" text NOT NULL,
	"currency" text NOT NULL,
	"turns" integer DEFAULT 0 NOT NULL,
	"calls" integer DEFAULT 0 NOT NULL,
	"unmeasured" integer DEFAULT 0 NOT NULL,
	"input_tokens" bigint DEFAULT 0 NOT NULL,
	"cached_tokens" bigint DEFAULT 0 NOT NULL,
	"output_tokens" bigint DEFAULT 0 NOT NULL,
	"tool_calls" integer DEFAULT 0 NOT NULL,
	"cost" numeric DEFAULT '0' NOT NULL,
	CONSTRAINT "model_usage_pk" PRIMARY KEY("org_id","day","agent_id","key_id","campaign_id","provider","model","currency")
);
--> statement-breakpoint
ALTER TABLE "budget" ADD CONSTRAINT "budget_org_id_organization_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organization"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "budget_reservation" ADD CONSTRAINT "budget_reservation_org_id_budget_id_budget_org_id_id_fk" FOREIGN KEY ("org_id","budget_id") REFERENCES "public"."budget"("org_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "model_gate" ADD CONSTRAINT "model_gate_org_id_organization_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organization"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "model_price" ADD CONSTRAINT "model_price_org_id_organization_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organization"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "model_turn" ADD CONSTRAINT "model_turn_org_id_conversation_id_conversation_org_id_id_fk" FOREIGN KEY ("org_id","conversation_id") REFERENCES "public"."conversation"("org_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "budget_reservation_of" ON "budget_reservation" USING btree ("budget_id");--> statement-breakpoint
CREATE INDEX "model_turn_conversation" ON "model_turn" USING btree ("conversation_id","created_at");--> statement-breakpoint
CREATE INDEX "model_turn_age" ON "model_turn" USING btree ("created_at");