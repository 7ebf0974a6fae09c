import { type Static, Type } from 'typebox';
import { MAX_MESSAGE_CHARACTERS } from './limits.ts';
import { Message } from './messages.ts';
import { Metadata, RUN_STATUSES, TriggerCall } from './triggers.ts';

const closed = { additionalProperties: false };

/** One call has at most this many messages. The body limit does not allow a higher number of long messages. */
const MAX_MESSAGES = 500;
/** A call with 500 messages of a few members each has at most this many keys. */
export const MAX_COMPLETION_KEYS = 5_000;

const text = Type.String({ maxLength: MAX_MESSAGE_CHARACTERS });
const Part = Type.Union([
  Type.Object({ type: Type.Literal('text'), text }, closed),
  Type.Object({ type: Type.Literal('refusal'), refusal: text }, closed),
]);

const CompletionMessage = Type.Object(
  {
    role: Type.Enum(['system', 'developer', 'user', 'assistant', 'tool', 'function'], {
      description:
        'Parley reads `user` and `assistant`. It ignores the others: the instructions of the agent are its definition.',
    }),
    content: Type.Optional(
      Type.Union([text, Type.Array(Part, { maxItems: 100 }), Type.Null()], {
        description: 'A text, or parts of the type `text`.',
      }),
    ),
    name: Type.Optional(Type.String({ maxLength: 255 })),
    refusal: Type.Optional(Type.Unknown()),
    annotations: Type.Optional(Type.Unknown()),
    audio: Type.Optional(Type.Null()),
    tool_calls: Type.Optional(Type.Unknown()),
    tool_call_id: Type.Optional(Type.Unknown()),
    function_call: Type.Optional(Type.Unknown()),
  },
  closed,
);

/**
 * Parameters of OpenAI that tune a model or offer it tools. Parley ignores them, because the definition of the agent
 * determines the model and its tools.
 */
const IGNORED = [
  'frequency_penalty',
  'functions',
  'logit_bias',
  'max_completion_tokens',
  'max_tokens',
  'parallel_tool_calls',
  'prediction',
  'presence_penalty',
  'prompt_cache_key',
  'prompt_cache_retention',
  'reasoning_effort',
  'safety_identifier',
  'seed',
  'service_tier',
  'stop',
  'store',
  'temperature',
  'tools',
  'top_logprobs',
  'top_p',
  'verbosity',
  'web_search_options',
] as const;
const ignored = Object.fromEntries(
  IGNORED.map((name) => [name, Type.Optional(Type.Unknown({ description: 'Accepted and ignored.' }))]),
) as Record<(typeof IGNORED)[number], ReturnType<typeof Type.Optional<ReturnType<typeof Type.Unknown>>>>;

/** Any other value requests a response in a format that Parley does not have. */
const only = <Value extends string | boolean>(...values: Value[]) =>
  Type.Optional(Type.Union([...values.map((value) => Type.Literal(value)), Type.Null()]));

export const CompletionCall = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 255, description: 'The ID of the agent.' }),
    messages: Type.Array(CompletionMessage, {
      minItems: 1,
      maxItems: MAX_MESSAGES,
      description:
        'The agent answers the last message with the role `user`. With `metadata.conversation`, only this message is used. Otherwise the messages before it are the history of the conversation.',
    }),
    stream: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
    stream_options: Type.Optional(
      Type.Union([
        Type.Object(
          { include_usage: Type.Optional(Type.Boolean()), include_obfuscation: Type.Optional(Type.Boolean()) },
          closed,
        ),
        Type.Null(),
      ]),
    ),
    user: Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, description: 'The external ID of the end user. Absent: anonymous.' }),
    ),
    metadata: Type.Optional(
      Type.Union([
        {
          ...Metadata,
          description:
            '`conversation`: your key of the conversation, which continues if it exists. `trigger`: the ID of the trigger. The other entries become the metadata of the run.',
        },
        Type.Null(),
      ]),
    ),
    variables: TriggerCall.properties.variables,
    n: Type.Optional(Type.Union([Type.Integer({ minimum: 1, maximum: 1 }), Type.Null()])),
    tool_choice: only('auto', 'none'),
    function_call: only('auto', 'none'),
    logprobs: only(false),
    response_format: Type.Optional(Type.Union([Type.Object({ type: Type.Literal('text') }, closed), Type.Null()])),
    modalities: Type.Optional(Type.Union([Type.Array(Type.Literal('text'), { maxItems: 1 }), Type.Null()])),
    ...ignored,
  },
  { ...closed, title: 'ChatCompletionCall' },
);
export type CompletionCall = Static<typeof CompletionCall>;

const Usage = Type.Object(
  { prompt_tokens: Type.Integer(), completion_tokens: Type.Integer(), total_tokens: Type.Integer() },
  { description: 'The tokens of all models that this run called. The built-in engine uses none.' },
);
export type CompletionUsage = Static<typeof Usage>;

/** Data of Parley that the format of OpenAI does not have. */
const Parley = Type.Object({
  run_id: Type.String(),
  trigger_id: Type.String(),
  conversation_id: Type.String(),
  end_user_id: Type.String(),
  status: Type.Enum(RUN_STATUSES),
  reason: Type.Union([Type.String(), Type.Null()]),
  messages: Type.Array(Message, { description: 'The messages of the agent, with their sources.' }),
});
export type CompletionDetails = Static<typeof Parley>;

export const Completion = Type.Object(
  {
    id: Type.String({ description: 'The ID of the run.' }),
    object: Type.Literal('chat.completion'),
    created: Type.Integer({ description: 'Seconds since 1970.' }),
    model: Type.String(),
    choices: Type.Array(
      Type.Object({
        index: Type.Literal(0),
        message: Type.Object({
          role: Type.Literal('assistant'),
          content: Type.String({ description: 'Several messages are separated by an empty line.' }),
          refusal: Type.Null(),
        }),
        logprobs: Type.Null(),
        finish_reason: Type.Literal('stop'),
      }),
    ),
    usage: Usage,
    parley: Parley,
  },
  { title: 'ChatCompletion' },
);
export type Completion = Static<typeof Completion>;

export const ModelList = Type.Object(
  {
    object: Type.Literal('list'),
    data: Type.Array(
      Type.Object({
        id: Type.String({ description: 'The ID of the agent.' }),
        object: Type.Literal('model'),
        created: Type.Integer(),
        owned_by: Type.String({ description: 'The ID of the organization.' }),
        name: Type.String({ description: 'The name of the agent.' }),
      }),
    ),
  },
  { title: 'ModelList' },
);
export type ModelList = Static<typeof ModelList>;
