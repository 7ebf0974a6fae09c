import { Type, type Static } from 'typebox';
import { MAX_LABEL_CHARACTERS } from '../limits.ts';
import { TOKEN_KINDS, TOKEN_ROLES, TOKEN_VERBS } from '../permissions.ts';
import { closed, Id, Moment, Nullable, PageQuery } from './shapes.ts';

const Kind = Type.Enum(TOKEN_KINDS);
const Verb = Type.Enum(TOKEN_VERBS);
const TokenRoleName = Type.Enum(TOKEN_ROLES);

export const DEFAULT_TOKEN_DAYS = 90;
export const MAX_TOKEN_AGENTS = 50;
/** Active tokens of one person in one organization, with those of the organization that they answer for. */
export const MAX_TOKENS = 50;
export const TOKEN_STATES = ['active', 'expired', 'revoked'] as const;

const record = {
  id: Type.String(),
  prefix: Type.String(),
  label: Type.String(),
  kind: Kind,
  /** The person whose token it is; for one of the organization, the person who answers for it and has seen its value. */
  user_id: Type.String(),
  user_name: Nullable(Type.String()),
  /** Of a token of the organization; null: the role of its person. */
  role: Nullable(TokenRoleName),
  verbs: Type.Array(Verb),
  /** Null: all agents. */
  agent_ids: Nullable(Type.Array(Type.String())),
  state: Type.Enum(TOKEN_STATES),
  created_at: Moment,
  /** Null: it does not expire. */
  expires_at: Nullable(Moment),
  last_used_at: Nullable(Moment),
  revoked_at: Nullable(Moment),
};

export const AccessTokenRecord = Type.Object(record, { title: 'AccessToken' });
export type AccessTokenRecord = Static<typeof AccessTokenRecord>;

/** The only answers that hold `value`: creating and replacing. */
export const NewAccessToken = Type.Object({ ...record, value: Type.String() }, { title: 'NewAccessToken' });
export type NewAccessToken = Static<typeof NewAccessToken>;

/** Own tokens; for owners and admins those of all people and of the organization. Without `state`: the active ones. */
export const AccessTokenListQuery = PageQuery({
  kind: Type.Optional(Kind),
  state: Type.Optional(
    Type.Union([Type.Literal('active'), Type.Literal('ended'), Type.Literal('all')], { default: 'active' }),
  ),
});

/** Null is the explicit choice of no end; absent: 90 days. */
const ExpiresInDays = Type.Optional(
  Nullable(Type.Union([Type.Literal(30), Type.Literal(90), Type.Literal(365)], { default: DEFAULT_TOKEN_DAYS })),
);

export const CreateAccessTokenBody = Type.Object(
  {
    label: Type.String({ minLength: 1, maxLength: MAX_LABEL_CHARACTERS, format: 'line' }),
    kind: Type.Optional(Kind),
    /** For a token of the organization, and only for it. */
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
