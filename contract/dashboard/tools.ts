import { Type, type Static } from 'typebox';
import { McpOrigin, Tool } from '../agents.ts';
import { ROTATION_OVERLAPS } from './keys.ts';
import { closed, Moment, Nullable } from './shapes.ts';

/** Secrets of one agent: each tool at two origins. */
export const MAX_TOOL_SECRETS = 64;
export const MAX_TOOL_HEADERS = 5;

/** Which credentials a call carries, without them. */
export const ToolCredentialsLook = Type.Object({
  authorization: Nullable(Type.Enum(['bearer', 'basic'])),
  /** Names of the other sealed headers. */
  headers: Type.Array(Type.String()),
});
export type ToolCredentialsLook = Static<typeof ToolCredentialsLook>;

const record = {
  id: Type.String(),
  agent_id: Type.String(),
  tool: Type.String(),
  /** Scheme, host and port: calls to any other are not signed with it, and carry no credentials of it. */
  origin: Type.String(),
  credentials: ToolCredentialsLook,
  /** Until then every call carries a second signature, by the secret before. */
  previous_secret_until: Nullable(Moment),
  created_at: Moment,
  updated_at: Moment,
};

export const ToolSecretRecord = Type.Object(record, { title: 'ToolSecret' });
export type ToolSecretRecord = Static<typeof ToolSecretRecord>;

/** The only answers that hold `secret`: creating, and rotating it. */
export const NewToolSecret = Type.Object({ ...record, secret: Type.String() }, { title: 'NewToolSecret' });
export type NewToolSecret = Static<typeof NewToolSecret>;

export const CreateToolSecretBody = Type.Object(
  {
    tool: Type.String({
      pattern: '^(mcp:)?[a-zA-Z][a-zA-Z0-9_-]{0,63}$',
      description: 'Name of the tool; `mcp:NAME` for all tools of an MCP server.',
    }),
    url: Type.String({
      format: 'uri',
      pattern: '^https?://',
      maxLength: 2048,
      description: 'URL of the tool; the secret belongs to its scheme, host and port.',
    }),
  },
  closed,
);
export type CreateToolSecretBody = Static<typeof CreateToolSecretBody>;

export const RotateToolSecretBody = Type.Object({ overlap: Type.Enum(ROTATION_OVERLAPS) }, closed);
export type RotateToolSecretBody = Static<typeof RotateToolSecretBody>;

/** Visible ASCII: what a header may hold. */
const headerText = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '^[!-~]([ -~]*[!-~])?$' });

/** Replaces all credentials; an empty body removes them. */
export const SetToolCredentialsBody = Type.Object(
  {
    bearer: Type.Optional(headerText(4_000)),
    basic: Type.Optional(
      Type.Object(
        {
          username: Type.String({ minLength: 1, maxLength: 255, pattern: '^[^:\\x00-\\x1f]+$' }),
          password: Type.String({ minLength: 1, maxLength: 1_000 }),
        },
        closed,
      ),
    ),
    headers: Type.Optional(
      Type.Array(
        Type.Object({ name: Type.String({ pattern: '^[A-Za-z0-9-]{1,64}$' }), value: headerText(4_000) }, closed),
        { maxItems: MAX_TOOL_HEADERS },
      ),
    ),
  },
  closed,
);
export type SetToolCredentialsBody = Static<typeof SetToolCredentialsBody>;

/** One call of a tool as it stands in the editor. `variables.end_user` is the made-up person. */
export const TryToolBody = Type.Object(
  {
    tool: Tool,
    arguments: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { propertyNames: { maxLength: 64 } })),
    variables: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { propertyNames: { maxLength: 64 } })),
  },
  closed,
);
export type TryToolBody = Static<typeof TryToolBody>;

export const ToolTried = Type.Object(
  {
    /** What was sent, without credentials; null: nothing was. */
    request: Nullable(
      Type.Object({ url: Type.String(), headers: Type.Record(Type.String(), Type.String()), body: Type.String() }),
    ),
    /** Status of the answer; null when there was none. */
    status: Nullable(Type.Integer()),
    /** Why it failed; null when it did not. */
    error: Nullable(Type.String()),
    /** Beginning of the answer. */
    answer: Type.String(),
    duration_ms: Type.Integer(),
  },
  { title: 'ToolTried' },
);
export type ToolTried = Static<typeof ToolTried>;

/** Asks an MCP server for its tools, with the stored secret of this server. */
export const ListMcpToolsBody = Type.Object(
  {
    server: McpOrigin.properties.server,
    url: Type.String({ format: 'uri', pattern: '^https?://', maxLength: 2048 }),
  },
  closed,
);
export type ListMcpToolsBody = Static<typeof ListMcpToolsBody>;

/** A tool as the server describes it now. */
export const McpTool = Type.Object({
  name: Type.String(),
  description: Type.String(),
  parameters: Type.Record(Type.String(), Type.Unknown()),
  pin: Type.String(),
  /** Why it cannot be chosen; null: it can. Such a tool has no description and no parameters here. */
  fault: Nullable(Type.String()),
});
export type McpTool = Static<typeof McpTool>;

export const McpTools = Type.Object(
  {
    /** What the server calls itself; null: it did not answer. */
    server: Nullable(Type.Object({ name: Type.String(), version: Type.String() })),
    /** Why there is no list; null: there is one. */
    error: Nullable(Type.String()),
    tools: Type.Array(McpTool),
    /** Further tools, which are not shown. */
    more: Type.Integer(),
  },
  { title: 'McpTools' },
);
export type McpTools = Static<typeof McpTools>;
