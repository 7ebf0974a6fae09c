-- The schema of 0.1.0: tables, indexes and foreign keys as drizzle-kit generates them from src/store/schema/, then storage
-- settings, functions and triggers that are written by hand. Later migrations are append-only.
CREATE TABLE "access_token" (
	"org_id" text NOT NULL,
	"id" text NOT NULL,
	"label" text NOT NULL,
	"prefix" text NOT NULL,
	"kind" text NOT NULL,
	"user_id" text NOT NULL,
	"role" text,
	"verbs" text[] NOT NULL,
	"agent_ids" text[],
	"by_provider" boolean NOT NULL,
	"sign_in_factor" boolean NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	"revoked_by" text,
	"last_used_at" timestamp (3) with time zone,
	CONSTRAINT "access_token_org_id_id_pk" PRIMARY KEY("org_id","id"),
	CONSTRAINT "access_token_kind" CHECK (kind IN ('person', 'organization')),
	CONSTRAINT "access_token_role" CHECK ((kind = 'organization') = (role IS NOT NULL) AND (role IS NULL OR role IN ('member', 'viewer'))),
	CONSTRAINT "access_token_verbs" CHECK (cardinality(verbs) > 0 AND verbs <@ ARRAY['read', 'test', 'push', 'publish']),
	CONSTRAINT "access_token_agents" CHECK (agent_ids IS NULL OR cardinality(agent_ids) BETWEEN 1 AND 50)
);
--> statement-breakpoint
CREATE TABLE "access_token_digest" (
	"digest" "bytea" PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"token_id" text NOT NULL,
	"generation" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "agent" (
	"org_id" text NOT NULL,
	"id" text NOT NULL,
	"name" text NOT NULL,
	"enabled" boolean DEFAULT true NOT NULL,
	"draft" jsonb NOT NULL,
	"published" jsonb NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	CONSTRAINT "agent_org_id_id_pk" PRIMARY KEY("org_id","id")
);
--> statement-breakpoint
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
CREATE TABLE "agent_version" (
	"org_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"version" integer NOT NULL,
	"definition" jsonb NOT NULL,
	"published_by" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "agent_version_org_id_agent_id_version_pk" PRIMARY KEY("org_id","agent_id","version")
);
--> statement-breakpoint
CREATE TABLE "data_key" (
	"org_id" text PRIMARY KEY NOT NULL,
	"wrapped" text NOT NULL,
	"previous" text,
	"moving" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "document" (
	"org_id" text NOT NULL,
	"id" text NOT NULL,
	"agent_id" text NOT NULL,
	"name" text NOT NULL,
	"text" text NOT NULL,
	"source_id" text,
	"url" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "document_org_id_id_pk" PRIMARY KEY("org_id","id")
);
--> statement-breakpoint
CREATE TABLE "model_provider" (
	"org_id" text NOT NULL,
	"provider" text NOT NULL,
	"base_url" text,
	"sealed_key" text,
	"embedding_model" text,
	"embedding_dimensions" integer,
	"transcription_model" text,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "model_provider_org_id_provider_pk" PRIMARY KEY("org_id","provider")
);
--> statement-breakpoint
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
CREATE TABLE "api_key" (
	"org_id" text NOT NULL,
	"id" text NOT NULL,
	"label" text NOT NULL,
	"prefix" text NOT NULL,
	"scope" text NOT NULL,
	"agent_id" text,
	"campaign_id" text,
	"permissions" text[] NOT NULL,
	"allowed_networks" "cidr"[],
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"created_by" text,
	"rotated_from" text,
	"revoke_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	"revoked_by" text,
	"revoked_seq" bigint,
	"effective_at" timestamp (3) with time zone,
	"leak" jsonb,
	"last_used_at" timestamp (3) with time zone,
	CONSTRAINT "api_key_org_id_id_pk" PRIMARY KEY("org_id","id"),
	CONSTRAINT "api_key_scope" CHECK (scope IN ('organization', 'agent', 'campaign')),
	CONSTRAINT "api_key_target" CHECK ((scope = 'agent') = (agent_id IS NOT NULL) AND (scope = 'campaign') = (campaign_id IS NOT NULL)),
	CONSTRAINT "api_key_allowed_networks" CHECK (cardinality(allowed_networks) BETWEEN 1 AND 50 AND array_position(allowed_networks, NULL) IS NULL),
	CONSTRAINT "api_key_permissions" CHECK (cardinality(permissions) > 0 AND permissions <@ ARRAY['triggers', 'channels', 'end_users', 'campaigns'])
);
--> statement-breakpoint
CREATE TABLE "api_key_digest" (
	"digest" "bytea" PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"key_id" text NOT NULL,
	"generation" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "attachment" (
	"org_id" text NOT NULL,
	"id" text NOT NULL,
	"token" text NOT NULL,
	"message_id" text,
	"provider_message_id" text,
	"name" text NOT NULL,
	"type" text NOT NULL,
	"size" integer NOT NULL,
	"hash" text NOT NULL,
	"bytes" "bytea",
	"source" jsonb,
	"place" text,
	"placed_at" timestamp (3) with time zone,
	"due_at" timestamp (3) with time zone,
	"lease" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "attachment_org_id_id_pk" PRIMARY KEY("org_id","id")
);
--> statement-breakpoint
CREATE TABLE "blob_deletion" (
	"org_id" text NOT NULL,
	"hash" text NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "blob_deletion_org_id_hash_pk" PRIMARY KEY("org_id","hash")
);
--> statement-breakpoint
CREATE TABLE "audit" (
	"org_id" text NOT NULL,
	"id" text NOT NULL,
	"actor" text NOT NULL,
	"action" text NOT NULL,
	"subject_id" text NOT NULL,
	"facts" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"address" text,
	"request_id" text,
	"token_id" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "audit_org_id_id_pk" PRIMARY KEY("org_id","id")
);
--> statement-breakpoint
CREATE TABLE "campaign_push" (
	"org_id" text NOT NULL,
	"campaign_id" text NOT NULL,
	"id" text NOT NULL,
	"state" text DEFAULT 'queued' NOT NULL,
	"source" text NOT NULL,
	"filter_names" text[] DEFAULT '{}' NOT NULL,
	"filter" jsonb,
	"file" text,
	"after" text,
	"total" integer,
	"done" integer DEFAULT 0 NOT NULL,
	"accepted" integer DEFAULT 0 NOT NULL,
	"duplicates" integer DEFAULT 0 NOT NULL,
	"opted_out" integer DEFAULT 0 NOT NULL,
	"blocked" integer DEFAULT 0 NOT NULL,
	"invalid" integer DEFAULT 0 NOT NULL,
	"faults" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"fault" jsonb,
	"created_by" text NOT NULL,
	"request_id" text,
	"due_at" timestamp (3) with time zone,
	"lease" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp (3) with time zone,
	CONSTRAINT "campaign_push_org_id_campaign_id_id_pk" PRIMARY KEY("org_id","campaign_id","id")
);
--> statement-breakpoint
CREATE TABLE "campaign_schedule" (
	"org_id" text NOT NULL,
	"campaign_id" text NOT NULL,
	"segment_id" text NOT NULL,
	"days" integer[] NOT NULL,
	"month_day" integer,
	"at" text NOT NULL,
	"paused" boolean DEFAULT false NOT NULL,
	"next_day" text,
	"next_at" timestamp (3) with time zone,
	"created_by" text NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "campaign_schedule_org_id_campaign_id_pk" PRIMARY KEY("org_id","campaign_id")
);
--> statement-breakpoint
CREATE TABLE "campaign" (
	"org_id" text NOT NULL,
	"id" text NOT NULL,
	"agent_id" text NOT NULL,
	"channel_id" text NOT NULL,
	"name" text NOT NULL,
	"state" text DEFAULT 'draft' NOT NULL,
	"round_of" text,
	"round_day" text,
	"settings" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"attended" boolean DEFAULT false NOT NULL,
	"paced_until" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	CONSTRAINT "campaign_org_id_id_pk" PRIMARY KEY("org_id","id")
);
--> statement-breakpoint
CREATE TABLE "recipient" (
	"org_id" text NOT NULL,
	"campaign_id" text NOT NULL,
	"id" text NOT NULL,
	"end_user_id" text,
	"enrolment" integer DEFAULT 0 NOT NULL,
	"ref" text,
	"status" text NOT NULL,
	"reason" text,
	"variables" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"send_at" timestamp (3) with time zone,
	"due_at" timestamp (3) with time zone,
	"conversation_id" text,
	"run_id" text,
	"request_id" text,
	"sent_at" timestamp (3) with time zone,
	"delivered_at" timestamp (3) with time zone,
	"read_at" timestamp (3) with time zone,
	"replied_at" timestamp (3) with time zone,
	"left_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "recipient_org_id_campaign_id_id_pk" PRIMARY KEY("org_id","campaign_id","id")
);
--> statement-breakpoint
CREATE TABLE "channel" (
	"org_id" text NOT NULL,
	"id" text NOT NULL,
	"agent_id" text NOT NULL,
	"kind" text NOT NULL,
	"name" text NOT NULL,
	"enabled" boolean DEFAULT true NOT NULL,
	"settings" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"sealed" text,
	"status" text DEFAULT 'connected' NOT NULL,
	"status_detail" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	CONSTRAINT "channel_org_id_id_pk" PRIMARY KEY("org_id","id")
);
--> statement-breakpoint
CREATE TABLE "conversation_view" (
	"org_id" text NOT NULL,
	"id" text NOT NULL,
	"user_id" text,
	"name" text NOT NULL,
	"filters" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "conversation_view_org_id_id_pk" PRIMARY KEY("org_id","id")
);
--> statement-breakpoint
CREATE TABLE "conversation" (
	"org_id" text NOT NULL,
	"id" text NOT NULL,
	"agent_id" text NOT NULL,
	"channel_id" text NOT NULL,
	"end_user_id" text NOT NULL,
	"address" text,
	"key" text,
	"status" text DEFAULT 'open' NOT NULL,
	"locale" text,
	"tags" text[] DEFAULT '{}' NOT NULL,
	"state" jsonb,
	"run_id" text,
	"unanswered" text[] DEFAULT '{}' NOT NULL,
	"version" integer DEFAULT 0 NOT NULL,
	"assignee_id" text,
	"handed_off_at" timestamp (3) with time zone,
	"hand_off_reason" text,
	"snoozed_until" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "conversation_org_id_id_pk" PRIMARY KEY("org_id","id")
);
--> statement-breakpoint
CREATE TABLE "conversation_mention" (
	"org_id" text NOT NULL,
	"conversation_id" text NOT NULL,
	"note_id" text NOT NULL,
	"user_id" text NOT NULL,
	"seen_at" timestamp (3) with time zone,
	CONSTRAINT "conversation_mention_org_id_conversation_id_note_id_user_id_pk" PRIMARY KEY("org_id","conversation_id","note_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "conversation_note" (
	"org_id" text NOT NULL,
	"id" text NOT NULL,
	"conversation_id" text NOT NULL,
	"author_id" text NOT NULL,
	"text" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "conversation_note_org_id_conversation_id_id_pk" PRIMARY KEY("org_id","conversation_id","id")
);
--> statement-breakpoint
CREATE UNLOGGED TABLE "conversation_presence" (
	"org_id" text NOT NULL,
	"conversation_id" text NOT NULL,
	"user_id" text NOT NULL,
	"here_until" timestamp (3) with time zone NOT NULL,
	"typing_until" timestamp (3) with time zone,
	CONSTRAINT "conversation_presence_org_id_conversation_id_user_id_pk" PRIMARY KEY("org_id","conversation_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "conversation_seen" (
	"org_id" text NOT NULL,
	"conversation_id" text NOT NULL,
	"user_id" text NOT NULL,
	"seen_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "conversation_seen_org_id_conversation_id_user_id_pk" PRIMARY KEY("org_id","conversation_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "message" (
	"org_id" text NOT NULL,
	"id" text NOT NULL,
	"conversation_id" text NOT NULL,
	"run_id" text,
	"role" text NOT NULL,
	"content" jsonb NOT NULL,
	"sources" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"trace" jsonb,
	"status" text,
	"author_id" text,
	"reply_to" text,
	"metadata" jsonb,
	"send_at" timestamp (3) with time zone,
	"due_at" timestamp (3) with time zone,
	"lease" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"error" jsonb,
	"provider_message_id" text,
	"possible_duplicate" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "message_org_id_id_pk" PRIMARY KEY("org_id","id")
);
--> statement-breakpoint
CREATE TABLE "document_page" (
	"org_id" text NOT NULL,
	"source_id" text NOT NULL,
	"url" text NOT NULL,
	"state" text DEFAULT 'waiting' NOT NULL,
	"is_sitemap" boolean DEFAULT false NOT NULL,
	"sync" integer DEFAULT 0 NOT NULL,
	"found" integer NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"etag" text,
	"last_modified" text,
	"hash" text,
	"document_id" text,
	"leads_to" text,
	"fault" jsonb,
	"fetched_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "document_page_org_id_source_id_url_pk" PRIMARY KEY("org_id","source_id","url")
);
--> statement-breakpoint
CREATE TABLE "document_source" (
	"org_id" text NOT NULL,
	"id" text NOT NULL,
	"agent_id" text NOT NULL,
	"url" text NOT NULL,
	"kind" text NOT NULL,
	"scope" text NOT NULL,
	"host" text NOT NULL,
	"schedule" text NOT NULL,
	"max_pages" integer NOT NULL,
	"state" text DEFAULT 'queued' NOT NULL,
	"sync" integer DEFAULT 0 NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"limit_reached" boolean DEFAULT false NOT NULL,
	"fault" jsonb,
	"created_by" text NOT NULL,
	"due_at" timestamp (3) with time zone,
	"lease" text,
	"started_at" timestamp (3) with time zone,
	"finished_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "document_source_org_id_id_pk" PRIMARY KEY("org_id","id")
);
--> statement-breakpoint
CREATE TABLE "document_embedding" (
	"org_id" text NOT NULL,
	"document_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"passages" integer,
	"embedded" integer DEFAULT 0 NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"fault" jsonb,
	"due_at" timestamp (3) with time zone,
	"lease" text,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "document_embedding_org_id_document_id_pk" PRIMARY KEY("org_id","document_id")
);
--> statement-breakpoint
CREATE TABLE "passage_embedding" (
	"org_id" text NOT NULL,
	"document_id" text NOT NULL,
	"hash" "bytea" NOT NULL,
	"vector" "bytea" NOT NULL,
	CONSTRAINT "passage_embedding_org_id_document_id_hash_pk" PRIMARY KEY("org_id","document_id","hash")
);
--> statement-breakpoint
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
CREATE TABLE "end_user" (
	"org_id" text NOT NULL,
	"id" text NOT NULL,
	"external_id" text,
	"name" text,
	"email" text,
	"phone" text,
	"locale" text,
	"time_zone" text,
	"attributes" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"tags" text[] DEFAULT '{}' NOT NULL,
	"consent" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"blocked" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_seen_at" timestamp (3) with time zone,
	CONSTRAINT "end_user_org_id_id_pk" PRIMARY KEY("org_id","id")
);
--> statement-breakpoint
CREATE TABLE "identity" (
	"org_id" text NOT NULL,
	"channel_id" text NOT NULL,
	"address" text NOT NULL,
	"end_user_id" text NOT NULL,
	"last_inbound_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "identity_org_id_channel_id_address_pk" PRIMARY KEY("org_id","channel_id","address")
);
--> statement-breakpoint
CREATE TABLE "suppression" (
	"org_id" text NOT NULL,
	"digest" "bytea" NOT NULL,
	"consent" jsonb NOT NULL,
	"blocked" boolean DEFAULT false NOT NULL,
	"generation" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "suppression_org_id_digest_pk" PRIMARY KEY("org_id","digest")
);
--> statement-breakpoint
CREATE TABLE "event" (
	"org_id" text NOT NULL,
	"id" text NOT NULL,
	"type" text NOT NULL,
	"end_user_id" text,
	"data" json NOT NULL,
	"tx" bigint DEFAULT pg_current_xact_id()::text::bigint NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "event_org_id_id_pk" PRIMARY KEY("org_id","id")
);
--> statement-breakpoint
CREATE TABLE "event_delivery" (
	"org_id" text NOT NULL,
	"event_id" text NOT NULL,
	"endpoint_id" text NOT NULL,
	"state" text DEFAULT 'pending' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"history" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"due_at" timestamp (3) with time zone,
	"lease" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "event_delivery_org_id_event_id_endpoint_id_pk" PRIMARY KEY("org_id","event_id","endpoint_id")
);
--> statement-breakpoint
CREATE TABLE "event_tail" (
	"org_id" text PRIMARY KEY NOT NULL,
	"wanted_until" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhook_endpoint" (
	"org_id" text NOT NULL,
	"id" text NOT NULL,
	"url" text NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"types" text[] DEFAULT '{}' NOT NULL,
	"enabled" boolean DEFAULT true NOT NULL,
	"disabled_reason" text,
	"sealed" text NOT NULL,
	"previous_until" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "webhook_endpoint_org_id_id_pk" PRIMARY KEY("org_id","id")
);
--> statement-breakpoint
CREATE TABLE "hand_off_rule" (
	"org_id" text PRIMARY KEY NOT NULL,
	"goes_to" text NOT NULL,
	"user_id" text,
	"hours" jsonb,
	"outside" jsonb
);
--> statement-breakpoint
CREATE TABLE "member_attendance" (
	"org_id" text NOT NULL,
	"user_id" text NOT NULL,
	"seen_at" timestamp (3) with time zone NOT NULL,
	"given_at" timestamp (3) with time zone,
	CONSTRAINT "member_attendance_org_id_user_id_pk" PRIMARY KEY("org_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "account" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"provider_id" text NOT NULL,
	"user_id" text NOT NULL,
	"access_token" text,
	"refresh_token" text,
	"id_token" text,
	"access_token_expires_at" timestamp (3) with time zone,
	"refresh_token_expires_at" timestamp (3) with time zone,
	"scope" text,
	"password" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "invitation" (
	"id" text PRIMARY KEY NOT NULL,
	"organization_id" text NOT NULL,
	"email" text NOT NULL,
	"role" text,
	"status" text DEFAULT 'pending' NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"inviter_id" text NOT NULL,
	"token_digest" "bytea",
	"mailed" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "member" (
	"id" text PRIMARY KEY NOT NULL,
	"organization_id" text NOT NULL,
	"user_id" text NOT NULL,
	"role" text DEFAULT 'member' NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "organization" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"slug" text NOT NULL,
	"logo" text,
	"metadata" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"plan" text DEFAULT 'free' NOT NULL,
	"requires_second_factor" boolean DEFAULT false NOT NULL,
	CONSTRAINT "organization_slug_unique" UNIQUE("slug")
);
--> statement-breakpoint
CREATE TABLE "session" (
	"id" text PRIMARY KEY NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"token" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"ip_address" text,
	"user_agent" text,
	"user_id" text NOT NULL,
	"active_organization_id" text,
	"sign_in_org_id" text,
	"sign_in_factor" boolean DEFAULT false NOT NULL,
	CONSTRAINT "session_token_unique" UNIQUE("token")
);
--> statement-breakpoint
CREATE TABLE "user" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"email" text NOT NULL,
	"email_verified" boolean DEFAULT false NOT NULL,
	"image" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "user_email_unique" UNIQUE("email")
);
--> statement-breakpoint
CREATE TABLE "verification" (
	"id" text PRIMARY KEY NOT NULL,
	"identifier" text NOT NULL,
	"value" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "inbound_event" (
	"org_id" text NOT NULL,
	"channel_id" text NOT NULL,
	"event_id" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "inbound_event_org_id_channel_id_event_id_pk" PRIMARY KEY("org_id","channel_id","event_id")
);
--> statement-breakpoint
CREATE TABLE "receipt" (
	"org_id" text NOT NULL,
	"channel_id" text NOT NULL,
	"provider_message_id" text NOT NULL,
	"status" text NOT NULL,
	"error" jsonb,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "receipt_org_id_channel_id_provider_message_id_status_pk" PRIMARY KEY("org_id","channel_id","provider_message_id","status")
);
--> statement-breakpoint
CREATE TABLE "authz_change" (
	"seq" bigint PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"subject_id" text NOT NULL,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "authz_clock" (
	"id" integer PRIMARY KEY DEFAULT 1 NOT NULL,
	"seq" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "authz_clock_one_row" CHECK ("authz_clock"."id" = 1)
);
--> statement-breakpoint
CREATE TABLE "installation" (
	"id" integer PRIMARY KEY DEFAULT 1 NOT NULL,
	"region" text NOT NULL,
	"operator_id" text,
	"setup_digest" "bytea",
	"setup_expires_at" timestamp (3) with time zone,
	"demo_at" timestamp (3) with time zone,
	"secret_check" "bytea" NOT NULL,
	"secret_generation" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "installation_one_row" CHECK ("installation"."id" = 1)
);
--> statement-breakpoint
CREATE TABLE "node_lease" (
	"node_id" text PRIMARY KEY NOT NULL,
	"applied_seq" bigint NOT NULL,
	"renew_no" bigint DEFAULT 0 NOT NULL,
	"started_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"renewed_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
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
CREATE TABLE "hand_off" (
	"org_id" text NOT NULL,
	"conversation_id" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"reason" text NOT NULL,
	"due_at" timestamp (3) with time zone,
	CONSTRAINT "hand_off_org_id_at_conversation_id_pk" PRIMARY KEY("org_id","at","conversation_id")
);
--> statement-breakpoint
CREATE TABLE "numbers_day" (
	"org_id" text NOT NULL,
	"day" date NOT NULL,
	"counts" jsonb NOT NULL,
	"counted_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "numbers_day_org_id_day_pk" PRIMARY KEY("org_id","day")
);
--> statement-breakpoint
CREATE TABLE "retention" (
	"org_id" text PRIMARY KEY NOT NULL,
	"days" integer NOT NULL,
	"cursor" text DEFAULT '' NOT NULL,
	"conversations" bigint DEFAULT 0 NOT NULL,
	"messages" bigint DEFAULT 0 NOT NULL,
	"due_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"swept_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "idempotency" (
	"org_id" text NOT NULL,
	"scope" "bytea" NOT NULL,
	"request" "bytea" NOT NULL,
	"status" integer NOT NULL,
	"location" text,
	"body" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "idempotency_org_id_scope_pk" PRIMARY KEY("org_id","scope")
);
--> statement-breakpoint
CREATE TABLE "run" (
	"org_id" text NOT NULL,
	"id" text NOT NULL,
	"trigger_id" text,
	"conversation_id" text NOT NULL,
	"status" text NOT NULL,
	"reason" text,
	"error" jsonb,
	"input" jsonb NOT NULL,
	"turns" integer DEFAULT 0 NOT NULL,
	"request_id" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"send_at" timestamp (3) with time zone,
	"finished_at" timestamp (3) with time zone,
	"due_at" timestamp (3) with time zone,
	"lease" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "run_org_id_id_pk" PRIMARY KEY("org_id","id")
);
--> statement-breakpoint
CREATE TABLE "saved_reply" (
	"org_id" text NOT NULL,
	"id" text NOT NULL,
	"name" text NOT NULL,
	"shortcut" text NOT NULL,
	"text" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "saved_reply_org_id_id_pk" PRIMARY KEY("org_id","id")
);
--> statement-breakpoint
CREATE TABLE "passkey" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"name" text NOT NULL,
	"credential_id" text NOT NULL,
	"public_key" "bytea" NOT NULL,
	"counter" bigint NOT NULL,
	"transports" jsonb NOT NULL,
	"challenged_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	CONSTRAINT "passkey_credential_id_unique" UNIQUE("credential_id")
);
--> statement-breakpoint
CREATE TABLE "recovery_code" (
	"user_id" text NOT NULL,
	"digest" "bytea" NOT NULL,
	CONSTRAINT "recovery_code_user_id_digest_pk" PRIMARY KEY("user_id","digest")
);
--> statement-breakpoint
CREATE TABLE "second_factor" (
	"user_id" text PRIMARY KEY NOT NULL,
	"sealed" text NOT NULL,
	"confirmed_at" timestamp (3) with time zone,
	"last_step" bigint DEFAULT 0 NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"wait_until" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "segment" (
	"org_id" text NOT NULL,
	"id" text NOT NULL,
	"name" text NOT NULL,
	"filters" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "segment_org_id_id_pk" PRIMARY KEY("org_id","id")
);
--> statement-breakpoint
CREATE TABLE "former_member" (
	"org_id" text NOT NULL,
	"user_id" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "former_member_org_id_user_id_pk" PRIMARY KEY("org_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "proven_domain" (
	"domain" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"proven_by" text NOT NULL,
	"proven_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sign_in_domain" (
	"org_id" text NOT NULL,
	"domain" text NOT NULL,
	"token" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "sign_in_domain_org_id_domain_pk" PRIMARY KEY("org_id","domain")
);
--> statement-breakpoint
CREATE TABLE "sign_in_link" (
	"org_id" text NOT NULL,
	"subject" text NOT NULL,
	"user_id" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "sign_in_link_org_id_subject_pk" PRIMARY KEY("org_id","subject")
);
--> statement-breakpoint
CREATE TABLE "sign_in_provider" (
	"org_id" text PRIMARY KEY NOT NULL,
	"issuer" text NOT NULL,
	"client_id" text NOT NULL,
	"sealed" text NOT NULL,
	"default_role" text NOT NULL,
	"enabled" boolean NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "used_sign_in" (
	"state" text PRIMARY KEY NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
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
	"told" integer DEFAULT 0 NOT NULL,
	"mailed" integer DEFAULT 0 NOT NULL,
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
CREATE TABLE "trigger" (
	"org_id" text NOT NULL,
	"id" text NOT NULL,
	"agent_id" text NOT NULL,
	"name" text NOT NULL,
	"enabled" boolean DEFAULT true NOT NULL,
	"variables" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"channel_id" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	CONSTRAINT "trigger_org_id_id_pk" PRIMARY KEY("org_id","id")
);
--> statement-breakpoint
CREATE TABLE "key_usage" (
	"org_id" text NOT NULL,
	"key_id" text NOT NULL,
	"hour" timestamp (3) with time zone NOT NULL,
	"accepted" integer DEFAULT 0 NOT NULL,
	"refused" integer DEFAULT 0 NOT NULL,
	"failed" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "key_usage_org_id_key_id_hour_pk" PRIMARY KEY("org_id","key_id","hour")
);
--> statement-breakpoint
CREATE TABLE "request_log" (
	"org_id" text NOT NULL,
	"id" text NOT NULL,
	"key_id" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"method" text NOT NULL,
	"route" text NOT NULL,
	"ids" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"status" smallint NOT NULL,
	"code" text,
	"ms" integer NOT NULL,
	CONSTRAINT "request_log_org_id_id_pk" PRIMARY KEY("org_id","id")
);
--> statement-breakpoint
CREATE TABLE "weekly_mail" (
	"org_id" text NOT NULL,
	"user_id" text NOT NULL,
	"wanted" boolean,
	"time_zone" text DEFAULT 'UTC' NOT NULL,
	"language" text DEFAULT 'en' NOT NULL,
	"week" date,
	CONSTRAINT "weekly_mail_org_id_user_id_pk" PRIMARY KEY("org_id","user_id")
);
--> statement-breakpoint
CREATE UNIQUE INDEX "model_provider_embeds" ON "model_provider" USING btree ("org_id") WHERE embedding_model IS NOT NULL;
--> statement-breakpoint
CREATE UNIQUE INDEX "model_provider_transcribes" ON "model_provider" USING btree ("org_id") WHERE transcription_model IS NOT NULL;
--> statement-breakpoint
CREATE UNIQUE INDEX "campaign_push_one_open" ON "campaign_push" USING btree ("org_id","campaign_id") WHERE due_at IS NOT NULL;
--> statement-breakpoint
CREATE UNIQUE INDEX "campaign_round" ON "campaign" USING btree ("org_id","round_of","round_day") WHERE round_of IS NOT NULL;
--> statement-breakpoint
CREATE UNIQUE INDEX "recipient_once" ON "recipient" USING btree ("org_id","end_user_id","campaign_id","enrolment");
--> statement-breakpoint
CREATE UNIQUE INDEX "conversation_key" ON "conversation" USING btree ("org_id","agent_id","key") WHERE key IS NOT NULL;
--> statement-breakpoint
CREATE UNIQUE INDEX "end_user_external_id" ON "end_user" USING btree ("org_id","external_id" text_pattern_ops) WHERE external_id IS NOT NULL;
--> statement-breakpoint
CREATE UNIQUE INDEX "end_user_email" ON "end_user" USING btree ("org_id","email" text_pattern_ops) WHERE email IS NOT NULL;
--> statement-breakpoint
CREATE UNIQUE INDEX "end_user_phone" ON "end_user" USING btree ("org_id","phone" text_pattern_ops) WHERE phone IS NOT NULL;
--> statement-breakpoint
CREATE UNIQUE INDEX "invitation_token" ON "invitation" USING btree ("token_digest");
--> statement-breakpoint
CREATE UNIQUE INDEX "member_once" ON "member" USING btree ("organization_id","user_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "saved_reply_shortcut" ON "saved_reply" USING btree ("org_id",lower("shortcut"));
--> statement-breakpoint
CREATE UNIQUE INDEX "segment_name" ON "segment" USING btree ("org_id",lower("name"));
--> statement-breakpoint
CREATE UNIQUE INDEX "sign_in_link_person" ON "sign_in_link" USING btree ("org_id","user_id");
--> statement-breakpoint
CREATE INDEX "access_token_user" ON "access_token" USING btree ("user_id") WHERE revoked_at IS NULL;
--> statement-breakpoint
CREATE INDEX "access_token_digest_token" ON "access_token_digest" USING btree ("org_id","token_id");
--> statement-breakpoint
CREATE INDEX "agent_list" ON "agent" USING btree ("org_id","created_at","id") WHERE deleted_at IS NULL;
--> statement-breakpoint
CREATE INDEX "document_list" ON "document" USING btree ("agent_id","created_at");
--> statement-breakpoint
CREATE INDEX "document_of_source" ON "document" USING btree ("source_id") WHERE source_id IS NOT NULL;
--> statement-breakpoint
CREATE INDEX "api_key_revoke_due" ON "api_key" USING btree ("revoke_at") WHERE revoke_at IS NOT NULL AND revoked_at IS NULL;
--> statement-breakpoint
CREATE INDEX "api_key_revoking" ON "api_key" USING btree ("revoked_at") WHERE revoked_at IS NOT NULL AND effective_at IS NULL;
--> statement-breakpoint
CREATE INDEX "api_key_digest_key" ON "api_key_digest" USING btree ("org_id","key_id");
--> statement-breakpoint
CREATE INDEX "attachment_message" ON "attachment" USING btree ("message_id");
--> statement-breakpoint
CREATE INDEX "attachment_loose" ON "attachment" USING btree ("created_at") WHERE message_id IS NULL;
--> statement-breakpoint
CREATE INDEX "attachment_here" ON "attachment" USING btree ("created_at") WHERE place IS DISTINCT FROM 'store' AND due_at IS NULL AND message_id IS NOT NULL;
--> statement-breakpoint
CREATE INDEX "attachment_stored" ON "attachment" USING btree ("hash") WHERE place IS NOT NULL;
--> statement-breakpoint
CREATE INDEX "attachment_lane" ON "attachment" USING btree ((hashtext(org_id) & 255),"due_at") WHERE due_at IS NOT NULL;
--> statement-breakpoint
CREATE INDEX "blob_deletion_due" ON "blob_deletion" USING btree ("due_at");
--> statement-breakpoint
CREATE INDEX "campaign_push_due" ON "campaign_push" USING btree ("due_at") WHERE due_at IS NOT NULL;
--> statement-breakpoint
CREATE INDEX "campaign_schedule_due" ON "campaign_schedule" USING btree ("next_at") WHERE next_at IS NOT NULL;
--> statement-breakpoint
CREATE INDEX "campaign_list" ON "campaign" USING btree ("org_id","created_at","id") WHERE deleted_at IS NULL;
--> statement-breakpoint
CREATE INDEX "campaign_attended" ON "campaign" USING btree ("org_id","id") WHERE attended;
--> statement-breakpoint
CREATE INDEX "recipient_status" ON "recipient" USING btree ("campaign_id","status","created_at");
--> statement-breakpoint
CREATE INDEX "recipient_due" ON "recipient" USING btree ("org_id","campaign_id","due_at") WHERE due_at IS NOT NULL;
--> statement-breakpoint
CREATE INDEX "recipient_ref" ON "recipient" USING btree ("org_id","campaign_id","ref") WHERE ref IS NOT NULL;
--> statement-breakpoint
CREATE INDEX "recipient_run" ON "recipient" USING btree ("org_id","run_id") WHERE run_id IS NOT NULL;
--> statement-breakpoint
CREATE INDEX "channel_list" ON "channel" USING btree ("org_id","agent_id","id") WHERE deleted_at IS NULL;
--> statement-breakpoint
CREATE INDEX "channel_inbound" ON "channel" USING btree ("id");
--> statement-breakpoint
CREATE INDEX "conversation_end_user" ON "conversation" USING btree ("end_user_id","created_at");
--> statement-breakpoint
CREATE INDEX "conversation_address" ON "conversation" USING btree ("org_id","channel_id","address","id") WHERE address IS NOT NULL;
--> statement-breakpoint
CREATE INDEX "conversation_handed_off" ON "conversation" USING btree ("org_id","id") WHERE status = 'handed_off';
--> statement-breakpoint
CREATE INDEX "conversation_tags" ON "conversation" USING gin ("tags") WHERE tags <> '{}';
--> statement-breakpoint
CREATE INDEX "conversation_mention_user" ON "conversation_mention" USING btree ("user_id","conversation_id");
--> statement-breakpoint
CREATE INDEX "conversation_mention_new" ON "conversation_mention" USING btree ("org_id","user_id") WHERE seen_at IS NULL;
--> statement-breakpoint
CREATE INDEX "message_conversation" ON "message" USING btree ("conversation_id","created_at");
--> statement-breakpoint
CREATE INDEX "message_lane" ON "message" USING btree ((hashtext(org_id) & 255),"due_at") WHERE due_at IS NOT NULL;
--> statement-breakpoint
CREATE INDEX "message_queue" ON "message" USING btree ("org_id","conversation_id","id") WHERE due_at IS NOT NULL;
--> statement-breakpoint
CREATE INDEX "message_missed" ON "message" USING btree ("org_id","id") WHERE trace @> '{"steps": [{"kind": "miss"}]}' AND NOT trace ? 'settled';
--> statement-breakpoint
CREATE INDEX "message_provider" ON "message" USING btree ("org_id","provider_message_id") WHERE provider_message_id IS NOT NULL;
--> statement-breakpoint
CREATE INDEX "document_source_due" ON "document_source" USING btree ("due_at") WHERE due_at IS NOT NULL;
--> statement-breakpoint
CREATE INDEX "document_source_host" ON "document_source" USING btree ("host") WHERE lease IS NOT NULL;
--> statement-breakpoint
CREATE INDEX "document_source_list" ON "document_source" USING btree ("agent_id","created_at");
--> statement-breakpoint
CREATE INDEX "document_embedding_due" ON "document_embedding" USING btree ("due_at") WHERE due_at IS NOT NULL;
--> statement-breakpoint
CREATE INDEX "document_embedding_agent" ON "document_embedding" USING btree ("agent_id");
--> statement-breakpoint
CREATE INDEX "passage_embedding_hash" ON "passage_embedding" USING btree ("hash");
--> statement-breakpoint
CREATE INDEX "end_user_import_due" ON "end_user_import" USING btree ("due_at") WHERE due_at IS NOT NULL;
--> statement-breakpoint
CREATE INDEX "end_user_import_fault_age" ON "end_user_import_fault" USING btree ("created_at");
--> statement-breakpoint
CREATE INDEX "end_user_import_piece_age" ON "end_user_import_piece" USING btree ("created_at");
--> statement-breakpoint
CREATE INDEX "end_user_search" ON "end_user" USING gin ((ARRAY[org_id]),to_tsvector('simple', name),"tags","attributes" jsonb_path_ops) WHERE name IS NOT NULL OR tags <> '{}' OR attributes <> '{}';
--> statement-breakpoint
CREATE INDEX "end_user_blocked" ON "end_user" USING btree ("id") WHERE blocked;
--> statement-breakpoint
CREATE INDEX "end_user_changed" ON "end_user" USING btree ("org_id","updated_at") WHERE updated_at <> created_at;
--> statement-breakpoint
CREATE INDEX "identity_end_user" ON "identity" USING btree ("end_user_id");
--> statement-breakpoint
CREATE INDEX "event_order" ON "event" USING btree ("tx","id");
--> statement-breakpoint
CREATE INDEX "event_end_user" ON "event" USING btree ("end_user_id") WHERE end_user_id IS NOT NULL;
--> statement-breakpoint
CREATE INDEX "event_age" ON "event" USING btree ("created_at");
--> statement-breakpoint
CREATE INDEX "event_delivery_endpoint" ON "event_delivery" USING btree ("endpoint_id","event_id");
--> statement-breakpoint
CREATE INDEX "event_delivery_due" ON "event_delivery" USING btree ("due_at") WHERE due_at IS NOT NULL;
--> statement-breakpoint
CREATE INDEX "webhook_endpoint_listening" ON "webhook_endpoint" USING btree ("org_id","id") WHERE enabled;
--> statement-breakpoint
CREATE INDEX "account_user" ON "account" USING btree ("user_id");
--> statement-breakpoint
CREATE INDEX "invitation_organization" ON "invitation" USING btree ("organization_id");
--> statement-breakpoint
CREATE INDEX "invitation_email" ON "invitation" USING btree ("email");
--> statement-breakpoint
CREATE INDEX "invitation_inviter" ON "invitation" USING btree ("inviter_id");
--> statement-breakpoint
CREATE INDEX "member_user" ON "member" USING btree ("user_id");
--> statement-breakpoint
CREATE INDEX "session_user" ON "session" USING btree ("user_id");
--> statement-breakpoint
CREATE INDEX "verification_identifier" ON "verification" USING btree ("identifier");
--> statement-breakpoint
CREATE INDEX "inbound_event_age" ON "inbound_event" USING btree ("created_at");
--> statement-breakpoint
CREATE INDEX "receipt_age" ON "receipt" USING btree ("created_at");
--> statement-breakpoint
CREATE INDEX "mail_due" ON "mail" USING btree ("due_at");
--> statement-breakpoint
CREATE INDEX "hand_off_conversation" ON "hand_off" USING btree ("conversation_id");
--> statement-breakpoint
CREATE INDEX "hand_off_due" ON "hand_off" USING btree ("due_at") WHERE due_at IS NOT NULL;
--> statement-breakpoint
CREATE INDEX "retention_due" ON "retention" USING btree ("due_at");
--> statement-breakpoint
CREATE INDEX "idempotency_age" ON "idempotency" USING btree ("created_at");
--> statement-breakpoint
CREATE INDEX "run_list" ON "run" USING btree ("trigger_id","created_at");
--> statement-breakpoint
CREATE INDEX "run_conversation" ON "run" USING btree ("conversation_id");
--> statement-breakpoint
CREATE INDEX "run_lane" ON "run" USING btree ((hashtext(org_id) & 255),"due_at") WHERE due_at IS NOT NULL;
--> statement-breakpoint
CREATE INDEX "passkey_user" ON "passkey" USING btree ("user_id");
--> statement-breakpoint
CREATE INDEX "proven_domain_organization" ON "proven_domain" USING btree ("org_id");
--> statement-breakpoint
CREATE INDEX "used_sign_in_expires" ON "used_sign_in" USING btree ("expires_at");
--> statement-breakpoint
CREATE INDEX "budget_reservation_of" ON "budget_reservation" USING btree ("budget_id");
--> statement-breakpoint
CREATE INDEX "model_turn_conversation" ON "model_turn" USING btree ("conversation_id","created_at");
--> statement-breakpoint
CREATE INDEX "model_turn_try" ON "model_turn" USING btree ("created_at") WHERE conversation_id IS NULL;
--> statement-breakpoint
CREATE INDEX "trigger_list" ON "trigger" USING btree ("org_id","agent_id","id") WHERE deleted_at IS NULL;
--> statement-breakpoint
CREATE INDEX "key_usage_age" ON "key_usage" USING btree ("hour");
--> statement-breakpoint
CREATE INDEX "request_log_key" ON "request_log" USING btree ("key_id","at");
--> statement-breakpoint
CREATE INDEX "request_log_age" ON "request_log" USING btree ("at");
--> statement-breakpoint
ALTER TABLE "access_token" ADD CONSTRAINT "access_token_org_id_organization_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organization"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "agent" ADD CONSTRAINT "agent_org_id_organization_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organization"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "agent_suite" ADD CONSTRAINT "agent_suite_org_id_agent_id_agent_org_id_id_fk" FOREIGN KEY ("org_id","agent_id") REFERENCES "public"."agent"("org_id","id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "agent_test_pass" ADD CONSTRAINT "agent_test_pass_org_id_agent_id_agent_org_id_id_fk" FOREIGN KEY ("org_id","agent_id") REFERENCES "public"."agent"("org_id","id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "agent_version" ADD CONSTRAINT "agent_version_org_id_agent_id_agent_org_id_id_fk" FOREIGN KEY ("org_id","agent_id") REFERENCES "public"."agent"("org_id","id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "data_key" ADD CONSTRAINT "data_key_org_id_organization_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organization"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "document" ADD CONSTRAINT "document_org_id_agent_id_agent_org_id_id_fk" FOREIGN KEY ("org_id","agent_id") REFERENCES "public"."agent"("org_id","id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "model_provider" ADD CONSTRAINT "model_provider_org_id_organization_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organization"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "tool_secret" ADD CONSTRAINT "tool_secret_org_id_agent_id_agent_org_id_id_fk" FOREIGN KEY ("org_id","agent_id") REFERENCES "public"."agent"("org_id","id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_org_id_organization_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organization"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_org_id_agent_id_agent_org_id_id_fk" FOREIGN KEY ("org_id","agent_id") REFERENCES "public"."agent"("org_id","id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_org_id_campaign_id_campaign_org_id_id_fk" FOREIGN KEY ("org_id","campaign_id") REFERENCES "public"."campaign"("org_id","id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "attachment" ADD CONSTRAINT "attachment_org_id_message_id_message_org_id_id_fk" FOREIGN KEY ("org_id","message_id") REFERENCES "public"."message"("org_id","id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "campaign_push" ADD CONSTRAINT "campaign_push_org_id_campaign_id_campaign_org_id_id_fk" FOREIGN KEY ("org_id","campaign_id") REFERENCES "public"."campaign"("org_id","id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "campaign_schedule" ADD CONSTRAINT "campaign_schedule_org_id_campaign_id_campaign_org_id_id_fk" FOREIGN KEY ("org_id","campaign_id") REFERENCES "public"."campaign"("org_id","id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "campaign" ADD CONSTRAINT "campaign_org_id_agent_id_agent_org_id_id_fk" FOREIGN KEY ("org_id","agent_id") REFERENCES "public"."agent"("org_id","id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "campaign" ADD CONSTRAINT "campaign_org_id_channel_id_channel_org_id_id_fk" FOREIGN KEY ("org_id","channel_id") REFERENCES "public"."channel"("org_id","id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "recipient" ADD CONSTRAINT "recipient_org_id_campaign_id_campaign_org_id_id_fk" FOREIGN KEY ("org_id","campaign_id") REFERENCES "public"."campaign"("org_id","id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "recipient" ADD CONSTRAINT "recipient_org_id_end_user_id_end_user_org_id_id_fk" FOREIGN KEY ("org_id","end_user_id") REFERENCES "public"."end_user"("org_id","id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "channel" ADD CONSTRAINT "channel_org_id_agent_id_agent_org_id_id_fk" FOREIGN KEY ("org_id","agent_id") REFERENCES "public"."agent"("org_id","id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "conversation_view" ADD CONSTRAINT "conversation_view_org_id_organization_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organization"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "conversation_mention" ADD CONSTRAINT "conversation_mention_note" FOREIGN KEY ("org_id","conversation_id","note_id") REFERENCES "public"."conversation_note"("org_id","conversation_id","id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "conversation_note" ADD CONSTRAINT "conversation_note_org_id_conversation_id_conversation_org_id_id_fk" FOREIGN KEY ("org_id","conversation_id") REFERENCES "public"."conversation"("org_id","id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "conversation_presence" ADD CONSTRAINT "conversation_presence_org_id_conversation_id_conversation_org_id_id_fk" FOREIGN KEY ("org_id","conversation_id") REFERENCES "public"."conversation"("org_id","id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "conversation_seen" ADD CONSTRAINT "conversation_seen_org_id_conversation_id_conversation_org_id_id_fk" FOREIGN KEY ("org_id","conversation_id") REFERENCES "public"."conversation"("org_id","id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "document_page" ADD CONSTRAINT "document_page_org_id_source_id_document_source_org_id_id_fk" FOREIGN KEY ("org_id","source_id") REFERENCES "public"."document_source"("org_id","id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "document_source" ADD CONSTRAINT "document_source_org_id_agent_id_agent_org_id_id_fk" FOREIGN KEY ("org_id","agent_id") REFERENCES "public"."agent"("org_id","id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "document_embedding" ADD CONSTRAINT "document_embedding_document" FOREIGN KEY ("org_id","document_id") REFERENCES "public"."document"("org_id","id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "passage_embedding" ADD CONSTRAINT "passage_embedding_document" FOREIGN KEY ("org_id","document_id") REFERENCES "public"."document"("org_id","id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "end_user_import_fault" ADD CONSTRAINT "end_user_import_fault_org_id_import_id_end_user_import_org_id_id_fk" FOREIGN KEY ("org_id","import_id") REFERENCES "public"."end_user_import"("org_id","id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "end_user_import_piece" ADD CONSTRAINT "end_user_import_piece_org_id_import_id_end_user_import_org_id_id_fk" FOREIGN KEY ("org_id","import_id") REFERENCES "public"."end_user_import"("org_id","id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "identity" ADD CONSTRAINT "identity_org_id_channel_id_channel_org_id_id_fk" FOREIGN KEY ("org_id","channel_id") REFERENCES "public"."channel"("org_id","id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "identity" ADD CONSTRAINT "identity_org_id_end_user_id_end_user_org_id_id_fk" FOREIGN KEY ("org_id","end_user_id") REFERENCES "public"."end_user"("org_id","id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "event_delivery" ADD CONSTRAINT "event_delivery_org_id_event_id_event_org_id_id_fk" FOREIGN KEY ("org_id","event_id") REFERENCES "public"."event"("org_id","id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "event_delivery" ADD CONSTRAINT "event_delivery_org_id_endpoint_id_webhook_endpoint_org_id_id_fk" FOREIGN KEY ("org_id","endpoint_id") REFERENCES "public"."webhook_endpoint"("org_id","id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "event_tail" ADD CONSTRAINT "event_tail_org_id_organization_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organization"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "webhook_endpoint" ADD CONSTRAINT "webhook_endpoint_org_id_organization_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organization"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "hand_off_rule" ADD CONSTRAINT "hand_off_rule_org_id_organization_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organization"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "member_attendance" ADD CONSTRAINT "member_attendance_org_id_user_id_member_organization_id_user_id_fk" FOREIGN KEY ("org_id","user_id") REFERENCES "public"."member"("organization_id","user_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "account" ADD CONSTRAINT "account_user_id_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."user"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "invitation" ADD CONSTRAINT "invitation_organization_id_organization_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organization"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "invitation" ADD CONSTRAINT "invitation_inviter_id_user_id_fk" FOREIGN KEY ("inviter_id") REFERENCES "public"."user"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "member" ADD CONSTRAINT "member_organization_id_organization_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organization"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "member" ADD CONSTRAINT "member_user_id_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."user"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "session" ADD CONSTRAINT "session_user_id_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."user"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "inbound_event" ADD CONSTRAINT "inbound_event_org_id_channel_id_channel_org_id_id_fk" FOREIGN KEY ("org_id","channel_id") REFERENCES "public"."channel"("org_id","id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "receipt" ADD CONSTRAINT "receipt_org_id_channel_id_channel_org_id_id_fk" FOREIGN KEY ("org_id","channel_id") REFERENCES "public"."channel"("org_id","id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "mcp_change" ADD CONSTRAINT "mcp_change_org_id_agent_id_agent_org_id_id_fk" FOREIGN KEY ("org_id","agent_id") REFERENCES "public"."agent"("org_id","id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "hand_off" ADD CONSTRAINT "hand_off_org_id_conversation_id_conversation_org_id_id_fk" FOREIGN KEY ("org_id","conversation_id") REFERENCES "public"."conversation"("org_id","id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "retention" ADD CONSTRAINT "retention_org_id_organization_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organization"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "saved_reply" ADD CONSTRAINT "saved_reply_org_id_organization_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organization"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "passkey" ADD CONSTRAINT "passkey_user_id_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."user"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "recovery_code" ADD CONSTRAINT "recovery_code_user_id_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."user"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "second_factor" ADD CONSTRAINT "second_factor_user_id_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."user"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "segment" ADD CONSTRAINT "segment_org_id_organization_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organization"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "former_member" ADD CONSTRAINT "former_member_org_id_organization_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organization"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "proven_domain" ADD CONSTRAINT "proven_domain_org_id_organization_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organization"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "sign_in_domain" ADD CONSTRAINT "sign_in_domain_org_id_organization_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organization"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "sign_in_link" ADD CONSTRAINT "sign_in_link_org_id_sign_in_provider_org_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."sign_in_provider"("org_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "sign_in_provider" ADD CONSTRAINT "sign_in_provider_org_id_organization_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organization"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "budget" ADD CONSTRAINT "budget_org_id_organization_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organization"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "budget_reservation" ADD CONSTRAINT "budget_reservation_org_id_budget_id_budget_org_id_id_fk" FOREIGN KEY ("org_id","budget_id") REFERENCES "public"."budget"("org_id","id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "model_gate" ADD CONSTRAINT "model_gate_org_id_organization_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organization"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "model_price" ADD CONSTRAINT "model_price_org_id_organization_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organization"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "model_turn" ADD CONSTRAINT "model_turn_org_id_conversation_id_conversation_org_id_id_fk" FOREIGN KEY ("org_id","conversation_id") REFERENCES "public"."conversation"("org_id","id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "trigger" ADD CONSTRAINT "trigger_org_id_agent_id_agent_org_id_id_fk" FOREIGN KEY ("org_id","agent_id") REFERENCES "public"."agent"("org_id","id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "trigger" ADD CONSTRAINT "trigger_org_id_channel_id_channel_org_id_id_fk" FOREIGN KEY ("org_id","channel_id") REFERENCES "public"."channel"("org_id","id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "weekly_mail" ADD CONSTRAINT "weekly_mail_org_id_user_id_member_organization_id_user_id_fk" FOREIGN KEY ("org_id","user_id") REFERENCES "public"."member"("organization_id","user_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
-- Created after channel_inbound: of two indexes that cost the same, the planner takes the newer one.
ALTER TABLE "channel" ADD CONSTRAINT "channel_of_agent" UNIQUE("org_id","agent_id","id");
--> statement-breakpoint
-- Each run is updated about three times. Free space on the page keeps these updates from changing an index.
ALTER TABLE run SET (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
--> statement-breakpoint
ALTER TABLE recipient SET (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
-- Each delivery is updated a few times.
ALTER TABLE event_delivery SET (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
-- Each turn updates the row of its conversation. With half of each page free, the new version stays on the same page and
-- no index changes. A turn then writes a third less.
ALTER TABLE conversation SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
-- Images, audio and video are already compressed. External storage allows reading one part of a file.
ALTER TABLE "attachment" ALTER COLUMN "bytes" SET STORAGE EXTERNAL;
--> statement-breakpoint
-- Scope and permissions of a key never change. Its networks can only be narrowed. A revoked key stays revoked.
CREATE FUNCTION api_key_rules() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    RAISE EXCEPTION 'api keys are revoked, never deleted';
  END IF;
  IF OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS DISTINCT FROM OLD.revoked_at THEN
    RAISE EXCEPTION 'a revoked api key stays revoked';
  END IF;
  IF (NEW.org_id, NEW.id, NEW.prefix, NEW.scope, NEW.agent_id, NEW.campaign_id, NEW.permissions, NEW.created_at)
     IS DISTINCT FROM
     (OLD.org_id, OLD.id, OLD.prefix, OLD.scope, OLD.agent_id, OLD.campaign_id, OLD.permissions, OLD.created_at) THEN
    RAISE EXCEPTION 'scope and rights of an api key are fixed for life';
  END IF;
  -- NULL is everywhere: any list is narrower, and nothing goes back to it.
  IF OLD.allowed_networks IS NOT NULL AND NEW.allowed_networks IS DISTINCT FROM OLD.allowed_networks
     AND (NEW.allowed_networks IS NULL OR EXISTS (
       SELECT 1 FROM unnest(NEW.allowed_networks) AS wanted (network)
       WHERE NOT wanted.network <<= ANY (OLD.allowed_networks))) THEN
    RAISE EXCEPTION 'allowed networks of an api key are narrowed, never widened';
  END IF;
  -- Last used never moves backwards, whichever node writes last.
  IF OLD.last_used_at IS NOT NULL AND (NEW.last_used_at IS NULL OR NEW.last_used_at < OLD.last_used_at) THEN
    NEW.last_used_at := OLD.last_used_at;
  END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER api_key_rules BEFORE UPDATE OR DELETE ON api_key FOR EACH ROW EXECUTE FUNCTION api_key_rules();
--> statement-breakpoint
-- The audit log is append-only.
CREATE FUNCTION audit_rules() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit log is append-only';
END $$;
--> statement-breakpoint
CREATE TRIGGER audit_rules BEFORE UPDATE OR DELETE ON audit FOR EACH ROW EXECUTE FUNCTION audit_rules();
--> statement-breakpoint
-- Raised inside an accepting statement to roll it back. The caller retries with current data.
CREATE FUNCTION parley_lost_race() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'lost a race' USING ERRCODE = 'PY001';
END $$;
--> statement-breakpoint
INSERT INTO authz_clock (id, seq) VALUES (1, 0) ON CONFLICT DO NOTHING;
--> statement-breakpoint
-- Recipients: the status of a recipient follows its run and the first message of that run. The rank of a status never
-- decreases, and a final status never changes.
CREATE FUNCTION recipient_rank(status text) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE status WHEN 'pending' THEN 0 WHEN 'waiting_window' THEN 0 WHEN 'sending' THEN 1 WHEN 'sent' THEN 2
    WHEN 'delivered' THEN 3 WHEN 'read' THEN 4 WHEN 'replied' THEN 5 ELSE 9 END $$;
--> statement-breakpoint
CREATE FUNCTION recipient_moves(org text, run text, next text, why text) RETURNS void LANGUAGE sql AS $$
  UPDATE recipient SET status = next, reason = why, updated_at = clock_timestamp()
  WHERE org_id = org AND run_id = run AND recipient_rank(status) < recipient_rank(next) $$;
--> statement-breakpoint
CREATE FUNCTION recipient_follows_run() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  first text;
BEGIN
  IF NEW.status IN ('waiting_for_user', 'handed_off') AND OLD.status = 'running' THEN
    SELECT m.status INTO first FROM message m WHERE m.org_id = NEW.org_id AND m.conversation_id = NEW.conversation_id
      AND m.run_id = NEW.id AND m.role = 'agent' ORDER BY m.id LIMIT 1;
    IF first IN ('sent', 'delivered', 'read') THEN
      PERFORM recipient_moves(NEW.org_id, NEW.id, first, NULL);
    END IF;
  ELSIF NEW.status IN ('queued', 'running') AND OLD.status = 'waiting_for_user' THEN
    PERFORM recipient_moves(NEW.org_id, NEW.id, 'replied', NULL);
  ELSIF NEW.status IN ('completed', 'failed', 'cancelled') THEN
    PERFORM recipient_moves(NEW.org_id, NEW.id, NEW.status, NEW.reason);
  ELSIF NEW.status = 'skipped' THEN
    PERFORM recipient_moves(NEW.org_id, NEW.id,
      CASE WHEN NEW.reason IN ('opted_out', 'blocked') THEN 'suppressed' ELSE 'failed' END, NEW.reason);
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- Most runs belong to triggers. The condition skips them without a function call.
CREATE TRIGGER recipient_follows_run AFTER UPDATE ON run FOR EACH ROW
  WHEN (NEW.trigger_id IS NULL AND NEW.status IS DISTINCT FROM OLD.status) EXECUTE FUNCTION recipient_follows_run();
--> statement-breakpoint
-- The status follows the first message of the run. After that message is delivered or answered, a later message that
-- fails does not change the recipient.
CREATE FUNCTION recipient_follows_message() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.status IN ('failed', 'undelivered', 'suppressed') AND EXISTS (
    SELECT 1 FROM recipient r WHERE r.org_id = NEW.org_id AND r.run_id = NEW.run_id AND r.status IN ('delivered', 'read', 'replied')
  ) THEN
    RETURN NULL;
  END IF;
  PERFORM recipient_moves(NEW.org_id, NEW.run_id, CASE NEW.status WHEN 'undelivered' THEN 'failed' ELSE NEW.status END,
    CASE WHEN NEW.status IN ('failed', 'undelivered') THEN coalesce(NEW.error ->> 'code', NEW.status)
      WHEN NEW.status = 'suppressed' THEN coalesce(NEW.error ->> 'code', 'opted_out') END);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER recipient_follows_message AFTER UPDATE OF status ON message FOR EACH ROW
  WHEN (NEW.role = 'agent' AND NEW.run_id IS NOT NULL AND NEW.status <> 'queued' AND NEW.status IS DISTINCT FROM OLD.status)
  EXECUTE FUNCTION recipient_follows_message();
--> statement-breakpoint
-- Events: one trigger per table writes the event in the transaction that changes the row, so both commit or neither does
-- (docs/adr/0201).

-- A TypeID as in contract/ids.ts. The 12 bits after the millisecond contain the microseconds, so that events of one
-- transaction sort in the order in which they were written.
CREATE FUNCTION new_event_id() RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  micros bigint := (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;
  bits bit(130);
  id text := 'evt_';
BEGIN
  bits := B'00' || ('x' || lpad(to_hex(micros / 1000), 12, '0') || '7' || lpad(to_hex(micros % 1000 * 4096 / 1000), 3, '0')
    || substr(replace(gen_random_uuid()::text, '-', ''), 17))::bit(128);
  FOR n IN 0..25 LOOP
    id := id || substr('0123456789abcdefghjkmnpqrstvwxyz', substring(bits FROM n * 5 + 1 FOR 5)::int + 1, 1);
  END LOOP;
  RETURN id;
END $$;
--> statement-breakpoint
-- A time in the format of the API.
CREATE FUNCTION event_time(at timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;
--> statement-breakpoint
-- Whether any organization has an enabled endpoint or a reader of events. `parley.events` is off while a backup is loaded.
CREATE FUNCTION events_are_heard() RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (EXISTS (SELECT 1 FROM webhook_endpoint WHERE enabled) OR EXISTS (SELECT 1 FROM event_tail WHERE wanted_until > now()))
    AND coalesce(current_setting('parley.events', true), '') <> 'off';
END $$;
--> statement-breakpoint
CREATE FUNCTION event_is_wanted(org text, kind text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN EXISTS (SELECT 1 FROM webhook_endpoint w WHERE w.org_id = org AND w.enabled AND endpoint_hears(w.types, kind))
    OR EXISTS (SELECT 1 FROM event_tail t WHERE t.org_id = org AND t.wanted_until > now());
END $$;
--> statement-breakpoint
CREATE FUNCTION tell_event(org text, kind text, person text, facts json) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO event (org_id, id, type, end_user_id, data, created_at)
  VALUES (org, new_event_id(), kind, person, facts, clock_timestamp());
END $$;
--> statement-breakpoint
-- Enqueues each event for every endpoint that is subscribed now. A test event is for one endpoint only. The lock skips an
-- endpoint that is being deleted, which otherwise fails the statement on a foreign key.
CREATE FUNCTION event_fans_out() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF coalesce(current_setting('parley.events', true), '') <> 'off' THEN
    INSERT INTO event_delivery (org_id, event_id, endpoint_id, due_at)
    SELECT n.org_id, n.id, w.id, now() FROM made n JOIN webhook_endpoint w
      ON w.org_id = n.org_id AND w.enabled AND endpoint_hears(w.types, n.type)
    WHERE n.type <> 'webhook.test' FOR KEY SHARE OF w;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER event_fans_out AFTER INSERT ON event REFERENCING NEW TABLE AS made
  FOR EACH STATEMENT EXECUTE FUNCTION event_fans_out();
--> statement-breakpoint
-- Conversations
CREATE FUNCTION event_of_conversation(c conversation) RETURNS json LANGUAGE sql STABLE AS $$
  SELECT json_build_object('id', c.id, 'agent_id', c.agent_id, 'channel_id', c.channel_id, 'end_user_id', c.end_user_id,
    'key', c.key, 'status', c.status, 'locale', c.locale, 'tags', c.tags, 'run_id', c.run_id,
    'created_at', event_time(c.created_at), 'updated_at', event_time(c.updated_at)) $$;
--> statement-breakpoint
CREATE FUNCTION tell_conversations_begun() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF events_are_heard() THEN
    WITH org AS MATERIALIZED (
      SELECT org_id FROM (SELECT DISTINCT org_id FROM made) o WHERE event_is_wanted(org_id, 'conversation.started'))
    INSERT INTO event (org_id, id, type, end_user_id, data, created_at)
    SELECT c.org_id, new_event_id(), 'conversation.started', c.end_user_id, event_of_conversation(c), clock_timestamp()
    FROM org JOIN made n ON n.org_id = org.org_id JOIN conversation c ON c.org_id = n.org_id AND c.id = n.id;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER tell_conversations_begun AFTER INSERT ON conversation REFERENCING NEW TABLE AS made
  FOR EACH STATEMENT EXECUTE FUNCTION tell_conversations_begun();
--> statement-breakpoint
CREATE FUNCTION tell_conversation_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF events_are_heard() AND event_is_wanted(NEW.org_id, 'conversation.' || NEW.status) THEN
    PERFORM tell_event(NEW.org_id, 'conversation.' || NEW.status, NEW.end_user_id, event_of_conversation(NEW));
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- A row trigger: its condition skips updates that do not change the status.
CREATE TRIGGER tell_conversation_moved AFTER UPDATE OF status ON conversation FOR EACH ROW
  WHEN (NEW.status IN ('handed_off', 'resolved') AND NEW.status IS DISTINCT FROM OLD.status)
  EXECUTE FUNCTION tell_conversation_moved();
--> statement-breakpoint
-- Messages: each stage has one event, also if a channel skips a stage. A message that was read was also delivered.
CREATE FUNCTION delivery_rank(status text) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE status WHEN 'sent' THEN 1 WHEN 'failed' THEN 1 WHEN 'undelivered' THEN 1 WHEN 'delivered' THEN 2
    WHEN 'read' THEN 3 ELSE 0 END $$;
--> statement-breakpoint
CREATE FUNCTION events_of_message(role text, before text, after text, is_new boolean) RETURNS text[]
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN role = 'end_user' THEN CASE WHEN is_new THEN ARRAY['message.received'] ELSE '{}' END ELSE array_remove(ARRAY[
    CASE WHEN after IN ('sent', 'delivered', 'read') AND delivery_rank(before) < 1 THEN 'message.sent' END,
    CASE WHEN after IN ('delivered', 'read') AND delivery_rank(before) < 2 THEN 'message.delivered' END,
    CASE WHEN after = 'read' AND delivery_rank(before) < 3 THEN 'message.read' END,
    CASE WHEN after IN ('failed', 'undelivered', 'suppressed') THEN 'message.failed' END], NULL) END $$;
--> statement-breakpoint
CREATE FUNCTION event_of_message(m message, c conversation) RETURNS json LANGUAGE sql STABLE AS $$
  SELECT json_build_object('id', m.id, 'conversation_id', m.conversation_id, 'agent_id', c.agent_id, 'channel_id', c.channel_id,
    'end_user_id', c.end_user_id, 'run_id', m.run_id, 'role', m.role, 'content', m.content, 'sources', m.sources,
    'status', m.status, 'error', m.error, 'metadata', coalesce(m.metadata, '{}'), 'created_at', event_time(m.created_at)) $$;
--> statement-breakpoint
CREATE FUNCTION tell_messages_made() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF events_are_heard() THEN
    WITH wanted AS MATERIALIZED (
      SELECT o.org_id, k.kind FROM (SELECT DISTINCT org_id FROM made) o
      CROSS JOIN unnest(ARRAY['message.received', 'message.sent', 'message.delivered', 'message.read', 'message.failed']) AS k(kind)
      WHERE event_is_wanted(o.org_id, k.kind))
    INSERT INTO event (org_id, id, type, end_user_id, data, created_at)
    SELECT m.org_id, new_event_id(), t.kind, c.end_user_id, event_of_message(m, c), clock_timestamp()
    FROM made n CROSS JOIN LATERAL unnest(events_of_message(n.role, NULL, n.status, true)) AS t(kind)
    JOIN wanted w ON w.org_id = n.org_id AND w.kind = t.kind
    JOIN message m ON m.org_id = n.org_id AND m.id = n.id
    JOIN conversation c ON c.org_id = m.org_id AND c.id = m.conversation_id;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER tell_messages_made AFTER INSERT ON message REFERENCING NEW TABLE AS made
  FOR EACH STATEMENT EXECUTE FUNCTION tell_messages_made();
--> statement-breakpoint
CREATE FUNCTION tell_message_moved() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  kind text;
  c conversation;
BEGIN
  IF NOT events_are_heard() THEN
    RETURN NULL;
  END IF;
  FOREACH kind IN ARRAY events_of_message(NEW.role, OLD.status, NEW.status, false) LOOP
    IF event_is_wanted(NEW.org_id, kind) THEN
      SELECT * INTO c FROM conversation WHERE org_id = NEW.org_id AND id = NEW.conversation_id;
      PERFORM tell_event(NEW.org_id, kind, c.end_user_id, event_of_message(NEW, c));
    END IF;
  END LOOP;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER tell_message_moved AFTER UPDATE OF status ON message FOR EACH ROW
  WHEN (NEW.status <> 'queued' AND NEW.status IS DISTINCT FROM OLD.status) EXECUTE FUNCTION tell_message_moved();
--> statement-breakpoint
-- Runs
CREATE FUNCTION tell_run_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF events_are_heard() AND event_is_wanted(NEW.org_id, 'run.' || NEW.status) THEN
    PERFORM tell_event(c.org_id, 'run.' || NEW.status, c.end_user_id, json_build_object('id', NEW.id, 'status', NEW.status,
      'reason', NEW.reason, 'error', NEW.error, 'agent_id', c.agent_id, 'trigger_id', NEW.trigger_id,
      'conversation_id', c.id, 'end_user_id', c.end_user_id, 'channel_id', c.channel_id,
      'metadata', coalesce(NEW.input -> 'metadata', '{}'), 'created_at', event_time(NEW.created_at),
      'finished_at', event_time(NEW.finished_at)))
    FROM conversation c WHERE c.org_id = NEW.org_id AND c.id = NEW.conversation_id;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER tell_run_ended AFTER UPDATE OF status ON run FOR EACH ROW
  WHEN (NEW.status IN ('completed', 'failed', 'skipped') AND NEW.status IS DISTINCT FROM OLD.status)
  EXECUTE FUNCTION tell_run_ended();
--> statement-breakpoint
-- People
CREATE FUNCTION event_of_end_user(e end_user) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('id', e.id, 'external_id', e.external_id, 'name', e.name, 'email', e.email, 'phone', e.phone,
    'locale', e.locale, 'time_zone', e.time_zone, 'attributes', e.attributes, 'tags', e.tags, 'consent', e.consent,
    'blocked', e.blocked, 'created_at', event_time(e.created_at), 'updated_at', event_time(e.updated_at),
    'last_seen_at', event_time(e.last_seen_at)) $$;
--> statement-breakpoint
CREATE FUNCTION tell_end_users_made() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF events_are_heard() THEN
    WITH org AS MATERIALIZED (
      SELECT org_id FROM (SELECT DISTINCT org_id FROM made) o WHERE event_is_wanted(org_id, 'end_user.created'))
    INSERT INTO event (org_id, id, type, end_user_id, data, created_at)
    SELECT e.org_id, new_event_id(), 'end_user.created', e.id, event_of_end_user(e)::json, clock_timestamp()
    FROM org JOIN made n ON n.org_id = org.org_id JOIN end_user e ON e.org_id = n.org_id AND e.id = n.id;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER tell_end_users_made AFTER INSERT ON end_user REFERENCING NEW TABLE AS made
  FOR EACH STATEMENT EXECUTE FUNCTION tell_end_users_made();
--> statement-breakpoint
CREATE FUNCTION tell_end_user_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  channel_kind text;
BEGIN
  IF NOT events_are_heard() THEN
    RETURN NULL;
  END IF;
  IF event_is_wanted(NEW.org_id, 'end_user.updated') THEN
    PERFORM tell_event(NEW.org_id, 'end_user.updated', NEW.id, event_of_end_user(NEW)::json);
  END IF;
  IF NEW.consent <> OLD.consent AND event_is_wanted(NEW.org_id, 'end_user.opted_out') THEN
    FOR channel_kind IN SELECT k.key FROM jsonb_each(NEW.consent) k WHERE k.value ->> 'status' = 'opted_out'
      AND OLD.consent -> k.key ->> 'status' IS DISTINCT FROM 'opted_out'
    LOOP
      PERFORM tell_event(NEW.org_id, 'end_user.opted_out', NEW.id,
        (event_of_end_user(NEW) || jsonb_build_object('channel_kind', channel_kind))::json);
    END LOOP;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- A change of last_seen_at alone is not an event.
CREATE TRIGGER tell_end_user_changed AFTER UPDATE ON end_user FOR EACH ROW
  WHEN ((NEW.external_id, NEW.name, NEW.email, NEW.phone, NEW.locale, NEW.time_zone, NEW.attributes, NEW.tags, NEW.consent, NEW.blocked)
    IS DISTINCT FROM
    (OLD.external_id, OLD.name, OLD.email, OLD.phone, OLD.locale, OLD.time_zone, OLD.attributes, OLD.tags, OLD.consent, OLD.blocked))
  EXECUTE FUNCTION tell_end_user_changed();
--> statement-breakpoint
-- The event contains only the ID and belongs to no end user, so it remains after the erasure.
CREATE FUNCTION tell_end_user_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF events_are_heard() AND event_is_wanted(OLD.org_id, 'end_user.deleted') THEN
    PERFORM tell_event(OLD.org_id, 'end_user.deleted', NULL, json_build_object('id', OLD.id));
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER tell_end_user_deleted AFTER DELETE ON end_user FOR EACH ROW EXECUTE FUNCTION tell_end_user_deleted();
--> statement-breakpoint
-- Campaigns
CREATE FUNCTION tell_recipient_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF events_are_heard() AND event_is_wanted(NEW.org_id, 'campaign.recipient.updated') THEN
    PERFORM tell_event(NEW.org_id, 'campaign.recipient.updated', NEW.end_user_id, json_build_object('id', NEW.id,
      'campaign_id', NEW.campaign_id, 'end_user_id', NEW.end_user_id, 'ref', NEW.ref, 'status', NEW.status,
      'previous_status', OLD.status, 'reason', NEW.reason, 'conversation_id', NEW.conversation_id, 'run_id', NEW.run_id,
      'created_at', event_time(NEW.created_at), 'updated_at', event_time(NEW.updated_at)));
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER tell_recipient_moved AFTER UPDATE OF status ON recipient FOR EACH ROW
  WHEN (NEW.status IS DISTINCT FROM OLD.status) EXECUTE FUNCTION tell_recipient_moved();
--> statement-breakpoint
CREATE FUNCTION tell_campaign_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF events_are_heard() AND event_is_wanted(NEW.org_id, 'campaign.ended') THEN
    PERFORM tell_event(NEW.org_id, 'campaign.ended', NULL, json_build_object('id', NEW.id, 'agent_id', NEW.agent_id,
      'channel_id', NEW.channel_id, 'name', NEW.name, 'state', NEW.state, 'created_at', event_time(NEW.created_at),
      'updated_at', event_time(NEW.updated_at)));
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER tell_campaign_ended AFTER UPDATE OF state ON campaign FOR EACH ROW
  WHEN (NEW.state = 'ended' AND OLD.state <> 'ended') EXECUTE FUNCTION tell_campaign_ended();
--> statement-breakpoint
-- API keys
CREATE FUNCTION tell_api_key() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  kind text := CASE TG_OP WHEN 'INSERT' THEN 'api_key.created' ELSE 'api_key.revoked' END;
BEGIN
  IF events_are_heard() AND event_is_wanted(NEW.org_id, kind) THEN
    PERFORM tell_event(NEW.org_id, kind, NULL, json_build_object('id', NEW.id, 'label', NEW.label, 'prefix', NEW.prefix,
      'scope', NEW.scope, 'agent_id', NEW.agent_id, 'campaign_id', NEW.campaign_id, 'permissions', NEW.permissions,
      'created_at', event_time(NEW.created_at), 'revoked_at', event_time(NEW.revoked_at), 'leak', NEW.leak));
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER tell_api_key_created AFTER INSERT ON api_key FOR EACH ROW EXECUTE FUNCTION tell_api_key();
--> statement-breakpoint
CREATE TRIGGER tell_api_key_revoked AFTER UPDATE OF revoked_at ON api_key FOR EACH ROW
  WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL) EXECUTE FUNCTION tell_api_key();
--> statement-breakpoint
-- Entries of the audit log as events (docs/events.md). They contain personal data of members, so an endpoint must name
-- this type. A subscription to all types does not include it.
CREATE FUNCTION endpoint_hears(types text[], kind text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT kind = ANY (types) OR (types = '{}' AND kind <> 'audit.recorded') $$;
--> statement-breakpoint
-- A delivery writes no audit entry, so one event never causes the next.
CREATE FUNCTION tell_audit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF events_are_heard() AND event_is_wanted(NEW.org_id, 'audit.recorded') THEN
    PERFORM tell_event(NEW.org_id, 'audit.recorded', NULL, json_build_object('id', NEW.id, 'actor', NEW.actor,
      'actor_name', u.name, 'actor_email', u.email, 'action', NEW.action, 'subject_id', NEW.subject_id, 'facts', NEW.facts,
      'address', NEW.address, 'request_id', NEW.request_id, 'created_at', event_time(NEW.created_at)))
    FROM (SELECT 1) one LEFT JOIN "user" u ON u.id = NEW.actor;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER tell_audit AFTER INSERT ON audit FOR EACH ROW EXECUTE FUNCTION tell_audit();
--> statement-breakpoint
-- Checked references: five references are checked once per statement (docs/adr/0004). A foreign key locks the parent of
-- each row. Here most parents are new in the same transaction, and the others are the same for many rows. These triggers
-- guarantee the same as a foreign key, for every program that writes:
--   <child>_has_parents        after INSERT: each parent exists until this transaction ends;
--   <parent>_kept_by_<child>   after DELETE and TRUNCATE: no child remains;
--   …_fixed                    the columns of both sides never change.
--
-- After INSERT: no other transaction can delete a parent that this transaction has written. Every other parent is locked as
-- a foreign key locks it, and the statement waits for a concurrent deletion. The lookups are subqueries, so that the cached
-- plan finds each parent by its key, also if the table was small when the plan was made. src/store/checked-references.ts
-- reads the arguments of the triggers.

-- One lookup for two references: the channel references the agent, so the agent exists.
CREATE FUNCTION conversation_has_parents() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT FROM (SELECT DISTINCT org_id, agent_id, channel_id FROM made) n
    WHERE (SELECT true FROM channel p WHERE p.org_id = n.org_id AND p.agent_id = n.agent_id AND p.id = n.channel_id FOR KEY SHARE) IS NULL
    UNION ALL
    SELECT FROM made n WHERE CASE
      WHEN (SELECT p.xmin = pg_current_xact_id()::xid FROM end_user p WHERE p.org_id = n.org_id AND p.id = n.end_user_id) THEN false
      ELSE (SELECT true FROM end_user p WHERE p.org_id = n.org_id AND p.id = n.end_user_id FOR KEY SHARE) IS NULL END
  ) THEN
    RAISE EXCEPTION 'insert on table "%" violates a foreign key: a row that it references does not exist', TG_TABLE_NAME
      USING ERRCODE = 'foreign_key_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER conversation_has_parents AFTER INSERT ON conversation REFERENCING NEW TABLE AS made
  FOR EACH STATEMENT EXECUTE FUNCTION conversation_has_parents(
    'channel', 'org_id, agent_id, channel_id', 'org_id, agent_id, id', 'end_user', 'org_id, end_user_id', 'org_id, id');
--> statement-breakpoint
CREATE FUNCTION run_has_parents() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT FROM (SELECT DISTINCT org_id, trigger_id FROM made WHERE trigger_id IS NOT NULL) n
    WHERE (SELECT true FROM trigger p WHERE p.org_id = n.org_id AND p.id = n.trigger_id FOR KEY SHARE) IS NULL
    UNION ALL
    SELECT FROM made n WHERE CASE
      WHEN (SELECT p.xmin = pg_current_xact_id()::xid FROM conversation p WHERE p.org_id = n.org_id AND p.id = n.conversation_id) THEN false
      ELSE (SELECT true FROM conversation p WHERE p.org_id = n.org_id AND p.id = n.conversation_id FOR KEY SHARE) IS NULL END
  ) THEN
    RAISE EXCEPTION 'insert on table "%" violates a foreign key: a row that it references does not exist', TG_TABLE_NAME
      USING ERRCODE = 'foreign_key_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER run_has_parents AFTER INSERT ON run REFERENCING NEW TABLE AS made
  FOR EACH STATEMENT EXECUTE FUNCTION run_has_parents(
    'trigger', 'org_id, trigger_id', 'org_id, id', 'conversation', 'org_id, conversation_id', 'org_id, id');
--> statement-breakpoint
CREATE FUNCTION message_has_parents() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT FROM made n WHERE CASE
      WHEN (SELECT p.xmin = pg_current_xact_id()::xid FROM conversation p WHERE p.org_id = n.org_id AND p.id = n.conversation_id) THEN false
      ELSE (SELECT true FROM conversation p WHERE p.org_id = n.org_id AND p.id = n.conversation_id FOR KEY SHARE) IS NULL END
  ) THEN
    RAISE EXCEPTION 'insert on table "%" violates a foreign key: a row that it references does not exist', TG_TABLE_NAME
      USING ERRCODE = 'foreign_key_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER message_has_parents AFTER INSERT ON message REFERENCING NEW TABLE AS made
  FOR EACH STATEMENT EXECUTE FUNCTION message_has_parents('conversation', 'org_id, conversation_id', 'org_id, id');
--> statement-breakpoint
-- The columns of a reference never change, so UPDATE needs no check.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'update on table "%" violates foreign key "%": its columns are fixed', TG_TABLE_NAME, TG_NAME
    USING ERRCODE = 'foreign_key_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
END $$;
--> statement-breakpoint
CREATE FUNCTION keep_parents(parent text, parent_columns text[], child text, child_columns text[]) RETURNS void
LANGUAGE plpgsql AS $keep$
DECLARE
  kept text := parent || '_kept_by_' || child;
  fixed text := child || '_of_' || parent || '_fixed';
  is_child text := (SELECT string_agg(format('c.%I = g.%I', cc, pc), ' AND ') FROM unnest(parent_columns, child_columns) t(pc, cc));
  is_back text := (SELECT string_agg(format('p.%1$I = g.%1$I', pc), ' AND ') FROM unnest(parent_columns) pc);
  changes_child text := (SELECT string_agg(format('NEW.%1$I IS DISTINCT FROM OLD.%1$I', c), ' OR ') FROM unnest(child_columns) c);
  changes_parent text := (SELECT string_agg(format('NEW.%1$I IS DISTINCT FROM OLD.%1$I', c), ' OR ') FROM unnest(parent_columns) c);
BEGIN
  -- A statement sees what was committed before it began only if the transaction is READ COMMITTED: in another one a child
  -- that was added since would be overlooked.
  EXECUTE format($f$CREATE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  IF NOT EXISTS (SELECT FROM gone) THEN
    RETURN NULL;
  END IF;
  IF current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') THEN
    RAISE EXCEPTION 'rows of "%%" are deleted only in READ COMMITTED transactions', TG_TABLE_NAME;
  END IF;
  IF EXISTS (
    SELECT FROM gone g WHERE (SELECT true FROM %I c WHERE %s LIMIT 1 FOR KEY SHARE)
      AND NOT EXISTS (SELECT FROM %I p WHERE %s))
  THEN
    RAISE EXCEPTION 'delete on table "%%" violates foreign key "%%"', TG_TABLE_NAME, TG_NAME
      USING ERRCODE = 'foreign_key_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
  END IF;
  RETURN NULL;
END $body$ $f$, kept, child, is_child, parent, is_back);
  EXECUTE format('CREATE TRIGGER %1$I AFTER DELETE ON %2$I REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION %1$I()', kept, parent);
  EXECUTE format($f$CREATE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  IF EXISTS (SELECT FROM %I) THEN
    RAISE EXCEPTION 'truncate of table "%%" violates foreign key "%%"', TG_TABLE_NAME, TG_NAME
      USING ERRCODE = 'foreign_key_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
  END IF;
  RETURN NULL;
END $body$ $f$, kept || '_emptied', child);
  EXECUTE format('CREATE TRIGGER %1$I AFTER TRUNCATE ON %2$I FOR EACH STATEMENT EXECUTE FUNCTION %1$I()',
    kept || '_emptied', parent);
  EXECUTE format('CREATE TRIGGER %I BEFORE UPDATE OF %s ON %I FOR EACH ROW WHEN (%s) EXECUTE FUNCTION refuse_change()',
    fixed, array_to_string(child_columns, ', '), child, changes_child);
  EXECUTE format('CREATE TRIGGER %I BEFORE UPDATE OF %s ON %I FOR EACH ROW WHEN (%s) EXECUTE FUNCTION refuse_change()',
    kept || '_fixed', array_to_string(parent_columns, ', '), parent, changes_parent);
END $keep$;
--> statement-breakpoint
SELECT keep_parents('channel', '{org_id,agent_id,id}', 'conversation', '{org_id,agent_id,channel_id}');
--> statement-breakpoint
SELECT keep_parents('end_user', '{org_id,id}', 'conversation', '{org_id,end_user_id}');
--> statement-breakpoint
SELECT keep_parents('trigger', '{org_id,id}', 'run', '{org_id,trigger_id}');
--> statement-breakpoint
SELECT keep_parents('conversation', '{org_id,id}', 'run', '{org_id,conversation_id}');
--> statement-breakpoint
SELECT keep_parents('conversation', '{org_id,id}', 'message', '{org_id,conversation_id}');
--> statement-breakpoint
DROP FUNCTION keep_parents(text, text[], text, text[]);
--> statement-breakpoint
-- Budgets: each threshold of a period has one event, written in the transaction that spends the amount. Writers set `told`
-- to 0 with a new period or amount, and to 100 when a call no longer fits.
CREATE FUNCTION budget_raises_told() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.told := greatest(NEW.told, CASE WHEN NEW.spent >= NEW.amount THEN 100 WHEN NEW.spent >= NEW.amount * 0.8 THEN 80 ELSE 0 END);
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER budget_raises_told_new BEFORE INSERT ON budget FOR EACH ROW EXECUTE FUNCTION budget_raises_told();
--> statement-breakpoint
CREATE TRIGGER budget_raises_told BEFORE UPDATE OF spent, amount ON budget FOR EACH ROW
  WHEN ((NEW.spent, NEW.amount) IS DISTINCT FROM (OLD.spent, OLD.amount)) EXECUTE FUNCTION budget_raises_told();
--> statement-breakpoint
CREATE FUNCTION tell_budget() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  kind text := CASE WHEN NEW.told >= 100 THEN 'budget.spent' ELSE 'budget.warning' END;
BEGIN
  IF events_are_heard() AND event_is_wanted(NEW.org_id, kind) THEN
    PERFORM tell_event(NEW.org_id, kind, NULL, json_build_object('id', NEW.id, 'subject', NEW.subject,
      'subject_id', nullif(NEW.subject_id, ''), 'period', NEW.period, 'period_start', NEW.period_start, 'unit', NEW.unit,
      'amount', NEW.amount, 'spent', NEW.spent));
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER tell_budget_new AFTER INSERT ON budget FOR EACH ROW WHEN (NEW.told > 0) EXECUTE FUNCTION tell_budget();
--> statement-breakpoint
CREATE TRIGGER tell_budget AFTER UPDATE ON budget FOR EACH ROW
  WHEN (NEW.told > 0 AND (NEW.told > OLD.told OR NEW.period_start > OLD.period_start OR NEW.amount <> OLD.amount))
  EXECUTE FUNCTION tell_budget();
--> statement-breakpoint
-- As for API keys: permissions never change, and a revoked token stays revoked.
CREATE FUNCTION access_token_rules() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    RAISE EXCEPTION 'access tokens are revoked, never deleted';
  END IF;
  IF OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS DISTINCT FROM OLD.revoked_at THEN
    RAISE EXCEPTION 'a revoked access token stays revoked';
  END IF;
  IF (NEW.org_id, NEW.id, NEW.prefix, NEW.kind, NEW.user_id, NEW.role, NEW.verbs, NEW.agent_ids, NEW.by_provider, NEW.created_at, NEW.expires_at)
     IS DISTINCT FROM
     (OLD.org_id, OLD.id, OLD.prefix, OLD.kind, OLD.user_id, OLD.role, OLD.verbs, OLD.agent_ids, OLD.by_provider, OLD.created_at, OLD.expires_at)
     OR (NEW.sign_in_factor AND NOT OLD.sign_in_factor) THEN
    RAISE EXCEPTION 'the rights of an access token are fixed for life';
  END IF;
  IF OLD.last_used_at IS NOT NULL AND (NEW.last_used_at IS NULL OR NEW.last_used_at < OLD.last_used_at) THEN
    NEW.last_used_at := OLD.last_used_at;
  END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER access_token_rules BEFORE UPDATE OR DELETE ON access_token FOR EACH ROW EXECUTE FUNCTION access_token_rules();
--> statement-breakpoint
-- A hand-off without an assignee waits for the worker that applies the hand-off rules of the organization.
CREATE FUNCTION record_hand_off() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO hand_off (org_id, conversation_id, at, reason, due_at)
  VALUES (NEW.org_id, NEW.id, coalesce(NEW.handed_off_at, now()), coalesce(NEW.hand_off_reason, 'member'),
    CASE WHEN NEW.assignee_id IS NULL AND EXISTS (SELECT FROM hand_off_rule WHERE org_id = NEW.org_id) THEN now() END)
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER record_hand_off AFTER UPDATE OF status ON conversation FOR EACH ROW
  WHEN (NEW.status = 'handed_off' AND OLD.status <> 'handed_off') EXECUTE FUNCTION record_hand_off();
--> statement-breakpoint
-- The report of a campaign counts by the time at which a recipient reached each stage. A reply implies delivery.
CREATE FUNCTION recipient_came_so_far() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.status IN ('sent', 'delivered', 'read', 'replied', 'completed') THEN
    NEW.sent_at := coalesce(NEW.sent_at, clock_timestamp());
  END IF;
  IF NEW.status IN ('delivered', 'read', 'replied') THEN
    NEW.delivered_at := coalesce(NEW.delivered_at, clock_timestamp());
  END IF;
  IF NEW.status = 'read' THEN
    NEW.read_at := coalesce(NEW.read_at, clock_timestamp());
  ELSIF NEW.status = 'replied' THEN
    NEW.replied_at := coalesce(NEW.replied_at, clock_timestamp());
  ELSIF NEW.status = 'completed' AND NEW.reason = 'opted_out' THEN
    NEW.left_at := coalesce(NEW.left_at, clock_timestamp());
  END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER recipient_came_so_far BEFORE UPDATE OF status ON recipient FOR EACH ROW
  WHEN (NEW.status IS DISTINCT FROM OLD.status) EXECUTE FUNCTION recipient_came_so_far();
--> statement-breakpoint
-- Files in a store: every deleted row enqueues the deletion of its object. If an upload may still run, the deletion waits
-- until that upload must have ended.
CREATE FUNCTION leave_blob() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO blob_deletion (org_id, hash, due_at)
  VALUES (OLD.org_id, OLD.hash, now() + CASE WHEN OLD.place = 'store' THEN interval '0' ELSE interval '10 minutes' END)
  ON CONFLICT (org_id, hash) DO UPDATE SET due_at = greatest(blob_deletion.due_at, excluded.due_at);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER leave_blob AFTER DELETE ON attachment FOR EACH ROW WHEN (OLD.place IS NOT NULL) EXECUTE FUNCTION leave_blob();
