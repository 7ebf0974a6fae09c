// Written by scripts/sdk-types.ts from the OpenAPI description. Do not edit it.

export type Fault = {
    /**
     * JSON pointer to the value.
     */
    pointer: string;
    code: string;
    detail: string;
};

/**
 * RFC 9457; all errors have this shape.
 */
export type Problem = {
    /**
     * The page that explains this code.
     * @format uri
     */
    type: string;
    title: string;
    status: number;
    code: "body_invalid" | "request_invalid" | "cursor_invalid" | "authorization_missing" | "key_invalid" | "key_wrong_region" | "key_revoked" | "client_token_expired" | "token_invalid" | "token_expired" | "token_revoked" | "signature_invalid" | "visitor_token_invalid" | "reply_token_invalid" | "session_missing" | "sign_in_failed" | "sign_in_expired" | "sign_in_refused" | "second_factor_failed" | "second_factor_expired" | "passkey_refused" | "network_not_allowed" | "key_used_up" | "account_required" | "plan_required" | "permission_missing" | "campaign_key_required" | "campaign_mismatch" | "agent_mismatch" | "role_missing" | "operator_required" | "second_factor_required" | "origin_refused" | "origin_not_allowed" | "client_token_not_allowed" | "setup_closed" | "sign_in_address_refused" | "membership_ended" | "organization_full" | "personal_session_required" | "token_not_accepted" | "token_too_narrow" | "route_not_found" | "agent_not_found" | "trigger_not_found" | "channel_not_found" | "campaign_not_found" | "recipient_not_found" | "run_not_found" | "approval_not_found" | "conversation_not_found" | "attachment_not_found" | "view_not_found" | "note_not_found" | "message_not_found" | "end_user_not_found" | "key_not_found" | "token_not_found" | "organization_not_found" | "member_not_found" | "invitation_not_found" | "email_link_not_found" | "mail_link_not_found" | "tool_secret_not_found" | "webhook_not_found" | "delivery_not_found" | "password_link_not_found" | "sign_in_provider_not_found" | "sign_in_domain_not_found" | "passkey_not_found" | "document_not_found" | "push_not_found" | "segment_not_found" | "saved_reply_not_found" | "budget_not_found" | "wording_not_found" | "source_not_found" | "import_not_found" | "agent_version_not_found" | "rollout_not_found" | "version_not_found" | "problem_not_found" | "method_not_allowed" | "request_timeout" | "rating_closed" | "rollout_active" | "rollout_not_active" | "tests_not_passed" | "answer_not_recorded" | "reply_outdated" | "turn_superseded" | "trigger_disabled" | "agent_disabled" | "channel_disabled" | "channel_unsupported" | "webhook_disabled" | "campaign_not_open" | "account_exists" | "mail_missing" | "already_exists" | "domain_taken" | "domain_unproven" | "import_not_ready" | "approval_decided" | "run_finished" | "recipient_finished" | "document_is_synced" | "source_running" | "source_not_running" | "note_limit_reached" | "source_limit_reached" | "knowledge_agent_full" | "knowledge_organization_full" | "attachments_full" | "key_revoked_already" | "token_limit_reached" | "last_owner" | "idempotency_in_progress" | "payload_too_large" | "unsupported_media_type" | "headers_too_large" | "host_unknown" | "validation_failed" | "file_not_readable" | "idempotency_mismatch" | "channel_check_failed" | "content_unsupported" | "session_window_closed" | "recipient_opted_out" | "no_address" | "rate_limited" | "internal_error" | "provider_failed" | "run_failed" | "answer_pending" | "unavailable" | "outcome_unknown";
    detail: string;
    request_id: string;
    errors?: Fault[];
    required_permission?: string;
    key_permissions?: string[];
    existing_id?: string;
};

/**
 * All errors below /api/openai/ have this shape.
 */
export type OpenAIError = {
    error: {
        message: string;
        type: "authentication_error" | "invalid_request_error" | "permission_error" | "rate_limit_error" | "server_error";
        /**
         * The first wrong value of the body.
         */
        param: string | null;
        code: "body_invalid" | "request_invalid" | "cursor_invalid" | "authorization_missing" | "key_invalid" | "key_wrong_region" | "key_revoked" | "client_token_expired" | "token_invalid" | "token_expired" | "token_revoked" | "signature_invalid" | "visitor_token_invalid" | "reply_token_invalid" | "session_missing" | "sign_in_failed" | "sign_in_expired" | "sign_in_refused" | "second_factor_failed" | "second_factor_expired" | "passkey_refused" | "network_not_allowed" | "key_used_up" | "account_required" | "plan_required" | "permission_missing" | "campaign_key_required" | "campaign_mismatch" | "agent_mismatch" | "role_missing" | "operator_required" | "second_factor_required" | "origin_refused" | "origin_not_allowed" | "client_token_not_allowed" | "setup_closed" | "sign_in_address_refused" | "membership_ended" | "organization_full" | "personal_session_required" | "token_not_accepted" | "token_too_narrow" | "route_not_found" | "agent_not_found" | "trigger_not_found" | "channel_not_found" | "campaign_not_found" | "recipient_not_found" | "run_not_found" | "approval_not_found" | "conversation_not_found" | "attachment_not_found" | "view_not_found" | "note_not_found" | "message_not_found" | "end_user_not_found" | "key_not_found" | "token_not_found" | "organization_not_found" | "member_not_found" | "invitation_not_found" | "email_link_not_found" | "mail_link_not_found" | "tool_secret_not_found" | "webhook_not_found" | "delivery_not_found" | "password_link_not_found" | "sign_in_provider_not_found" | "sign_in_domain_not_found" | "passkey_not_found" | "document_not_found" | "push_not_found" | "segment_not_found" | "saved_reply_not_found" | "budget_not_found" | "wording_not_found" | "source_not_found" | "import_not_found" | "agent_version_not_found" | "rollout_not_found" | "version_not_found" | "problem_not_found" | "method_not_allowed" | "request_timeout" | "rating_closed" | "rollout_active" | "rollout_not_active" | "tests_not_passed" | "answer_not_recorded" | "reply_outdated" | "turn_superseded" | "trigger_disabled" | "agent_disabled" | "channel_disabled" | "channel_unsupported" | "webhook_disabled" | "campaign_not_open" | "account_exists" | "mail_missing" | "already_exists" | "domain_taken" | "domain_unproven" | "import_not_ready" | "approval_decided" | "run_finished" | "recipient_finished" | "document_is_synced" | "source_running" | "source_not_running" | "note_limit_reached" | "source_limit_reached" | "knowledge_agent_full" | "knowledge_organization_full" | "attachments_full" | "key_revoked_already" | "token_limit_reached" | "last_owner" | "idempotency_in_progress" | "payload_too_large" | "unsupported_media_type" | "headers_too_large" | "host_unknown" | "validation_failed" | "file_not_readable" | "idempotency_mismatch" | "channel_check_failed" | "content_unsupported" | "session_window_closed" | "recipient_opted_out" | "no_address" | "rate_limited" | "internal_error" | "provider_failed" | "run_failed" | "answer_pending" | "unavailable" | "outcome_unknown";
        /**
         * The page that explains this code.
         * @format uri
         */
        doc_url: string;
        request_id: string;
        errors?: Fault[];
    };
};

export type Approval = {
    id: string;
    status: "pending" | "approved" | "denied";
    agent_id: string;
    /**
     * The run that continues after the decision.
     */
    run_id: string;
    conversation_id: string;
    tool: string;
    /**
     * The arguments of the call. They cannot change after the request.
     */
    arguments: Record<string, unknown>;
    /**
     * The reason of the decision. If no one decided: `timeout`, or why the run ended, e.g. `handed_off`, `resolved`, `cancelled`.
     */
    reason: string | null;
    /**
     * @format date-time
     */
    created_at: string;
    /**
     * @format date-time
     */
    expires_at: string;
    decided_at: string | null;
};

export type ApprovalPage = {
    data: Approval[];
    next_cursor: string | null;
    has_more: boolean;
};

export type DecideApproval = {
    decision: "approve" | "deny";
    /**
     * The agent reads it, and may repeat it to the person.
     * @minLength 1
     * @maxLength 1000
     */
    reason?: string;
};

export type EndUserInput = {
    /**
     * Parley's ID. No other field is then allowed.
     * @pattern ^enduser_[0-7][0-9a-hjkmnp-tv-z]{25}$
     */
    id?: string;
    /**
     * Your own ID. Parley finds a person by it, then by `email`, then by `phone`, and creates a person if there is none.
     * @minLength 1
     * @maxLength 255
     */
    external_id?: string;
    /**
     * @minLength 1
     * @maxLength 200
     * @format line
     */
    name?: string;
    /**
     * E.164, e.g. +97430000000.
     * @maxLength 16
     * @format phone
     */
    phone?: string;
    /**
     * @maxLength 254
     * @format email
     */
    email?: string;
    /**
     * BCP 47, e.g. ar or ar-QA.
     * @maxLength 35
     * @format locale
     */
    locale?: string;
    /**
     * IANA name, e.g. Asia/Qatar.
     * @maxLength 64
     * @format time-zone
     */
    time_zone?: string;
    /**
     * Merged into the stored attributes. Null removes an attribute, if the key has the permission.
     */
    attributes?: Record<string, unknown>;
};

export type TriggerCall = {
    end_user?: EndUserInput;
    /**
     * Absent: the channel of the trigger, or the sandbox of the agent if the trigger has none.
     */
    channel?: {
        /**
         * One of the agent’s channels.
         * @pattern ^channel_[0-7][0-9a-hjkmnp-tv-z]{25}$
         */
        id?: string;
        /**
         * The address of the person on this channel. Absent: the stored address. Without `end_user`, the call is for the person at this address.
         * @minLength 1
         * @maxLength 320
         */
        address?: string;
    };
    /**
     * Values for the variables that the trigger declares. The texts of the agent may contain them: {{order_id}}.
     */
    variables?: Record<string, unknown>;
    /**
     * The message of the person, or an event. The agent answers it. Absent: the agent writes first.
     * @minLength 1
     * @maxLength 32000
     */
    message?: string;
    conversation?: {
        /**
         * Your own name for the conversation, such as an order number.
         * @minLength 1
         * @maxLength 255
         */
        key?: string;
        /**
         * Parley's ID of a conversation to continue. No other field is then allowed.
         * @pattern ^conv_[0-7][0-9a-hjkmnp-tv-z]{25}$
         */
        id?: string;
        /**
         * What happens if it exists: continue it, start a new one, or refuse with `already_exists`. Default: `continue`.
         */
        on_existing?: "continue" | "new" | "reject";
    };
    /**
     * The published version of the agent that answers this run. Absent: the version of the trigger, or that of a rollout, or the live version.
     * @minimum 1
     * @maximum 999999999
     */
    agent_version?: number;
    /**
     * Your own notes. Every response with the record contains them.
     */
    metadata?: Record<string, string>;
    send_at?: string | null;
    /**
     * True: returns the expected result without any effect. Default: `false`.
     */
    dry_run?: boolean;
};

export type MessageContent = {
    type: "text";
    /**
     * @minLength 1
     * @maxLength 32000
     */
    text: string;
} | {
    type: "image";
    /**
     * @maxLength 2048
     * @format uri
     */
    url: string;
    /**
     * @maxLength 1024
     */
    text?: string;
} | {
    type: "audio";
    /**
     * @maxLength 2048
     * @format uri
     */
    url: string;
    /**
     * @maxLength 1024
     */
    text?: string;
} | {
    type: "video";
    /**
     * @maxLength 2048
     * @format uri
     */
    url: string;
    /**
     * @maxLength 1024
     */
    text?: string;
} | {
    type: "file";
    /**
     * @maxLength 2048
     * @format uri
     */
    url: string;
    /**
     * @maxLength 255
     */
    name?: string;
    /**
     * @maxLength 1024
     */
    text?: string;
} | {
    type: "location";
    /**
     * @minimum -90
     * @maximum 90
     */
    latitude: number;
    /**
     * @minimum -180
     * @maximum 180
     */
    longitude: number;
    /**
     * @maxLength 1024
     */
    text?: string;
} | {
    type: "choices";
    /**
     * @minLength 1
     * @maxLength 32000
     */
    text: string;
    /**
     * @minItems 1
     * @maxItems 25
     */
    choices: {
        /**
         * @minLength 1
         * @maxLength 256
         */
        id: string;
        /**
         * @minLength 1
         * @maxLength 256
         */
        label: string;
    }[];
} | {
    type: "template";
    /**
     * @minLength 1
     * @maxLength 512
     */
    name: string;
    /**
     * @maxLength 35
     */
    language?: string;
    variables?: Record<string, string>;
    /**
     * @maxLength 1024
     */
    text?: string;
};

export type Message = {
    id: string;
    role: "agent" | "end_user" | "member" | "system";
    content: MessageContent;
    sources: {
        document: string;
        quote: string;
    }[];
    /**
     * @format date-time
     */
    created_at: string;
};

export type AnsweredRun = {
    /**
     * The agent has answered within the time of `Prefer: wait`.
     */
    outcome: "answered";
    id: string;
    status: "queued" | "scheduled" | "running" | "waiting_for_user" | "waiting_for_approval" | "handed_off" | "completed" | "failed" | "skipped" | "cancelled";
    agent_id: string;
    trigger_id: string;
    conversation_id: string;
    end_user_id: string;
    channel_id: string;
    /**
     * @format date-time
     */
    created_at: string;
    /**
     * The fields of the person in this call that were not applied, e.g. `email`, `attributes.tier`. A key without the permission `end_users` fills empty fields but changes no existing value. Absent: all fields were applied.
     */
    unchanged?: string[];
    messages: Message[];
};

export type DryRun = {
    /**
     * Nothing was stored.
     */
    outcome: "dry_run";
    dry_run: true;
    agent_id: string;
    trigger_id: string;
    channel_id: string;
    channel_kind: string;
    recipient: {
        end_user_id: string | null;
        would_create: boolean;
        address: string | null;
    };
    conversation: {
        id: string | null;
        would: "start" | "continue";
    };
    variables: Record<string, unknown>;
    opening: string | null;
    skip_reason: string | null;
    /**
     * The fields of the person in this call that were not applied, e.g. `email`, `attributes.tier`. A key without the permission `end_users` fills empty fields but changes no existing value. Absent: all fields were applied.
     */
    unchanged?: string[];
    send_at: string | null;
};

export type RunResult = {
    /**
     * `none`: no value yet. `partial`: some values. `complete`: all required values. `failed`: a model could not fill the fields.
     */
    status: "none" | "partial" | "complete" | "failed";
    /**
     * The values by field. A missing value is absent.
     */
    data: Record<string, string | number | boolean>;
    /**
     * Names of required fields without a value.
     */
    missing: string[];
    updated_at: string | null;
};

export type SurveyRating = {
    /**
     * @minimum 1
     * @maximum 5
     */
    score: number;
    comment: string | null;
    /**
     * @format date-time
     */
    rated_at: string;
};

export type Cost = {
    /**
     * @pattern ^[0-9]+(\.[0-9]+)?$
     */
    amount: string;
    /**
     * @pattern ^[A-Z]{3}$
     */
    currency: string;
};

export type ModelUse = {
    provider: string;
    /**
     * Empty: the built-in engine or a hand-off replaced the model.
     */
    model: string;
    /**
     * Turns with a model call, including turns whose answer was not stored.
     */
    turns: number;
    /**
     * Calls of the model, or of your code.
     */
    calls: number;
    /**
     * Calls with unknown usage: the provider did not report it or respond in time, or your code answers later (202).
     */
    unmeasured_calls: number;
    input_tokens: number;
    /**
     * Input tokens that the provider read from its cache.
     */
    cached_tokens: number;
    output_tokens: number;
    tool_calls: number;
    /**
     * How long the calls lasted, without unmeasured calls.
     */
    seconds: number;
    /**
     * Null: the model has no price.
     */
    cost: Cost | null;
    /**
     * The earlier models that did not answer, with the reason.
     */
    instead_of: {
        provider: string;
        model: string;
        code: string;
    }[];
};

export type Run = {
    id: string;
    status: "queued" | "scheduled" | "running" | "waiting_for_user" | "waiting_for_approval" | "handed_off" | "completed" | "failed" | "skipped" | "cancelled";
    agent_id: string;
    trigger_id: string;
    conversation_id: string;
    end_user_id: string;
    channel_id: string;
    /**
     * @format date-time
     */
    created_at: string;
    reason: string | null;
    error: {
        code: string;
        detail: string;
    } | null;
    /**
     * Your own notes. Every response with the record contains them.
     */
    metadata: Record<string, string>;
    attempts: number;
    /**
     * The version of the agent that took the latest turn; null before the first turn.
     */
    agent_version: number | null;
    result: RunResult;
    /**
     * How the person rated the conversation after this run; null: not rated.
     */
    rating: SurveyRating | null;
    request_id: string | null;
    send_at: string | null;
    finished_at: string | null;
    messages?: Message[];
    /**
     * With `include=models`: the models that answered, their usage, and the reasons for each fallback.
     */
    models?: ModelUse[];
};

export type AcceptedRun = {
    /**
     * The call is stored. The agent has not answered yet.
     */
    outcome: "accepted";
    id: string;
    status: "queued" | "scheduled" | "running" | "waiting_for_user" | "waiting_for_approval" | "handed_off" | "completed" | "failed" | "skipped" | "cancelled";
    agent_id: string;
    trigger_id: string;
    conversation_id: string;
    end_user_id: string;
    channel_id: string;
    /**
     * @format date-time
     */
    created_at: string;
    /**
     * The fields of the person in this call that were not applied, e.g. `email`, `attributes.tier`. A key without the permission `end_users` fills empty fields but changes no existing value. Absent: all fields were applied.
     */
    unchanged?: string[];
};

export type RunPage = {
    data: Run[];
    next_cursor: string | null;
    has_more: boolean;
};

export type MessagePage = {
    data: Message[];
    next_cursor: string | null;
    has_more: boolean;
};

export type ModelList = {
    object: "list";
    data: {
        /**
         * The ID of the agent.
         */
        id: string;
        object: "model";
        created: number;
        /**
         * The ID of the organization.
         */
        owned_by: string;
        /**
         * The name of the agent.
         */
        name: string;
    }[];
};

export type ChatCompletionCall = {
    /**
     * The ID of the agent.
     * @minLength 1
     * @maxLength 255
     */
    model: string;
    /**
     * The agent answers the last message with the role `user`. With `metadata.conversation`, only this message is used. Otherwise the messages before it are the history of the conversation.
     * @minItems 1
     * @maxItems 500
     */
    messages: {
        /**
         * Parley reads `user` and `assistant`. It ignores the others: the instructions of the agent are its definition.
         */
        role: "system" | "developer" | "user" | "assistant" | "tool" | "function";
        /**
         * A text, or parts of the type `text`.
         */
        content?: string | ({
            type: "text";
            /**
             * @maxLength 32000
             */
            text: string;
        } | {
            type: "refusal";
            /**
             * @maxLength 32000
             */
            refusal: string;
        })[] | null;
        /**
         * @maxLength 255
         */
        name?: string;
        refusal?: unknown;
        annotations?: unknown;
        audio?: null;
        tool_calls?: unknown;
        tool_call_id?: unknown;
        function_call?: unknown;
    }[];
    stream?: boolean | null;
    stream_options?: {
        include_usage?: boolean;
        include_obfuscation?: boolean;
    } | null;
    /**
     * The external ID of the end user. Absent: anonymous.
     * @minLength 1
     * @maxLength 255
     */
    user?: string;
    metadata?: Record<string, string> | null;
    /**
     * Values for the variables that the trigger declares. The texts of the agent may contain them: {{order_id}}.
     */
    variables?: Record<string, unknown>;
    n?: number | null;
    tool_choice?: "auto" | "none" | null;
    function_call?: "auto" | "none" | null;
    logprobs?: false | null;
    response_format?: {
        type: "text";
    } | null;
    modalities?: "text"[] | null;
    /**
     * Accepted and ignored.
     */
    frequency_penalty?: unknown;
    /**
     * Accepted and ignored.
     */
    functions?: unknown;
    /**
     * Accepted and ignored.
     */
    logit_bias?: unknown;
    /**
     * Accepted and ignored.
     */
    max_completion_tokens?: unknown;
    /**
     * Accepted and ignored.
     */
    max_tokens?: unknown;
    /**
     * Accepted and ignored.
     */
    parallel_tool_calls?: unknown;
    /**
     * Accepted and ignored.
     */
    prediction?: unknown;
    /**
     * Accepted and ignored.
     */
    presence_penalty?: unknown;
    /**
     * Accepted and ignored.
     */
    prompt_cache_key?: unknown;
    /**
     * Accepted and ignored.
     */
    prompt_cache_retention?: unknown;
    /**
     * Accepted and ignored.
     */
    reasoning_effort?: unknown;
    /**
     * Accepted and ignored.
     */
    safety_identifier?: unknown;
    /**
     * Accepted and ignored.
     */
    seed?: unknown;
    /**
     * Accepted and ignored.
     */
    service_tier?: unknown;
    /**
     * Accepted and ignored.
     */
    stop?: unknown;
    /**
     * Accepted and ignored.
     */
    store?: unknown;
    /**
     * Accepted and ignored.
     */
    temperature?: unknown;
    /**
     * Accepted and ignored.
     */
    tools?: unknown;
    /**
     * Accepted and ignored.
     */
    top_logprobs?: unknown;
    /**
     * Accepted and ignored.
     */
    top_p?: unknown;
    /**
     * Accepted and ignored.
     */
    verbosity?: unknown;
    /**
     * Accepted and ignored.
     */
    web_search_options?: unknown;
};

export type ChatCompletion = {
    /**
     * The ID of the run.
     */
    id: string;
    object: "chat.completion";
    /**
     * Seconds since 1970.
     */
    created: number;
    model: string;
    choices: {
        index: 0;
        message: {
            role: "assistant";
            /**
             * Several messages are separated by an empty line.
             */
            content: string;
            refusal: null;
        };
        logprobs: null;
        finish_reason: "stop";
    }[];
    /**
     * The tokens of all models that this run called. The built-in engine uses none.
     */
    usage: {
        prompt_tokens: number;
        completion_tokens: number;
        total_tokens: number;
    };
    parley: {
        run_id: string;
        trigger_id: string;
        conversation_id: string;
        end_user_id: string;
        status: "queued" | "scheduled" | "running" | "waiting_for_user" | "waiting_for_approval" | "handed_off" | "completed" | "failed" | "skipped" | "cancelled";
        reason: string | null;
        /**
         * The messages of the agent, with their sources.
         */
        messages: Message[];
    };
};

export type RecipientCounts = {
    pending: number;
    waiting_window: number;
    sending: number;
    sent: number;
    delivered: number;
    read: number;
    replied: number;
    completed: number;
    failed: number;
    cancelled: number;
    suppressed: number;
    expired: number;
};

export type Campaign = {
    id: string;
    agent_id: string;
    channel_id: string;
    name: string;
    state: "draft" | "live" | "paused" | "ended";
    window: {
        starts_at: string | null;
        ends_at: string | null;
        hours: {
            from: string;
            to: string;
            days: number[];
        } | null;
        quiet_hours: {
            from: string;
            to: string;
        } | null;
        time_zone: string;
    };
    limits: {
        per_minute: number | null;
        recipients_per_call: number;
    };
    counts: RecipientCounts;
    total: number;
    /**
     * @format date-time
     */
    created_at: string;
    /**
     * @format date-time
     */
    updated_at: string;
};

export type RecipientInput = {
    end_user: EndUserInput;
    /**
     * Values for the variables in the texts of the campaign: {{voucher}}.
     */
    variables?: Record<string, unknown>;
    send_at?: string | null;
    ref?: string | null;
};

export type PushRecipients = {
    /**
     * @minItems 1
     * @maxItems 1000
     */
    recipients: (Record<string, unknown> | RecipientInput)[];
    /**
     * `campaign`: a person who is already enrolled is a duplicate. `none`: the person is enrolled again. Default: `campaign`.
     */
    dedupe?: "campaign" | "none";
};

export type PushResult = {
    index: number;
    ref: string | null;
    recipient_id: string | null;
    status: "pending" | "duplicate" | "suppressed" | "invalid";
    reason: string | null;
    /**
     * The fields of the person in this call that were not applied, e.g. `email`, `attributes.tier`. A key without the permission `end_users` fills empty fields but changes no existing value. Absent: all fields were applied.
     */
    unchanged?: string[];
    errors?: {
        pointer: string;
        code: string;
        detail: string;
    }[];
};

export type PushedRecipients = {
    accepted: number;
    duplicates: number;
    suppressed: number;
    invalid: number;
    results: PushResult[];
};

export type Recipient = {
    id: string;
    campaign_id: string;
    end_user_id: string | null;
    ref: string | null;
    status: "pending" | "waiting_window" | "sending" | "sent" | "delivered" | "read" | "replied" | "completed" | "failed" | "cancelled" | "suppressed" | "expired";
    reason: string | null;
    variables: Record<string, unknown>;
    send_at: string | null;
    due_at: string | null;
    conversation_id: string | null;
    run_id: string | null;
    /**
     * @format date-time
     */
    created_at: string;
    /**
     * @format date-time
     */
    updated_at: string;
};

export type RecipientPage = {
    data: Recipient[];
    next_cursor: string | null;
    has_more: boolean;
};

export type CreateEndUser = {
    external_id?: string | null;
    name?: string | null;
    email?: string | null;
    phone?: string | null;
    locale?: string | null;
    time_zone?: string | null;
    /**
     * Merged into the stored attributes. Null removes an attribute.
     */
    attributes?: Record<string, unknown>;
    /**
     * Replaces all stored tags.
     * @maxItems 100
     */
    tags?: string[];
    /**
     * Nothing is sent to a blocked person.
     */
    blocked?: boolean;
};

export type EndUser = {
    id: string;
    external_id: string | null;
    name: string | null;
    email: string | null;
    phone: string | null;
    locale: string | null;
    time_zone: string | null;
    attributes: Record<string, unknown>;
    tags: string[];
    identities: {
        channel_id: string;
        channel_kind: string;
        address: string;
    }[];
    consent: Record<string, unknown>;
    blocked: boolean;
    /**
     * @format date-time
     */
    created_at: string;
    /**
     * @format date-time
     */
    updated_at: string;
    last_seen_at: string | null;
};

export type EndUserPage = {
    data: EndUser[];
    next_cursor: string | null;
    has_more: boolean;
};

export type UpsertEndUser = {
    name?: string | null;
    email?: string | null;
    phone?: string | null;
    locale?: string | null;
    time_zone?: string | null;
    /**
     * Merged into the stored attributes. Null removes an attribute.
     */
    attributes?: Record<string, unknown>;
    /**
     * Replaces all stored tags.
     * @maxItems 100
     */
    tags?: string[];
    /**
     * Nothing is sent to a blocked person.
     */
    blocked?: boolean;
};

export type SearchEndUsers = {
    /**
     * The start of a word of the name, or the start of the e-mail address, phone number or external ID.
     * @minLength 1
     * @maxLength 100
     */
    query?: string;
    filter?: {
        /**
         * Finds people who have these attributes with exactly these values.
         */
        attributes?: Record<string, unknown>;
        /**
         * Finds people who have all of these tags.
         * @maxItems 20
         */
        tags?: string[];
        /**
         * The caller's own ID of the person.
         * @minLength 1
         * @maxLength 255
         */
        external_id?: string;
        /**
         * Stored in lower case.
         * @maxLength 254
         * @format email
         */
        email?: string;
        /**
         * E.164, e.g. +97430000000.
         * @maxLength 16
         * @format phone
         */
        phone?: string;
        blocked?: boolean;
        /**
         * @format date-time
         */
        updated_after?: string;
    };
    /**
     * @minimum 1
     * @maximum 100
     */
    limit?: number;
    /**
     * @minLength 1
     * @maxLength 512
     */
    cursor?: string;
};

export type BulkEndUsers = {
    /**
     * @minItems 1
     * @maxItems 500
     */
    end_users: (Record<string, unknown> | CreateEndUser)[];
};

export type BulkResult = {
    index: number;
    status: "created" | "updated" | "invalid";
    id: string | null;
    errors: {
        pointer: string;
        code: string;
        detail: string;
    }[];
};

export type BulkResults = {
    results: BulkResult[];
};

export type UpdateEndUser = {
    external_id?: string | null;
    name?: string | null;
    email?: string | null;
    phone?: string | null;
    locale?: string | null;
    time_zone?: string | null;
    /**
     * Merged into the stored attributes. Null removes an attribute.
     */
    attributes?: Record<string, unknown>;
    /**
     * Replaces all stored tags.
     * @maxItems 100
     */
    tags?: string[];
    /**
     * Nothing is sent to a blocked person.
     */
    blocked?: boolean;
};

export type SetConsent = {
    status: "opted_in" | "opted_out";
    /**
     * Where the person gave or withdrew consent. Absent: api.
     * @minLength 1
     * @maxLength 100
     */
    source?: string;
};

export type EndUserConversation = {
    id: string;
    agent_id: string;
    channel_id: string;
    channel_kind: string;
    key: string | null;
    status: "open" | "handed_off" | "resolved";
    locale: string | null;
    tags: string[];
    rating: SurveyRating | null;
    /**
     * @format date-time
     */
    created_at: string;
    /**
     * @format date-time
     */
    updated_at: string;
};

export type EndUserConversationPage = {
    data: EndUserConversation[];
    next_cursor: string | null;
    has_more: boolean;
};

export type EndUserExport = {
    /**
     * @format date-time
     */
    exported_at: string;
    end_user: EndUser;
    conversations: EndUserConversation[];
    messages: Record<string, unknown>[];
    runs: Record<string, unknown>[];
    approvals: Record<string, unknown>[];
    recipients: Record<string, unknown>[];
    ratings: Record<string, unknown>[];
};

export type ChannelCapabilities = {
    /**
     * The content types that a message may have.
     */
    content: ("text" | "image" | "audio" | "video" | "file" | "location" | "choices" | "template")[];
    /**
     * The maximum characters of one message.
     */
    max_text: number;
    /**
     * The reports that the provider sends about a message after sending.
     */
    receipts: ("delivered" | "read" | "failed")[];
    /**
     * People can write back.
     */
    inbound: boolean;
    reply_window_hours: number | null;
    /**
     * A message requires an address of the recipient.
     */
    needs_address: boolean;
};

export type Channel = {
    id: string;
    agent_id: string;
    kind: string;
    name: string;
    enabled: boolean;
    status: "connected" | "broken";
    status_detail: string | null;
    capabilities: ChannelCapabilities;
    /**
     * @format date-time
     */
    created_at: string;
};

export type ChannelList = {
    data: Channel[];
    next_cursor: null;
    has_more: false;
};

export type SendMessage = {
    /**
     * Exactly one of the three fields.
     */
    to: {
        end_user?: EndUserInput;
        /**
         * The phone number, e-mail address or other name by which the channel identifies the person.
         * @minLength 1
         * @maxLength 320
         */
        address?: string;
        /**
         * @pattern ^conv_[0-7][0-9a-hjkmnp-tv-z]{25}$
         */
        conversation_id?: string;
    };
    content: MessageContent;
    reply_to?: string | null;
    /**
     * Your own notes. Every response with the record contains them.
     */
    metadata?: Record<string, string>;
    send_at?: string | null;
};

export type AcceptedMessage = {
    id: string;
    status: "queued" | "sent" | "delivered" | "read" | "failed" | "undelivered" | "suppressed";
    conversation_id: string;
    end_user_id: string;
    /**
     * @format date-time
     */
    created_at: string;
    /**
     * The fields of the person in this call that were not applied, e.g. `email`, `attributes.tier`. A key without the permission `end_users` fills empty fields but changes no existing value. Absent: all fields were applied.
     */
    unchanged?: string[];
};

export type DeliveryError = {
    /**
     * The reason, as one of the codes under /docs/guides/channel-kinds.
     */
    code: string;
    detail: string;
    provider_code: string | null;
};

export type ChannelMessage = {
    id: string;
    status: "queued" | "sent" | "delivered" | "read" | "failed" | "undelivered" | "suppressed";
    conversation_id: string;
    end_user_id: string;
    /**
     * @format date-time
     */
    created_at: string;
    channel_id: string;
    content: MessageContent;
    reply_to: string | null;
    /**
     * Your own notes. Every response with the record contains them.
     */
    metadata: Record<string, string>;
    send_at: string | null;
    attempts: number;
    error: DeliveryError | null;
    provider_message_id: string | null;
    /**
     * True: the provider may have received the message more than once, because a worker stopped or a response was lost.
     */
    possible_duplicate: boolean;
};

export type Health = {
    status: "ok";
    /**
     * @format date-time
     */
    timestamp: string;
};

export type KeyLimits = {
    /**
     * @minimum 1
     * @maximum 1000000
     */
    per_minute?: number;
    /**
     * @minimum 1
     * @maximum 1000000
     */
    per_end_user_per_minute?: number;
    /**
     * @minimum 1
     * @maximum 1000000000
     */
    total?: number;
};

export type Me = {
    /**
     * @pattern ^key_[0-7][0-9a-hjkmnp-tv-z]{25}$
     */
    id: string;
    label: string;
    /**
     * The part of the key that may be shown.
     */
    prefix: string;
    scope: "organization" | "agent" | "campaign";
    /**
     * The agent that an agent key is bound to.
     */
    agent_id: string | null;
    /**
     * The campaign that a campaign key is bound to.
     */
    campaign_id: string | null;
    permissions: ("triggers" | "channels" | "end_users" | "campaigns")[];
    /**
     * The networks from which the key may be used; null: from any network.
     */
    allowed_networks: string[] | null;
    /**
     * The limits of this key; null: the key has no limits of its own.
     */
    limits: KeyLimits | null;
    /**
     * The calls that `limits.total` still allows after this one; null: the key has no total.
     */
    remaining: number | null;
    organization: {
        id: string;
        name: string;
    };
    plan: "free" | "paid";
    region: "us" | "eu" | "in" | "qa";
    base_url: string;
};

export type Ready = {
    status: "ready";
};

export type Event = {
    id: string;
    type: string;
    /**
     * @format date-time
     */
    timestamp: string;
    data: Record<string, unknown>;
};

export type EventPage = {
    data: Event[];
    next_cursor: string | null;
    has_more: boolean;
};

/**
 * @maxItems 1000
 */
export type LeakReport = {
    /**
     * The complete value of the key.
     */
    token: string;
    /**
     * The name of the pattern that matched. Parley ignores it.
     */
    type?: string;
    /**
     * Where the key was found. Its owners see it.
     */
    url?: string | null;
    /**
     * The kind of place, for example `commit`.
     */
    source?: string | null;
}[];

export type NewClientToken = {
    /**
     * @pattern ^agent_[0-7][0-9a-hjkmnp-tv-z]{25}$
     */
    agent_id: string;
    /**
     * The only trigger that the token may call.
     * @pattern ^trigger_[0-7][0-9a-hjkmnp-tv-z]{25}$
     */
    trigger_id: string;
    end_user: EndUserInput;
    conversation?: {
        /**
         * Every call of the token continues the conversation with this key, or starts it.
         * @minLength 1
         * @maxLength 255
         */
        key: string;
    };
    /**
     * The web pages that may use the token.
     * @minItems 1
     * @maxItems 10
     */
    origins: string[];
    /**
     * Seconds until the token expires.
     * @minimum 60
     * @maximum 3600
     */
    expires_in: number;
};

export type ClientToken = {
    /**
     * The page sends it as `Authorization: Bearer`. Parley does not store it.
     */
    token: string;
    /**
     * @format date-time
     */
    expires_at: string;
};

export type ConversationEventData = {
    id: string;
    agent_id: string;
    channel_id: string;
    end_user_id: string;
    key: string | null;
    status: "open" | "handed_off" | "resolved";
    locale: string | null;
    tags: string[];
    run_id: string | null;
    /**
     * @format date-time
     */
    created_at: string;
    /**
     * @format date-time
     */
    updated_at: string;
};

export type ConversationStartedEvent = {
    id: string;
    type: "conversation.started";
    /**
     * @format date-time
     */
    timestamp: string;
    data: ConversationEventData;
};

export type HandedOffEventData = {
    id: string;
    agent_id: string;
    channel_id: string;
    end_user_id: string;
    key: string | null;
    status: "open" | "handed_off" | "resolved";
    locale: string | null;
    tags: string[];
    run_id: string | null;
    /**
     * @format date-time
     */
    created_at: string;
    /**
     * @format date-time
     */
    updated_at: string;
    result: RunResult;
};

export type ConversationHandedOffEvent = {
    id: string;
    type: "conversation.handed_off";
    /**
     * @format date-time
     */
    timestamp: string;
    data: HandedOffEventData;
};

export type ConversationResolvedEvent = {
    id: string;
    type: "conversation.resolved";
    /**
     * @format date-time
     */
    timestamp: string;
    data: ConversationEventData;
};

export type ConversationReopenedEvent = {
    id: string;
    type: "conversation.reopened";
    /**
     * @format date-time
     */
    timestamp: string;
    data: ConversationEventData;
};

export type RatedEventData = {
    id: string;
    agent_id: string;
    channel_id: string;
    end_user_id: string;
    key: string | null;
    status: "open" | "handed_off" | "resolved";
    locale: string | null;
    tags: string[];
    run_id: string | null;
    /**
     * @format date-time
     */
    created_at: string;
    /**
     * @format date-time
     */
    updated_at: string;
    rating: {
        kind: "survey" | "answer";
        /**
         * A survey: 1 to 5. An answer: 1 is good, -1 is bad.
         */
        score: number;
        comment: string | null;
        /**
         * The rated answer, or the question of the survey.
         */
        message_id: string;
        run_id: string | null;
        agent_version: number | null;
        /**
         * @format date-time
         */
        rated_at: string;
    };
};

export type ConversationRatedEvent = {
    id: string;
    type: "conversation.rated";
    /**
     * @format date-time
     */
    timestamp: string;
    data: RatedEventData;
};

export type MessageEventData = {
    id: string;
    conversation_id: string;
    agent_id: string;
    channel_id: string;
    end_user_id: string;
    run_id: string | null;
    role: "agent" | "end_user" | "member" | "system";
    content: MessageContent;
    sources: {
        document: string;
        quote: string;
    }[];
    status: ("queued" | "sent" | "delivered" | "read" | "failed" | "undelivered" | "suppressed") | null;
    error: {
        code: string;
        detail: string;
        provider_code?: string | null;
    } | null;
    metadata: Record<string, string>;
    /**
     * @format date-time
     */
    created_at: string;
};

export type MessageReceivedEvent = {
    id: string;
    type: "message.received";
    /**
     * @format date-time
     */
    timestamp: string;
    data: MessageEventData;
};

export type MessageSentEvent = {
    id: string;
    type: "message.sent";
    /**
     * @format date-time
     */
    timestamp: string;
    data: MessageEventData;
};

export type MessageDeliveredEvent = {
    id: string;
    type: "message.delivered";
    /**
     * @format date-time
     */
    timestamp: string;
    data: MessageEventData;
};

export type MessageReadEvent = {
    id: string;
    type: "message.read";
    /**
     * @format date-time
     */
    timestamp: string;
    data: MessageEventData;
};

export type MessageFailedEvent = {
    id: string;
    type: "message.failed";
    /**
     * @format date-time
     */
    timestamp: string;
    data: MessageEventData;
};

export type RunEventData = {
    id: string;
    status: "queued" | "scheduled" | "running" | "waiting_for_user" | "waiting_for_approval" | "handed_off" | "completed" | "failed" | "skipped" | "cancelled";
    reason: string | null;
    error: {
        code: string;
        detail: string;
    } | null;
    agent_id: string;
    trigger_id: string | null;
    conversation_id: string;
    end_user_id: string;
    channel_id: string;
    metadata: Record<string, string>;
    agent_version: number | null;
    result: RunResult;
    /**
     * @format date-time
     */
    created_at: string;
    finished_at: string | null;
};

export type RunCompletedEvent = {
    id: string;
    type: "run.completed";
    /**
     * @format date-time
     */
    timestamp: string;
    data: RunEventData;
};

export type RunFailedEvent = {
    id: string;
    type: "run.failed";
    /**
     * @format date-time
     */
    timestamp: string;
    data: RunEventData;
};

export type RunSkippedEvent = {
    id: string;
    type: "run.skipped";
    /**
     * @format date-time
     */
    timestamp: string;
    data: RunEventData;
};

export type RunResultUpdatedEvent = {
    id: string;
    type: "run.result_updated";
    /**
     * @format date-time
     */
    timestamp: string;
    data: RunEventData;
};

export type ApprovalRequestedEvent = {
    id: string;
    type: "approval.requested";
    /**
     * @format date-time
     */
    timestamp: string;
    data: Approval;
};

export type EndUserEventData = {
    id: string;
    external_id: string | null;
    name: string | null;
    email: string | null;
    phone: string | null;
    locale: string | null;
    time_zone: string | null;
    attributes: Record<string, unknown>;
    tags: string[];
    consent: Record<string, unknown>;
    blocked: boolean;
    /**
     * @format date-time
     */
    created_at: string;
    /**
     * @format date-time
     */
    updated_at: string;
    last_seen_at: string | null;
};

export type EndUserCreatedEvent = {
    id: string;
    type: "end_user.created";
    /**
     * @format date-time
     */
    timestamp: string;
    data: EndUserEventData;
};

export type EndUserUpdatedEvent = {
    id: string;
    type: "end_user.updated";
    /**
     * @format date-time
     */
    timestamp: string;
    data: EndUserEventData;
};

export type EndUserDeletedEvent = {
    id: string;
    type: "end_user.deleted";
    /**
     * @format date-time
     */
    timestamp: string;
    data: {
        id: string;
    };
};

export type EndUserOptedOutEvent = {
    id: string;
    type: "end_user.opted_out";
    /**
     * @format date-time
     */
    timestamp: string;
    data: {
        id: string;
        external_id: string | null;
        name: string | null;
        email: string | null;
        phone: string | null;
        locale: string | null;
        time_zone: string | null;
        attributes: Record<string, unknown>;
        tags: string[];
        consent: Record<string, unknown>;
        blocked: boolean;
        /**
         * @format date-time
         */
        created_at: string;
        /**
         * @format date-time
         */
        updated_at: string;
        last_seen_at: string | null;
        channel_kind: string;
    };
};

export type RecipientEventData = {
    id: string;
    campaign_id: string;
    end_user_id: string | null;
    ref: string | null;
    status: "pending" | "waiting_window" | "sending" | "sent" | "delivered" | "read" | "replied" | "completed" | "failed" | "cancelled" | "suppressed" | "expired";
    previous_status: "pending" | "waiting_window" | "sending" | "sent" | "delivered" | "read" | "replied" | "completed" | "failed" | "cancelled" | "suppressed" | "expired";
    reason: string | null;
    conversation_id: string | null;
    run_id: string | null;
    /**
     * @format date-time
     */
    created_at: string;
    /**
     * @format date-time
     */
    updated_at: string;
};

export type CampaignRecipientUpdatedEvent = {
    id: string;
    type: "campaign.recipient.updated";
    /**
     * @format date-time
     */
    timestamp: string;
    data: RecipientEventData;
};

export type CampaignEventData = {
    id: string;
    agent_id: string;
    channel_id: string;
    name: string;
    state: "ended";
    /**
     * @format date-time
     */
    created_at: string;
    /**
     * @format date-time
     */
    updated_at: string;
};

export type CampaignEndedEvent = {
    id: string;
    type: "campaign.ended";
    /**
     * @format date-time
     */
    timestamp: string;
    data: CampaignEventData;
};

export type ApiKeyEventData = {
    id: string;
    label: string;
    prefix: string;
    scope: "organization" | "agent" | "campaign";
    agent_id: string | null;
    campaign_id: string | null;
    permissions: ("triggers" | "channels" | "end_users" | "campaigns")[];
    /**
     * @format date-time
     */
    created_at: string;
    revoked_at: string | null;
    leak: {
        url: string | null;
        source: string | null;
        signed: boolean;
    } | null;
};

export type ApiKeyCreatedEvent = {
    id: string;
    type: "api_key.created";
    /**
     * @format date-time
     */
    timestamp: string;
    data: ApiKeyEventData;
};

export type ApiKeyRevokedEvent = {
    id: string;
    type: "api_key.revoked";
    /**
     * @format date-time
     */
    timestamp: string;
    data: ApiKeyEventData;
};

export type BudgetEventData = {
    id: string;
    subject: "organization" | "agent" | "campaign" | "key";
    subject_id: string | null;
    period: "day" | "month";
    /**
     * @format date
     */
    period_start: string;
    unit: string;
    amount: number;
    spent: number;
};

export type BudgetWarningEvent = {
    id: string;
    type: "budget.warning";
    /**
     * @format date-time
     */
    timestamp: string;
    data: BudgetEventData;
};

export type BudgetSpentEvent = {
    id: string;
    type: "budget.spent";
    /**
     * @format date-time
     */
    timestamp: string;
    data: BudgetEventData;
};

export type AgentRolloutStoppedEvent = {
    id: string;
    type: "agent.rollout_stopped";
    /**
     * @format date-time
     */
    timestamp: string;
    data: {
        id: string;
        agent_id: string;
        version: number;
        base_version: number;
        percent: number;
        reason: "worse" | "member";
        comparison: {
            confidence: number;
            base: {
                version: number;
                end_users: number;
                problems: {
                    count: number;
                    part: {
                        value: number;
                        low: number;
                        high: number;
                    } | null;
                };
            };
            rolled_out: {
                version: number;
                end_users: number;
                problems: {
                    count: number;
                    part: {
                        value: number;
                        low: number;
                        high: number;
                    } | null;
                };
            };
            worse_by: {
                value: number;
                low: number;
                high: number;
            } | null;
        };
        /**
         * @format date-time
         */
        created_at: string;
        /**
         * @format date-time
         */
        ended_at: string;
    };
};

export type AuditEventData = {
    id: string;
    actor: string;
    actor_name: string | null;
    actor_email: string | null;
    action: string;
    subject_id: string;
    facts: Record<string, unknown>;
    address: string | null;
    request_id: string | null;
    /**
     * @format date-time
     */
    created_at: string;
};

export type AuditRecordedEvent = {
    id: string;
    type: "audit.recorded";
    /**
     * @format date-time
     */
    timestamp: string;
    data: AuditEventData;
};

export type TurnRequested = {
    type: "turn.requested";
    turn: {
        /**
         * The same in every attempt of one turn. It is also the header `webhook-id`.
         */
        id: string;
        /**
         * Starts at 1.
         */
        attempt: number;
        /**
         * Later answers are refused.
         * @format date-time
         */
        deadline: string;
        /**
         * Receives the answer if the response was 202.
         */
        reply_url: string;
        /**
         * The bearer token for `reply_url`. It is valid for this turn only.
         */
        reply_token: string;
    };
    run: {
        /**
         * Null in a try.
         */
        id: string | null;
        /**
         * Null: the person's own message started the run.
         */
        trigger_id: string | null;
        variables: Record<string, unknown>;
        /**
         * Your own notes. Every response with the record contains them.
         */
        metadata: Record<string, string>;
    };
    conversation: {
        /**
         * Null in a try.
         */
        id: string | null;
        key: string | null;
        locale: string | null;
        /**
         * Null in a try.
         */
        channel_kind: string | null;
    };
    /**
     * Also has the fields in `end_user_fields` of the definition.
     */
    end_user: {
        id: string;
        external_id: string | null;
    };
    /**
     * The newest messages of the conversation, oldest first.
     */
    messages: Message[];
    /**
     * New decisions of the team about tool calls that a fallback requested. Absent: none.
     */
    approvals?: {
        tool: string;
        arguments: Record<string, unknown>;
        status: "approved" | "denied";
        reason: string | null;
        /**
         * What the tool returned. Null: the call was not made.
         */
        result: string | null;
    }[];
};

export type TurnAnswer = {
    /**
     * The messages of the agent, in the order of sending. Empty: the agent writes nothing.
     * @maxItems 10
     */
    messages: {
        content: MessageContent;
    }[];
    /**
     * Wait for the person, complete the conversation, or hand it over to your team. Default: `wait`.
     */
    next?: "wait" | "complete" | "hand_off";
    /**
     * Values of the result fields of the agent, by name. Null: no value.
     */
    result?: Record<string, unknown>;
    /**
     * Tags to add to the conversation.
     * @maxItems 20
     */
    tags?: string[];
};

export type EventData = {
    "conversation.started": ConversationEventData;
    "conversation.handed_off": HandedOffEventData;
    "conversation.resolved": ConversationEventData;
    "conversation.reopened": ConversationEventData;
    "conversation.rated": RatedEventData;
    "message.received": MessageEventData;
    "message.sent": MessageEventData;
    "message.delivered": MessageEventData;
    "message.read": MessageEventData;
    "message.failed": MessageEventData;
    "run.completed": RunEventData;
    "run.failed": RunEventData;
    "run.skipped": RunEventData;
    "run.result_updated": RunEventData;
    "approval.requested": Approval;
    "end_user.created": EndUserEventData;
    "end_user.updated": EndUserEventData;
    "end_user.deleted": {
        id: string;
    };
    "end_user.opted_out": {
        id: string;
        external_id: string | null;
        name: string | null;
        email: string | null;
        phone: string | null;
        locale: string | null;
        time_zone: string | null;
        attributes: Record<string, unknown>;
        tags: string[];
        consent: Record<string, unknown>;
        blocked: boolean;
        /**
         * @format date-time
         */
        created_at: string;
        /**
         * @format date-time
         */
        updated_at: string;
        last_seen_at: string | null;
        channel_kind: string;
    };
    "campaign.recipient.updated": RecipientEventData;
    "campaign.ended": CampaignEventData;
    "api_key.created": ApiKeyEventData;
    "api_key.revoked": ApiKeyEventData;
    "budget.warning": BudgetEventData;
    "budget.spent": BudgetEventData;
    "agent.rollout_stopped": {
        id: string;
        agent_id: string;
        version: number;
        base_version: number;
        percent: number;
        reason: "worse" | "member";
        comparison: {
            confidence: number;
            base: {
                version: number;
                end_users: number;
                problems: {
                    count: number;
                    part: {
                        value: number;
                        low: number;
                        high: number;
                    } | null;
                };
            };
            rolled_out: {
                version: number;
                end_users: number;
                problems: {
                    count: number;
                    part: {
                        value: number;
                        low: number;
                        high: number;
                    } | null;
                };
            };
            worse_by: {
                value: number;
                low: number;
                high: number;
            } | null;
        };
        /**
         * @format date-time
         */
        created_at: string;
        /**
         * @format date-time
         */
        ended_at: string;
    };
    "audit.recorded": AuditEventData;
    "webhook.test": {
        endpoint_id: string;
        message: string;
    };
};
