CREATE TABLE "end_user_import" (
	"org_id" text NOT NULL,
	"id" text NOT NULL,
	"name" text NOT NULL,
	"bytes" bigint NOT NULL,
	"state" text DEFAULT 'uploading' NOT NULL,
	"dry_run" boolean DEFAULT true NOT NULL,
	"run" integer DEFAULT 0 NOT NULL,
	"settings" jsonb,
	"bytes_done" bigint DEFAULT 0 NOT NULL,
	"rows" integer DEFAULT 0 NOT NULL,
	"created" integer DEFAULT 0 NOT NULL,
	"updated" integer DEFAULT 0 NOT NULL,
	"invalid" integer DEFAULT 0 NOT NULL,
	"fault" jsonb,
	"created_by" text NOT NULL,
	"due_at" timestamp (3) with time zone,
	"lease" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp (3) with time zone,
	CONSTRAINT "end_user_import_org_id_id_pk" PRIMARY KEY("org_id","id")
);
--> statement-breakpoint
CREATE TABLE "end_user_import_fault" (
	"org_id" text NOT NULL,
	"import_id" text NOT NULL,
	"row" integer NOT NULL,
	"cells" text[] NOT NULL,
	"faults" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "end_user_import_fault_org_id_import_id_row_pk" PRIMARY KEY("org_id","import_id","row")
);
--> statement-breakpoint
CREATE TABLE "end_user_import_piece" (
	"org_id" text NOT NULL,
	"import_id" text NOT NULL,
	"n" integer NOT NULL,
	"bytes" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "end_user_import_piece_org_id_import_id_n_pk" PRIMARY KEY("org_id","import_id","n")
);
--> statement-breakpoint
ALTER TABLE "end_user_import_fault" ADD CONSTRAINT "end_user_import_fault_org_id_import_id_end_user_import_org_id_id_fk" FOREIGN KEY ("org_id","import_id") REFERENCES "public"."end_user_import"("org_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "end_user_import_piece" ADD CONSTRAINT "end_user_import_piece_org_id_import_id_end_user_import_org_id_id_fk" FOREIGN KEY ("org_id","import_id") REFERENCES "public"."end_user_import"("org_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "end_user_import_due" ON "end_user_import" USING btree ("due_at") WHERE due_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX "end_user_import_fault_age" ON "end_user_import_fault" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "end_user_import_piece_age" ON "end_user_import_piece" USING btree ("created_at");