import { Type, type Static } from 'typebox';
import { AgentDefinition, PROVIDERS } from '../agents.ts';
import { MAX_MESSAGE_CHARACTERS } from '../limits.ts';
import { MessageContent, MessageSource } from '../messages.ts';
import { closed, Moment, Name, Nullable } from './shapes.ts';
import { PublishBody } from './test-cases.ts';

export const MAX_DOCUMENT_BYTES = 1024 * 1024;
export const MAX_DOCUMENTS_PER_AGENT = 1_000;
/** A file that becomes a document: a PDF is larger than its text. */
export const MAX_FILE_BYTES = 10 * 1024 * 1024;

/** A tool of an MCP server that is no longer what was approved: it is not offered to the model, and not called. */
export const ToolChange = Type.Object({
  tool: Type.String(),
  /** What differs now; `gone`: the server no longer has it. */
  what: Type.Array(Type.Enum(['description', 'schema', 'gone'])),
  /** When a node first saw it so: with a turn, or when a member opened the tools. */
  since: Moment,
});
export type ToolChange = Static<typeof ToolChange>;

const summary = {
  id: Type.String(),
  name: Type.String(),
  enabled: Type.Boolean(),
  provider: Type.Enum(PROVIDERS),
  /** Number of the published version. */
  version: Type.Integer(),
  /** True: the draft differs from what answers now. */
  unpublished_changes: Type.Boolean(),
  /** Of the published version; empty: all are as they were approved. */
  changed_tools: Type.Array(ToolChange),
  sandbox_channel_id: Nullable(Type.String()),
  created_at: Moment,
  updated_at: Moment,
};

export const AgentSummary = Type.Object(summary, { title: 'AgentSummary' });
export type AgentSummary = Static<typeof AgentSummary>;

/** `definition` is what is being edited, `published` is what answers. */
export const AgentRecord = Type.Object(
  {
    ...summary,
    definition: AgentDefinition,
    published: AgentDefinition,
    /** What turns leave out of `published` because it costs too much: an older Parley stored it. */
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
      Type.Boolean({ default: true, description: 'False keeps a new definition as a draft until it is published.' }),
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
    /** Name of who published it; null for what a program did. */
    published_by: Nullable(Type.String()),
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
    /** Where it was read, and the source that reads it again; null: a person added it. */
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

/** How full the documents are, of this agent and of all agents together. */
export const KnowledgeUse = Type.Object({ agent: Filled, organization: Filled }, { title: 'KnowledgeUse' });
export type KnowledgeUse = Static<typeof KnowledgeUse>;

export const CreateDocumentBody = Type.Object(
  {
    name: Name,
    text: Type.String({ minLength: 1, maxLength: MAX_DOCUMENT_BYTES, description: 'At most 1 MiB of UTF-8.' }),
  },
  closed,
);
export type CreateDocumentBody = Static<typeof CreateDocumentBody>;

export const UploadDocumentQuery = Type.Object({ name: Name }, closed);

/** One turn of an agent, tried out: nothing is stored. Without messages the agent opens. */
export const PlaygroundBody = Type.Object(
  {
    /** Absent: the draft as stored. */
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
    /** What the previous turn returned as `state`. */
    state: Type.Optional(Type.Unknown()),
    variables: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { propertyNames: { maxLength: 64 } })),
    locale: Type.Optional(Type.String({ format: 'locale', maxLength: 35 })),
  },
  closed,
);
export type PlaygroundBody = Static<typeof PlaygroundBody>;

/** One step on the way to an answer; of a call of a tool also what was sent and answered, both cut. */
export const TraceStep = Type.Object({
  kind: Type.String(),
  detail: Type.String(),
  sent: Type.Optional(Nullable(Type.String())),
  output: Type.Optional(Type.String()),
  error: Type.Optional(Type.String()),
});
export type TraceStep = Static<typeof TraceStep>;

export const PlaygroundTurn = Type.Object(
  {
    messages: Type.Array(Type.Object({ content: MessageContent, sources: Type.Array(MessageSource) })),
    state: Type.Unknown(),
    next: Type.Union([Type.Literal('waiting_for_user'), Type.Literal('handed_off'), Type.Literal('completed')]),
    tags: Type.Array(Type.String()),
    opted_out: Type.Boolean(),
    /** Why the agent said this. */
    trace: Type.Object({
      provider: Type.String(),
      steps: Type.Array(TraceStep),
    }),
  },
  { title: 'PlaygroundTurn' },
);
export type PlaygroundTurn = Static<typeof PlaygroundTurn>;
