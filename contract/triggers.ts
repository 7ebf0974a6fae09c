import { Type, type Static } from 'typebox';
import { MAX_LABEL_CHARACTERS, MAX_MESSAGE_CHARACTERS, MAX_NAME_CHARACTERS, MAX_VERSION } from './limits.ts';
import { SurveyRating } from './ratings.ts';
import { RunResult } from './results.ts';
import { ModelUse } from './costs.ts';
import { Message, type MessageContent } from './messages.ts';
import { idPattern } from './ids.ts';

const closed = { additionalProperties: false };

export const VARIABLE_TYPES = ['string', 'number', 'integer', 'boolean', 'date', 'object', 'array'] as const;

/** The declaration of one variable of a trigger. */
export const VariableDeclaration = Type.Object(
  {
    name: Type.String({ pattern: '^[a-zA-Z_][a-zA-Z0-9_]{0,63}$' }),
    type: Type.Enum(VARIABLE_TYPES),
    required: Type.Optional(Type.Boolean({ default: false })),
    default: Type.Optional(Type.Unknown()),
    description: Type.Optional(Type.String({ maxLength: 500 })),
  },
  closed,
);
export type VariableDeclaration = Static<typeof VariableDeclaration>;

/** A field of responses that contain data about a person. */
export const Unchanged = Type.Optional(
  Type.Array(Type.String(), {
    description:
      'The fields of the person in this call that were not applied, e.g. `email`, `attributes.tier`. A key without the permission `end_users` fills empty fields but changes no existing value. Absent: all fields were applied.',
  }),
);

/**
 * Identifies a person by Parley's ID, or by the caller's own identifiers. If the call has other identifiers, the record
 * is created or updated.
 */
export const EndUserInput = Type.Object(
  {
    id: Type.Optional(
      Type.String({ pattern: idPattern('enduser'), description: "Parley's ID. No other field is then allowed." }),
    ),
    external_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description:
          'Your own ID. Parley finds a person by it, then by `email`, then by `phone`, and creates a person if there is none.',
      }),
    ),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_NAME_CHARACTERS, format: 'line' })),
    phone: Type.Optional(Type.String({ format: 'phone', maxLength: 16, description: 'E.164, e.g. +97430000000.' })),
    email: Type.Optional(Type.String({ format: 'email', maxLength: 254 })),
    locale: Type.Optional(Type.String({ format: 'locale', maxLength: 35, description: 'BCP 47, e.g. ar or ar-QA.' })),
    time_zone: Type.Optional(
      Type.String({ format: 'time-zone', maxLength: 64, description: 'IANA name, e.g. Asia/Qatar.' }),
    ),
    attributes: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        maxProperties: 100,
        propertyNames: { minLength: 1, maxLength: 64 },
        description: 'Merged into the stored attributes. Null removes an attribute, if the key has the permission.',
      }),
    ),
  },
  { ...closed, title: 'EndUserInput' },
);
export type EndUserInput = Static<typeof EndUserInput>;

export const Metadata = Type.Record(Type.String(), Type.String({ maxLength: 500 }), {
  maxProperties: 50,
  propertyNames: { maxLength: 64 },
  description: 'Your own notes. Every response with the record contains them.',
});

export const TriggerCall = Type.Object(
  {
    end_user: Type.Optional(EndUserInput),
    channel: Type.Optional(
      Type.Object(
        {
          id: Type.Optional(
            Type.String({ pattern: idPattern('channel'), description: 'One of the agent’s channels.' }),
          ),
          address: Type.Optional(
            Type.String({
              minLength: 1,
              maxLength: 320,
              description:
                'The address of the person on this channel. Absent: the stored address. Without `end_user`, the call is for the person at this address.',
            }),
          ),
        },
        {
          ...closed,
          description: 'Absent: the channel of the trigger, or the sandbox of the agent if the trigger has none.',
        },
      ),
    ),
    variables: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        propertyNames: { maxLength: 64 },
        description:
          'Values for the variables that the trigger declares. The texts of the agent may contain them: {{order_id}}.',
      }),
    ),
    message: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_MESSAGE_CHARACTERS,
        description: 'The message of the person, or an event. The agent answers it. Absent: the agent writes first.',
      }),
    ),
    conversation: Type.Optional(
      Type.Object(
        {
          key: Type.Optional(
            Type.String({
              minLength: 1,
              maxLength: 255,
              description: 'Your own name for the conversation, such as an order number.',
            }),
          ),
          id: Type.Optional(
            Type.String({
              pattern: idPattern('conv'),
              description: "Parley's ID of a conversation to continue. No other field is then allowed.",
            }),
          ),
          on_existing: Type.Optional(
            Type.Union([Type.Literal('continue'), Type.Literal('new'), Type.Literal('reject')], {
              default: 'continue',
              description: 'What happens if it exists: continue it, start a new one, or refuse with `already_exists`.',
            }),
          ),
        },
        closed,
      ),
    ),
    agent_version: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_VERSION,
        description:
          'The published version of the agent that answers this run. Absent: the version of the trigger, or that of a rollout, or the live version.',
      }),
    ),
    metadata: Type.Optional(Metadata),
    send_at: Type.Optional(
      Type.Union([
        Type.String({
          format: 'date-time',
          description: 'The conversation does not start before this time. A past time means now.',
        }),
        Type.Null(),
      ]),
    ),
    dry_run: Type.Optional(
      Type.Boolean({ default: false, description: 'True: returns the expected result without any effect.' }),
    ),
  },
  { ...closed, title: 'TriggerCall' },
);
export type TriggerCall = Static<typeof TriggerCall>;

export const RUN_STATUSES = [
  'queued',
  'scheduled',
  'running',
  'waiting_for_user',
  'waiting_for_approval',
  'handed_off',
  'completed',
  'failed',
  'skipped',
  'cancelled',
] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

export type EarlierMessage = { role: 'agent' | 'end_user'; text: string };

/** The filters of a list of runs. */
export const RunFilters = {
  status: Type.Optional(Type.Enum(RUN_STATUSES)),
  created_after: Type.Optional(
    Type.String({ format: 'date-time', description: 'Runs that were created at this time or later.' }),
  ),
  created_before: Type.Optional(
    Type.String({ format: 'date-time', description: 'Runs that were created before this time.' }),
  ),
};

/** The data of the call that a run stores for the worker. */
export type RunInput = {
  variables?: Record<string, unknown>;
  metadata?: Record<string, string>;
  /** The version of the agent that the call or its trigger chose. */
  agent_version?: number;
  /** The ID of the message that the first turn of the run answers. Absent: the agent writes first. */
  message_id?: string;
  /**
   * The messages before this conversation, oldest first. Turns contain this history, which is not stored as messages.
   */
  earlier?: EarlierMessage[];
  /** The opening of a campaign, which replaces the agent's own opening. */
  opening?: MessageContent;
  campaign_id?: string;
  recipient_id?: string;
  /** The key of the caller, for which the cost of the run counts. */
  key_id?: string;
  /** The `traceparent` of the request, if tracing is on. */
  trace?: string;
  /** The process that streams this run to its caller. */
  reader?: string;
};

const accepted = {
  id: Type.String(),
  status: Type.Enum(RUN_STATUSES),
  agent_id: Type.String(),
  trigger_id: Type.String(),
  conversation_id: Type.String(),
  end_user_id: Type.String(),
  channel_id: Type.String(),
  created_at: Type.String({ format: 'date-time' }),
};

/** The field distinguishes the responses of a trigger call. */
const outcome = <Name extends string>(name: Name, description: string) => ({
  outcome: Type.Literal(name, { description }),
});

/** The body of the 202 response to a trigger call. */
export const AcceptedRun = Type.Object(
  {
    ...outcome('accepted', 'The call is stored. The agent has not answered yet.'),
    ...accepted,
    unchanged: Unchanged,
  },
  { title: 'AcceptedRun' },
);
export type AcceptedRun = Static<typeof AcceptedRun>;

/** The body of the 200 response to a trigger call that waited for the agent's first message. */
export const AnsweredRun = Type.Object(
  {
    ...outcome('answered', 'The agent has answered within the time of `Prefer: wait`.'),
    ...accepted,
    unchanged: Unchanged,
    messages: Type.Array(Message),
  },
  { title: 'AnsweredRun' },
);
export type AnsweredRun = Static<typeof AnsweredRun>;

export const RunRecord = Type.Object(
  {
    ...accepted,
    reason: Type.Union([Type.String(), Type.Null()]),
    error: Type.Union([Type.Object({ code: Type.String(), detail: Type.String() }), Type.Null()]),
    metadata: Metadata,
    attempts: Type.Integer(),
    agent_version: Type.Union([Type.Integer(), Type.Null()], {
      description: 'The version of the agent that took the latest turn; null before the first turn.',
    }),
    result: RunResult,
    rating: Type.Union([SurveyRating, Type.Null()], {
      description: 'How the person rated the conversation after this run; null: not rated.',
    }),
    request_id: Type.Union([Type.String(), Type.Null()]),
    send_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
    finished_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
    messages: Type.Optional(Type.Array(Message)),
    models: Type.Optional(
      Type.Array(ModelUse, {
        description: 'With `include=models`: the models that answered, their usage, and the reasons for each fallback.',
      }),
    ),
  },
  { title: 'Run' },
);
export type RunRecord = Static<typeof RunRecord>;

/** The body of the 200 response to a dry run, with the expected result. The dry run has stored nothing. */
export const DryRun = Type.Object(
  {
    ...outcome('dry_run', 'Nothing was stored.'),
    dry_run: Type.Literal(true),
    agent_id: Type.String(),
    trigger_id: Type.String(),
    channel_id: Type.String(),
    channel_kind: Type.String(),
    recipient: Type.Object({
      end_user_id: Type.Union([Type.String(), Type.Null()]),
      would_create: Type.Boolean(),
      address: Type.Union([Type.String(), Type.Null()]),
    }),
    conversation: Type.Object({
      id: Type.Union([Type.String(), Type.Null()]),
      would: Type.Union([Type.Literal('start'), Type.Literal('continue')]),
    }),
    variables: Type.Record(Type.String(), Type.Unknown()),
    /**
     * The opening after its variables are filled in. Null if the agent answers `message`, or a model writes the
     * opening.
     */
    opening: Type.Union([Type.String(), Type.Null()]),
    skip_reason: Type.Union([Type.String(), Type.Null()]),
    unchanged: Unchanged,
    send_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  },
  { title: 'DryRun' },
);
export type DryRun = Static<typeof DryRun>;

/** A trigger in the form for the dashboard and the command line. */
export const TriggerInput = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: MAX_LABEL_CHARACTERS, format: 'line' }),
    enabled: Type.Optional(Type.Boolean()),
    variables: Type.Optional(Type.Array(VariableDeclaration, { maxItems: 100 })),
    channel_id: Type.Optional(Type.Union([Type.String({ pattern: idPattern('channel') }), Type.Null()])),
    agent_version: Type.Optional(
      Type.Union([Type.Integer({ minimum: 1, maximum: MAX_VERSION }), Type.Null()], {
        description: 'The version of the agent that answers its runs. Null: the live version, or that of a rollout.',
      }),
    ),
  },
  closed,
);
export type TriggerInput = Static<typeof TriggerInput>;
