import { Type, type Static } from 'typebox';
import { MAX_LABEL_CHARACTERS } from '../limits.ts';
import { TOKEN_KINDS, TOKEN_ROLES, TOKEN_VERBS } from '../permissions.ts';
import { closed, Id, Moment, Nullable, PageQuery } from './shapes.ts';

const Kind = Type.Enum(TOKEN_KINDS);
const Verb = Type.Enum(TOKEN_VERBS);
const TokenRoleName = Type.Enum(TOKEN_ROLES);

export const DEFAULT_TOKEN_DAYS = 90;
export const MAX_TOKEN_AGENTS = 50;
/**
 * One person has at most this many active tokens in one organization. Tokens of the organization count for the person
 * who is responsible for them.
 */
export const MAX_TOKENS = 50;
export const TOKEN_STATES = ['active', 'expired', 'revoked'] as const;

const record = {
  id: Type.String(),
  prefix: Type.String(),
  label: Type.String(),
  kind: Kind,
  /**
   * The owner of the token. The owner of a token of the organization is the responsible person, who has seen its value.
   */
  user_id: Type.String(),
  user_name: Nullable(Type.String()),
  /** The role of a token of the organization. Null: the token has the current role of its person. */
  role: Nullable(TokenRoleName),
  verbs: Type.Array(Verb),
  /** Null: all agents. */
  agent_ids: Nullable(Type.Array(Type.String())),
  state: Type.Enum(TOKEN_STATES),
  created_at: Moment,
  /** Null: the token does not expire. */
  expires_at: Nullable(Moment),
  last_used_at: Nullable(Moment),
  revoked_at: Nullable(Moment),
};

export const AccessTokenRecord = Type.Object(record, { title: 'AccessToken' });
export type AccessTokenRecord = Static<typeof AccessTokenRecord>;

/** Only the responses to creating and replacing a token contain `value`. */
export const NewAccessToken = Type.Object({ ...record, value: Type.String() }, { title: 'NewAccessToken' });
export type NewAccessToken = Static<typeof NewAccessToken>;

/**
 * Lists the person's own tokens. Owners and admins get the tokens of all people and of the organization. Without
 * `state`: the active tokens.
 */
export const AccessTokenListQuery = PageQuery({
  kind: Type.Optional(Kind),
  state: Type.Optional(
    Type.Union([Type.Literal('active'), Type.Literal('ended'), Type.Literal('all')], { default: 'active' }),
  ),
});

/** Null: the token never expires. Absent: the token expires after 90 days. */
const ExpiresInDays = Type.Optional(
  Nullable(Type.Union([Type.Literal(30), Type.Literal(90), Type.Literal(365)], { default: DEFAULT_TOKEN_DAYS })),
);

export const CreateAccessTokenBody = Type.Object(
  {
    label: Type.String({ minLength: 1, maxLength: MAX_LABEL_CHARACTERS, format: 'line' }),
    kind: Type.Optional(Kind),
    /** A token of the organization requires a role, and other tokens must not have one. */
    role: Type.Optional(TokenRoleName),
    verbs: Type.Array(Verb, { minItems: 1, maxItems: TOKEN_VERBS.length, uniqueItems: true }),
    agent_ids: Type.Optional(
      Nullable(Type.Array(Id('agent'), { minItems: 1, maxItems: MAX_TOKEN_AGENTS, uniqueItems: true })),
    ),
    expires_in_days: ExpiresInDays,
  },
  closed,
);
export type CreateAccessTokenBody = Static<typeof CreateAccessTokenBody>;

export const ReplaceAccessTokenBody = Type.Object({ expires_in_days: ExpiresInDays }, closed);
export type ReplaceAccessTokenBody = Static<typeof ReplaceAccessTokenBody>;
