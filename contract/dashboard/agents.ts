import { Type, type Static } from 'typebox';
import { APPROVAL_DECISIONS } from '../approval-limits.ts';
import { AgentDefinition, PROVIDERS } from '../agents.ts';
import { MAX_MESSAGE_CHARACTERS } from '../limits.ts';
import { MAX_REMINDERS } from '../no-reply.ts';
import { MessageContent, MessageSource } from '../messages.ts';
import { closed, Moment, Name, Nullable } from './shapes.ts';
import { PublishBody } from './test-cases.ts';
import { LearnedQuestion } from './wordings.ts';

export const MAX_DOCUMENT_BYTES = 1024 * 1024;
export const MAX_DOCUMENTS_PER_AGENT = 1_000;
/**
 * An uploaded document has at most this size. The limit is higher than the limit of a text, because a PDF file is
 * larger than its text.
 */
export const MAX_FILE_BYTES = 10 * 1024 * 1024;

/**
 * A tool of an MCP server that differs from its approved version. The model does not get such a tool, and Parley does
 * not call it.
 */
export const ToolChange = Type.Object({
  tool: Type.String(),
  /** The parts of the tool that differ. `gone`: the server no longer has the tool. */
  what: Type.Array(Type.Enum(['description', 'schema', 'gone'])),
  /** The time at which Parley first found the difference, in a turn or when a member opened the tools. */
  since: Moment,
});
export type ToolChange = Static<typeof ToolChange>;

const summary = {
  id: Type.String(),
  name: Type.String(),
  enabled: Type.Boolean(),
  provider: Type.Enum(PROVIDERS),
  /** The number of the version that is live. */
  version: Type.Integer(),
  /** The number of the version that was published last. A version in a rollout is not live. */
  newest_version: Type.Integer(),
  /** True: the draft differs from the published version. */
  unpublished_changes: Type.Boolean(),
  /** The tools of the published version that have changed. Empty: every tool equals its approved version. */
  changed_tools: Type.Array(ToolChange),
  sandbox_channel_id: Nullable(Type.String()),
  created_at: Moment,
  updated_at: Moment,
};

export const AgentSummary = Type.Object(summary, { title: 'AgentSummary' });
export type AgentSummary = Static<typeof AgentSummary>;

/** The field `definition` is the draft, and `published` is the version that answers. */
export const AgentRecord = Type.Object(
  {
    ...summary,
    definition: AgentDefinition,
    published: AgentDefinition,
    /**
     * The parts of `published` that turns skip because they would take too much time. An older Parley without the
     * present checks stored parts that take too much time.
     */
    left_out: Type.Array(Type.Object({ pointer: Type.String(), code: Type.String(), detail: Type.String() })),
  },
  { title: 'Agent' },
);
export type AgentRecord = Static<typeof AgentRecord>;

export const CreateAgentBody = Type.Object({ name: Name, definition: Type.Optional(AgentDefinition) }, closed);
export type CreateAgentBody = Static<typeof CreateAgentBody>;

export const UpdateAgentBody = Type.Object(
  {
    name: Type.Optional(Name),
    enabled: Type.Optional(Type.Boolean()),
    definition: Type.Optional(AgentDefinition),
    publish: Type.Optional(
      Type.Boolean({ default: true, description: 'False: a new definition stays a draft until it is published.' }),
    ),
    ...PublishBody.properties,
  },
  { ...closed, minProperties: 1 },
);
export type UpdateAgentBody = Static<typeof UpdateAgentBody>;

export const AgentVersion = Type.Object(
  {
    version: Type.Integer(),
    definition: AgentDefinition,
    /** The name of the person who published the version. Null: a program published the version. */
    published_by: Nullable(Type.String()),
    /**
     * The reason why a member published the version although not all tests passed. Null: all tests passed, or the agent
     * had no tests.
     */
    without_tests: Nullable(Type.String()),
    created_at: Moment,
  },
  { title: 'AgentVersion' },
);
export type AgentVersion = Static<typeof AgentVersion>;

export const DocumentSummary = Type.Object(
  {
    id: Type.String(),
    agent_id: Type.String(),
    name: Type.String(),
    /**
     * The URL of the page from which the document comes, and the source that reads the page again. Null: a person added
     * the document.
     */
    url: Nullable(Type.String()),
    source_id: Nullable(Type.String()),
    bytes: Type.Integer(),
    created_at: Moment,
    updated_at: Moment,
  },
  { title: 'DocumentSummary' },
);
export type DocumentSummary = Static<typeof DocumentSummary>;

export const DocumentRecord = Type.Object(
  { ...DocumentSummary.properties, text: Type.String() },
  { title: 'Document' },
);
export type DocumentRecord = Static<typeof DocumentRecord>;

const Filled = Type.Object({ bytes: Type.Integer(), max_bytes: Type.Integer() });

/** The used bytes and the maximum bytes of the documents, for this agent and for all agents together. */
export const KnowledgeUse = Type.Object({ agent: Filled, organization: Filled }, { title: 'KnowledgeUse' });
export type KnowledgeUse = Static<typeof KnowledgeUse>;

export const CreateDocumentBody = Type.Object(
  {
    name: Name,
    text: Type.String({ minLength: 1, maxLength: MAX_DOCUMENT_BYTES, description: 'At most 1 MiB of UTF-8.' }),
    /** The question that the document answers. The question becomes a wording of the first passages of the document. */
    answers: Type.Optional(LearnedQuestion),
  },
  closed,
);
export type CreateDocumentBody = Static<typeof CreateDocumentBody>;

export const UploadDocumentQuery = Type.Object({ name: Name }, closed);

/** Runs one turn of an agent as a test. The turn stores nothing. Without messages, the agent writes first. */
export const PlaygroundBody = Type.Object(
  {
    /** Absent: the stored draft answers. */
    definition: Type.Optional(AgentDefinition),
    messages: Type.Optional(
      Type.Array(
        Type.Object(
          {
            role: Type.Union([Type.Literal('agent'), Type.Literal('end_user')]),
            text: Type.String({ minLength: 1, maxLength: MAX_MESSAGE_CHARACTERS }),
          },
          closed,
        ),
        { maxItems: 100 },
      ),
    ),
    /** The `state` that the previous turn returned. */
    state: Type.Optional(Type.Unknown()),
    variables: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { propertyNames: { maxLength: 64 } })),
    locale: Type.Optional(Type.String({ format: 'locale', maxLength: 35 })),
    /** The decision of the test about all calls that need an approval. Absent: the calls are approved. */
    approvals: Type.Optional(Type.Enum(APPROVAL_DECISIONS)),
    /**
     * The number of finished steps of `no_reply`, for a person who does not answer. The turn is the next step of
     * `no_reply`.
     */
    silent_steps: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_REMINDERS })),
  },
  closed,
);
export type PlaygroundBody = Static<typeof PlaygroundBody>;

/** One step on the way to an answer. A tool call also has its truncated request and response. */
export const TraceStep = Type.Object({
  kind: Type.String(),
  detail: Type.String(),
  sent: Type.Optional(Nullable(Type.String())),
  output: Type.Optional(Type.String()),
  error: Type.Optional(Type.String()),
  /** The reason of the team for an approval or a denial. */
  reason: Type.Optional(Type.String()),
});
export type TraceStep = Static<typeof TraceStep>;

export const PlaygroundTurn = Type.Object(
  {
    messages: Type.Array(Type.Object({ content: MessageContent, sources: Type.Array(MessageSource) })),
    state: Type.Unknown(),
    next: Type.Union([Type.Literal('waiting_for_user'), Type.Literal('handed_off'), Type.Literal('completed')]),
    tags: Type.Array(Type.String()),
    opted_out: Type.Boolean(),
    /** The values of result fields that your own code returned. */
    result: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    /** The steps that led to this answer of the agent. */
    trace: Type.Object({
      provider: Type.String(),
      steps: Type.Array(TraceStep),
    }),
  },
  { title: 'PlaygroundTurn' },
);
export type PlaygroundTurn = Static<typeof PlaygroundTurn>;
