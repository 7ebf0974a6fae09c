import { Type, type Static } from 'typebox';
import { AgentDefinition } from '../agents.ts';
import { APPROVAL_DECISIONS } from '../approval-limits.ts';
import { MAX_MESSAGE_CHARACTERS } from '../limits.ts';
import { MODEL_PROVIDERS } from './models.ts';
import { closed, Id, Moment, Name, Nullable } from './shapes.ts';

export const MAX_CASES = 200;
export const MAX_CASE_TURNS = 20;
const MAX_EXPECTED = 20;

/**
 * The expected value is text, or a number in digits of any script. The comparison ignores case, accents and spelling
 * variants.
 */
const Words = Type.Union([Type.String({ minLength: 1, maxLength: 500 }), Type.Number()]);
const SomeWords = Type.Union([Words, Type.Array(Words, { minItems: 1, maxItems: MAX_EXPECTED })]);
const Arguments = Type.Record(Type.String({ maxLength: 64 }), Type.Unknown());
const ToolName = Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' });

export const MAX_RUBRIC_CHARACTERS = 1_000;
const RubricText = Type.String({ minLength: 1, maxLength: MAX_RUBRIC_CHARACTERS });
/** A criterion that a model evaluates, which is the agent's own model or the model of the suite. */
export const Rubric = Type.Union([
  RubricText,
  Type.Object(
    {
      text: RubricText,
      provider: Type.Enum(MODEL_PROVIDERS),
      model: Type.String({ minLength: 1, maxLength: 200 }),
    },
    closed,
  ),
]);
export type Rubric = Static<typeof Rubric>;

/** The expectations for one turn. Only a rubric needs a model. */
export const Expectation = Type.Object(
  {
    says: Type.Optional(
      Type.Unsafe<Static<typeof SomeWords>>({ ...SomeWords, description: 'The answer contains all of these texts.' }),
    ),
    says_any: Type.Optional(
      Type.Array(Words, {
        minItems: 1,
        maxItems: MAX_EXPECTED,
        description: 'The answer contains at least one of these texts.',
      }),
    ),
    says_not: Type.Optional(
      Type.Unsafe<Static<typeof SomeWords>>({ ...SomeWords, description: 'The answer contains none of these texts.' }),
    ),
    cites: Type.Optional(
      Type.Union([Name, Type.Array(Name, { minItems: 1, maxItems: MAX_EXPECTED })], {
        description: 'The names of documents that the answer cites, all of them.',
      }),
    ),
    slots: Type.Optional(
      Type.Record(
        Type.String({ maxLength: 64 }),
        Nullable(Type.Union([Type.String({ maxLength: 500 }), Type.Number(), Type.Boolean()])),
        {
          description: 'The answers that the steps have collected so far. Null: skipped.',
        },
      ),
    ),
    result: Type.Optional(
      Type.Record(
        Type.String({ maxLength: 64 }),
        Nullable(Type.Union([Type.String({ maxLength: 500 }), Type.Number(), Type.Boolean()])),
        { description: 'Values of the result after this turn; null: no value. Other fields may have values.' },
      ),
    ),
    calls: Type.Optional(
      Type.Array(Type.Object({ tool: ToolName, arguments: Type.Optional(Arguments) }, closed), {
        maxItems: MAX_EXPECTED,
        description: 'The tool calls of this turn. The listed arguments have these values. Empty: no tool is called.',
      }),
    ),
    approvals: Type.Optional(
      Type.Array(Type.Object({ tool: ToolName, arguments: Type.Optional(Arguments) }, closed), {
        maxItems: MAX_EXPECTED,
        description: 'The calls of this turn that need an approval, as in `calls`. Empty: no call needs one.',
      }),
    ),
    knows: Type.Optional(
      Type.Boolean({
        description: 'False: the agent does not know the answer, so it cites no document and calls no tool.',
      }),
    ),
    hands_off: Type.Optional(Type.Boolean()),
    completes: Type.Optional(Type.Boolean({ description: 'The agent ends the conversation.' })),
    opts_out: Type.Optional(Type.Boolean()),
    language: Type.Optional(
      Type.String({
        pattern: '^[a-z]{2,3}$',
        description: 'The language, detected from the script: en and fr are the same, ar and hi are different.',
      }),
    ),
    max_messages: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
    rubric: Type.Optional(
      Type.Unsafe<Rubric>({
        ...Rubric,
        description: "A criterion that a connected model evaluates: the named model, or the agent's model.",
      }),
    ),
  },
  closed,
);
export type Expectation = Static<typeof Expectation>;

const CaseTurn = Type.Object(
  {
    say: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_MESSAGE_CHARACTERS,
        description: 'Absent: the agent writes first. Only in the first turn.',
      }),
    ),
    expect: Type.Optional(Expectation),
  },
  closed,
);

/**
 * The recorded results of a tool in this case. The first recorded result that matches is used. The test really calls no
 * tool.
 */
const CaseTool = Type.Object(
  {
    tool: ToolName,
    arguments: Type.Optional(Arguments),
    answer: Type.Optional(Type.Unknown()),
    error: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
    approval: Type.Optional(
      Type.Enum(APPROVAL_DECISIONS, {
        description: 'The decision about a call that needs an approval. Absent: `approve`.',
      }),
    ),
  },
  closed,
);

export const TestCase = Type.Object(
  {
    name: Name,
    locale: Type.Optional(Type.String({ format: 'locale', maxLength: 35 })),
    variables: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { propertyNames: { maxLength: 64 } })),
    now: Type.Optional(
      Type.String({ format: 'date-time', description: 'The time of the virtual clock. Absent: 2026-01-15T09:00:00Z.' }),
    ),
    tools: Type.Optional(Type.Array(CaseTool, { maxItems: MAX_EXPECTED })),
    from: Type.Optional(
      Type.Unsafe<string>({
        ...Id('enduser'),
        description: 'The end user who wrote these messages. When that person is erased, the case is erased too.',
      }),
    ),
    turns: Type.Array(CaseTurn, { minItems: 1, maxItems: MAX_CASE_TURNS }),
  },
  closed,
);
export type TestCase = Static<typeof TestCase>;

const cases = Type.Array(TestCase, { maxItems: MAX_CASES });

/** A file of test cases in a repository has the same form. */
export const SetSuiteBody = Type.Object(
  {
    cases,
    required: Type.Optional(
      Type.Boolean({ description: 'True: publishing requires that all cases pass. Absent: no change.' }),
    ),
  },
  closed,
);
export type SetSuiteBody = Static<typeof SetSuiteBody>;

export const CheckSuiteBody = Type.Object(
  {
    ...SetSuiteBody.properties,
    definition: Type.Optional(
      Type.Unsafe<AgentDefinition>({ ...AgentDefinition, description: 'The definition to test.' }),
    ),
  },
  closed,
);
export type CheckSuiteBody = Static<typeof CheckSuiteBody>;

export const SuiteRecord = Type.Object(
  {
    cases,
    required: Type.Boolean(),
    /** The names of the cases that have not passed with the current draft and the current documents. */
    open: Type.Array(Type.String()),
    updated_at: Nullable(Moment),
  },
  { title: 'Suite' },
);
export type SuiteRecord = Static<typeof SuiteRecord>;

/** The responses of models as the provider sent them, with a hash of the request as key. */
const Recorded = Type.Record(Type.String({ maxLength: 64 }), Type.String({ maxLength: 200_000 }), {
  maxProperties: 200,
});

export const TestAgentBody = Type.Object(
  {
    case: TestCase,
    version: Type.Optional(Type.Integer({ minimum: 1, maximum: 999_999_999, description: 'Absent: the draft.' })),
    definition: Type.Optional(
      Type.Unsafe<AgentDefinition>({
        ...AgentDefinition,
        description: 'Tests this definition instead of the draft. The draft does not change.',
      }),
    ),
    record: Type.Optional(
      Type.Boolean({ description: 'True: the result contains the responses of the model as `recorded`.' }),
    ),
    recorded: Type.Optional(
      Type.Unsafe<Static<typeof Recorded>>({
        ...Recorded,
        description: 'Recorded responses. No model is called, and a pass does not count for publishing.',
      }),
    ),
  },
  closed,
);
export type TestAgentBody = Static<typeof TestAgentBody>;

/** The verdict of a model on an answer. The field `by` has the form provider/model. */
export const Judgment = Type.Object({ by: Type.String(), met: Type.Boolean(), why: Type.String() });
export type Judgment = Static<typeof Judgment>;

export const CaseResult = Type.Object(
  {
    name: Type.String(),
    passed: Type.Boolean(),
    recorded: Type.Optional(Recorded),
    turns: Type.Array(
      Type.Object({
        said: Type.Array(Type.String()),
        cites: Type.Array(Type.String()),
        calls: Type.Array(Type.Object({ tool: Type.String(), arguments: Type.Record(Type.String(), Type.Unknown()) })),
        next: Type.String(),
        /**
         * The verdict of a model on the rubric. The value is absent if the turn has no rubric, or an earlier
         * expectation failed.
         */
        judgment: Type.Optional(Judgment),
        /** The expectations that failed. The field `expectation` is the name of the expectation. */
        faults: Type.Array(
          Type.Object({ expectation: Type.String(), expected: Type.Unknown(), found: Type.Unknown() }),
        ),
      }),
    ),
  },
  { title: 'CaseResult' },
);
export type CaseResult = Static<typeof CaseResult>;

export const PublishBody = Type.Object(
  {
    without_tests: Type.Optional(
      Type.String({
        minLength: 3,
        maxLength: 500,
        description:
          'The reason for publishing although the required tests did not pass. It is stored in the audit log.',
      }),
    ),
  },
  closed,
);
export type PublishBody = Static<typeof PublishBody>;

export const PublishAgentBody = Type.Object(
  {
    ...PublishBody.properties,
    live: Type.Optional(
      Type.Boolean({
        default: true,
        description: 'False: the version is added, but is used only by a rollout, a trigger or a call that names it.',
      }),
    ),
  },
  closed,
);
export type PublishAgentBody = Static<typeof PublishAgentBody>;
