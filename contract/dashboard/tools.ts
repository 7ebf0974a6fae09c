import { Type, type Static } from 'typebox';
import { McpOrigin, Tool } from '../agents.ts';
import { ROTATION_OVERLAPS } from './keys.ts';
import { closed, Moment, Nullable } from './shapes.ts';

/** One agent has at most this many tool secrets, enough for each tool at two origins. */
export const MAX_TOOL_SECRETS = 64;
export const MAX_TOOL_HEADERS = 5;

/** The type of the credentials of a call, without the values. */
export const ToolCredentialsLook = Type.Object({
  authorization: Nullable(Type.Enum(['bearer', 'basic'])),
  /** The names of the other headers, whose values are encrypted. */
  headers: Type.Array(Type.String()),
});
export type ToolCredentialsLook = Static<typeof ToolCredentialsLook>;

const record = {
  id: Type.String(),
  agent_id: Type.String(),
  tool: Type.String(),
  /**
   * The scheme, host and port of the tool's URL. Calls to other origins are not signed with this secret and contain
   * none of its credentials.
   */
  origin: Type.String(),
  credentials: ToolCredentialsLook,
  /** Until this time, every call also has a signature by the previous secret. */
  previous_secret_until: Nullable(Moment),
  created_at: Moment,
  updated_at: Moment,
};

export const ToolSecretRecord = Type.Object(record, { title: 'ToolSecret' });
export type ToolSecretRecord = Static<typeof ToolSecretRecord>;

/** Only the responses to creating and rotating a secret contain `secret`. */
export const NewToolSecret = Type.Object({ ...record, secret: Type.String() }, { title: 'NewToolSecret' });
export type NewToolSecret = Static<typeof NewToolSecret>;

/** The secret that signs the turns of an agent with own code. Only this response contains the secret. */
export const AgentSecret = Type.Object({ secret: Type.String() }, { title: 'AgentSecret' });
export type AgentSecret = Static<typeof AgentSecret>;

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
      description: 'The URL of the tool. The secret is valid for its scheme, host and port.',
    }),
  },
  closed,
);
export type CreateToolSecretBody = Static<typeof CreateToolSecretBody>;

export const RotateToolSecretBody = Type.Object({ overlap: Type.Enum(ROTATION_OVERLAPS) }, closed);
export type RotateToolSecretBody = Static<typeof RotateToolSecretBody>;

/** A value has visible ASCII characters, which are allowed in a header. */
const headerText = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '^[!-~]([ -~]*[!-~])?$' });

/** The credentials replace all stored credentials. An empty body removes all credentials. */
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

/**
 * One call of a tool with the unsaved settings of the editor. The field `variables.end_user` is the fictional person.
 */
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
    /** The request that was sent, without credentials. Null: no request was sent. */
    request: Nullable(
      Type.Object({ url: Type.String(), headers: Type.Record(Type.String(), Type.String()), body: Type.String() }),
    ),
    /** The status of the response. Null: no response came. */
    status: Nullable(Type.Integer()),
    /** The reason why the call failed. Null: the call did not fail. */
    error: Nullable(Type.String()),
    /** The start of the response's body. */
    answer: Type.String(),
    duration_ms: Type.Integer(),
  },
  { title: 'ToolTried' },
);
export type ToolTried = Static<typeof ToolTried>;

/** Requests the list of tools from an MCP server, with the stored secret of this server. */
export const ListMcpToolsBody = Type.Object(
  {
    server: McpOrigin.properties.server,
    url: Type.String({ format: 'uri', pattern: '^https?://', maxLength: 2048 }),
  },
  closed,
);
export type ListMcpToolsBody = Static<typeof ListMcpToolsBody>;

/** A tool in the current list of the server. */
export const McpTool = Type.Object({
  name: Type.String(),
  description: Type.String(),
  parameters: Type.Record(Type.String(), Type.Unknown()),
  pin: Type.String(),
  /**
   * The reason why the tool cannot be selected. Null: the tool can be selected. The response has no description and no
   * parameters of a tool that cannot be selected.
   */
  fault: Nullable(Type.String()),
});
export type McpTool = Static<typeof McpTool>;

export const McpTools = Type.Object(
  {
    /** The name that the server gives itself. Null: the server did not respond. */
    server: Nullable(Type.Object({ name: Type.String(), version: Type.String() })),
    /** The reason why the list is missing. Null: the response has the list. */
    error: Nullable(Type.String()),
    tools: Type.Array(McpTool),
    /** The number of tools that are not shown. */
    more: Type.Integer(),
  },
  { title: 'McpTools' },
);
export type McpTools = Static<typeof McpTools>;
