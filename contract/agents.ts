import { Type, type Static } from 'typebox';
import { noReplyOf } from './no-reply.ts';
import { surveyOf } from './ratings.ts';
import { ResultDefinition } from './results.ts';
import { ToolApproval } from './approvals.ts';
import { FALLBACK_REASONS } from './costs.ts';

/**
 * The definition of an agent: all settings that decide its answers. Each text that people read has one entry per
 * language. The key of an entry is a BCP 47 tag without region (`en`, `ar`, `hi`). The entry `default` is used when no
 * entry matches the language of the conversation. Texts may contain Mustache variables, such as `{{order_id}}`,
 * `{{end_user.name}}` and `{{end_user.name|there}}`.
 */
export const LocalizedText = Type.Record(
  Type.String({ pattern: '^(default|[a-z]{2,3})$' }),
  Type.String({ maxLength: 4000 }),
  {
    description: 'Text per language. The key "default" is used if no key matches the language of the conversation.',
  },
);
export type LocalizedText = Static<typeof LocalizedText>;

export const PROVIDERS = ['embedded', 'http', 'openai_compatible', 'openai', 'anthropic', 'google'] as const;
export type ProviderName = (typeof PROVIDERS)[number];

const closed = { additionalProperties: false };

export const STEP_TYPES = ['text', 'choice', 'number', 'date', 'phone', 'email', 'yes_no'] as const;

/** One question of a guided flow. The person's answer becomes the slot with the step's `name`. */
export const Step = Type.Object(
  {
    name: Type.String({ pattern: '^[a-z][a-z0-9_]{0,63}$' }),
    type: Type.Enum([...STEP_TYPES]),
    ask: LocalizedText,
    ask_again: Type.Optional(LocalizedText),
    optional: Type.Optional(Type.Boolean({ description: 'The person may skip it.' })),
    choices: Type.Optional(
      Type.Array(Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }), label: LocalizedText }, closed), {
        minItems: 1,
        maxItems: 25,
      }),
    ),
    min: Type.Optional(
      Type.Number({
        description: 'Minimum: the value of a number, the length of a text, or days from today for a date.',
      }),
    ),
    max: Type.Optional(Type.Number({ description: 'Maximum, in the same unit as `min`.' })),
  },
  closed,
);
export type Step = Static<typeof Step>;

/** A rule has a condition (words or a pattern) and an action of the agent. The first rule that matches applies. */
export const Rule = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100 }),
    words: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { minItems: 1, maxItems: 100 })),
    pattern: Type.Optional(
      Type.String({
        maxLength: 500,
        description: 'Regular expression that ignores case. Lookaround, backreferences and inline flags are refused.',
      }),
    ),
    reply: Type.Optional(LocalizedText),
    tag: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    action: Type.Optional(
      Type.Union([
        Type.Literal('hand_off'),
        Type.Literal('opt_out'),
        Type.Literal('complete'),
        Type.Literal('start_steps'),
      ]),
    ),
  },
  closed,
);
export type Rule = Static<typeof Rule>;

/** This tool is offered to every model that may hand over, so no declared tool may use its name. */
export const HAND_OFF_TOOL = 'hand_off_to_human';

/**
 * This tool is offered to every model whose documents exceed its knowledge limit, so no declared tool may use its name.
 */
export const SEARCH_TOOL = 'search_knowledge';

/** By default, a model receives this many tokens of document text per turn. */
export const DEFAULT_KNOWLEDGE_TOKENS = 24_000;

/** A text that consists of one variable, so that the value keeps its type. */
const Variable = Type.String({
  pattern: '^\\{\\{ ?[a-zA-Z_][a-zA-Z0-9_]{0,63}(\\.[a-zA-Z0-9_-]{1,64}){0,4} ?\\}\\}$',
  maxLength: 400,
});

/** The built-in fields of an end user. Every other name in `end_user_fields` is an attribute. */
export const END_USER_FIELDS = ['name', 'locale', 'time_zone', 'email', 'phone', 'external_id', 'id'] as const;
export const DEFAULT_END_USER_FIELDS: readonly string[] = ['name', 'locale'];

/** The MCP server of a tool, and the version of the tool that was approved. */
export const McpOrigin = Type.Object(
  {
    server: Type.String({
      pattern: '^[a-zA-Z][a-zA-Z0-9_-]{0,31}$',
      description: 'Your name for the server. Its tools share the secret `mcp:NAME` and one `url`.',
    }),
    tool: Type.String({ pattern: '^[!-~]{1,128}$', description: "The tool's name on the server." }),
    pin: Type.String({
      pattern: '^[A-Za-z0-9_-]{43}$',
      description:
        'Hash of the approved name, description and input schema. A tool with a different hash is not offered.',
    }),
  },
  closed,
);
export type McpOrigin = Static<typeof McpOrigin>;

/** A tool that a model may call: one HTTPS request to the customer's own address, or a tool of an MCP server. */
export const Tool = Type.Object(
  {
    name: Type.String({ pattern: '^[a-zA-Z][a-zA-Z0-9_-]{0,63}$' }),
    description: Type.String({ minLength: 1, maxLength: 1024 }),
    parameters: Type.Record(Type.String(), Type.Unknown(), {
      description: 'JSON Schema of the arguments (an object).',
    }),
    url: Type.String({
      format: 'uri',
      maxLength: 2048,
      description:
        'Receives the arguments and a context as JSON by POST (docs/tools.md). Its response goes to the model. With `mcp`: the endpoint of the MCP server.',
    }),
    mcp: Type.Optional(McpOrigin),
    bound: Type.Optional(
      Type.Record(Type.String({ pattern: '^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$' }), Variable, {
        maxProperties: 32,
        description:
          'Arguments that Parley sets, such as {"customer": "{{end_user.external_id}}"}. The model cannot see or set them.',
      }),
    ),
    confirm: Type.Optional(
      Type.Unsafe<LocalizedText>({
        ...LocalizedText,
        description:
          'Question with the answers Yes and No that the person gets before each call. It may contain {{arguments.order_id}}. Absent: no question.',
      }),
    ),
    approval: Type.Optional(ToolApproval),
    read_only: Type.Optional(
      Type.Boolean({ default: false, description: 'The tool only reads data, so a failed call may be repeated.' }),
    ),
    timeout_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 30, default: 10 })),
    retries: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 3,
        default: 0,
        description: 'Further attempts of a `read_only` tool, with the same idempotency key.',
      }),
    ),
  },
  closed,
);
export type Tool = Static<typeof Tool>;

/** Own code is only called first, and is never the fallback of a model. */
export const STAND_INS = ['embedded', 'openai_compatible', 'openai', 'anthropic', 'google', 'hand_off'] as const;

/** The next responder, which is another model, the built-in engine, or people. */
export const Fallback = Type.Object(
  {
    provider: Type.Enum([...STAND_INS]),
    model: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: 'Not for "embedded" and "hand_off".' }),
    ),
    when: Type.Optional(
      Type.Array(Type.Enum([...FALLBACK_REASONS]), {
        minItems: 1,
        maxItems: FALLBACK_REASONS.length,
        uniqueItems: true,
        description:
          'Which failures of the previous model lead to this fallback: its budget is used up, its provider fails, is slow, or limits the calls. Absent: every failure.',
      }),
    ),
    time_limit_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 30, default: 30 })),
  },
  closed,
);
export type Fallback = Static<typeof Fallback>;

export const AgentDefinition = Type.Object(
  {
    instructions: Type.Optional(
      Type.String({ maxLength: 32_000, description: 'The description of the task for the model.' }),
    ),
    provider: Type.Optional(Type.Enum([...PROVIDERS], { default: 'embedded' })),
    model: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Name of the model at the provider; not for "embedded".',
      }),
    ),
    url: Type.Optional(
      Type.String({
        format: 'uri',
        pattern: '^https?://',
        maxLength: 2048,
        description: 'Only for the provider "http": your own code, which receives each turn (docs/your-code.md).',
      }),
    ),
    temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
    end_user_fields: Type.Optional(
      Type.Array(Type.String({ pattern: '^[a-zA-Z0-9_-]{1,64}$' }), {
        maxItems: 50,
        uniqueItems: true,
        default: [...DEFAULT_END_USER_FIELDS],
        description:
          'The fields of the person that a model provider receives: name, locale, time_zone, email, phone, external_id, id, or an attribute. A text that contains {{end_user.email}} also sends that field.',
      }),
    ),
    read_images: Type.Optional(
      Type.Boolean({
        default: true,
        description: 'The model receives the images that people send (docs/files.md).',
      }),
    ),
    max_output_tokens: Type.Optional(
      Type.Integer({
        minimum: 16,
        maximum: 200_000,
        description: 'The maximum tokens that a model may write in one call, including its reasoning.',
      }),
    ),
    time_limit_seconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 900,
        default: 30,
        description: 'A longer call of the model is cancelled. At most 30, or 900 for the provider "http".',
      }),
    ),
    fallback: Type.Optional(
      Type.Array(Fallback, {
        maxItems: 5,
        description: 'The fallbacks, in this order, for a model that is not allowed or fails (docs/costs.md).',
      }),
    ),
    opening: Type.Optional(LocalizedText),
    steps: Type.Optional(
      Type.Object(
        {
          items: Type.Array(Step, { minItems: 1, maxItems: 50 }),
          start: Type.Optional(Type.Union([Type.Literal('on_open'), Type.Literal('by_rule')], { default: 'on_open' })),
          summary: Type.Optional(LocalizedText),
        },
        closed,
      ),
    ),
    result: Type.Optional(ResultDefinition),
    rules: Type.Optional(Type.Array(Rule, { maxItems: 200 })),
    tools: Type.Optional(Type.Array(Tool, { maxItems: 32 })),
    knowledge: Type.Optional(
      Type.Object(
        {
          max_tokens: Type.Optional(
            Type.Integer({
              minimum: 500,
              maximum: 500_000,
              default: DEFAULT_KNOWLEDGE_TOKENS,
              description:
                'The approximate number of document tokens that a model receives per turn. Smaller documents are sent whole. If the documents are larger, the model receives the parts that match the question, and it can search for more.',
            }),
          ),
        },
        closed,
      ),
    ),
    dont_know: Type.Optional(LocalizedText),
    hand_off: Type.Optional(
      Type.Object(
        {
          after_misses: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: 20,
              description:
                'The number of consecutive unanswered questions before a hand-off. Only the embedded provider counts them. A model decides by itself.',
            }),
          ),
          on_request: Type.Optional(Type.Boolean({ default: true })),
          text: Type.Optional(LocalizedText),
        },
        closed,
      ),
    ),
    no_reply: Type.Optional(noReplyOf(LocalizedText)),
    survey: Type.Optional(surveyOf(LocalizedText)),
  },
  { ...closed, title: 'AgentDefinition' },
);
export type AgentDefinition = Static<typeof AgentDefinition>;
