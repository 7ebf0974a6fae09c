import { Type, type Static } from 'typebox';
import { closed, Id, Moment, Nullable, PageQuery } from './shapes.ts';

/** Who did what, when and from which address. Records are only added, never changed. */
export const AuditRecord = Type.Object(
  {
    id: Type.String(),
    actor: Type.String(),
    /** The name of the person. Null: a schedule acted, or the account was deleted. */
    actor_name: Nullable(Type.String()),
    /** The access token that the person used. Null: the person used a browser session. */
    token_id: Nullable(Type.String()),
    token_label: Nullable(Type.String()),
    action: Type.String(),
    subject_id: Type.String(),
    /** The current name. Null: the subject has no name or was deleted. */
    subject_name: Nullable(Type.String()),
    facts: Type.Record(Type.String(), Type.Unknown()),
    /** Only owners and admins see the address. */
    address: Nullable(Type.String()),
    request_id: Nullable(Type.String()),
    created_at: Moment,
  },
  { title: 'AuditRecord' },
);
export type AuditRecord = Static<typeof AuditRecord>;

const auditFilter = {
  subject_id: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  actor: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  since: Type.Optional(Moment),
  until: Type.Optional(Moment),
};
export const AuditListQuery = PageQuery(auditFilter);

export const AUDIT_FORMATS = ['csv', 'jsonl'] as const;
export type AuditFormat = (typeof AUDIT_FORMATS)[number];
/** All records that match the filter, newest first. `jsonl` has one JSON object per line. */
export const AuditExportQuery = Type.Object(
  { ...auditFilter, format: Type.Optional(Type.Enum(AUDIT_FORMATS, { default: 'csv' })) },
  closed,
);

/** `accepted`: below 400, `refused`: 4xx, `failed`: 5xx. */
export const OUTCOMES = ['accepted', 'refused', 'failed'] as const;

/**
 * One request of a key: its route and its result, without its content. At a normal rate, every request is stored. Under
 * load, a sample is stored. An organization keeps its newest 50,000 requests for at most one month.
 */
export const RequestRecord = Type.Object(
  {
    id: Type.String(),
    key_id: Type.String(),
    method: Type.String(),
    /** The pattern of the path. `ids` has the values of its parameters, but only IDs that Parley created. */
    route: Type.String(),
    ids: Type.Record(Type.String(), Type.String()),
    status: Type.Integer(),
    /** The problem code of a refused request. Null if accepted. */
    code: Nullable(Type.String()),
    /** The milliseconds from the first received byte to the last sent byte. */
    ms: Type.Integer(),
    created_at: Moment,
  },
  { title: 'RequestRecord' },
);
export type RequestRecord = Static<typeof RequestRecord>;

export const RequestListQuery = PageQuery({
  id: Type.Optional(Id('req')),
  key_id: Type.Optional(Id('key')),
  /** Method and route: `POST /api/triggers/:agent_id/:trigger_id`. */
  call: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  outcome: Type.Optional(Type.Enum(OUTCOMES)),
  since: Type.Optional(Moment),
  until: Type.Optional(Moment),
});

/** The routes of recent requests, as options of a filter. */
export const RequestCall = Type.Object({ call: Type.String() }, { title: 'RequestCall' });

/** Counting stops at this number. Conversations and runs: only the newest ones are counted. */
export const MAX_OVERVIEW = 10_000;

const Count = Type.Integer({ minimum: 0, maximum: MAX_OVERVIEW });

export const Overview = Type.Object(
  {
    agents: Count,
    triggers: Count,
    channels: Count,
    campaigns: Count,
    active_keys: Count,
    end_users: Count,
    members: Count,
    conversations: Type.Object({ open: Count, handed_off: Count, resolved: Count }),
    runs_24h: Type.Record(Type.String(), Count, { description: 'Runs of the last 24 hours per status.' }),
    /** True after the first request with a key of the organization. */
    first_request: Type.Boolean(),
    /** True after the first conversation on a web chat. */
    first_visitor: Type.Boolean(),
  },
  { title: 'Overview' },
);
export type Overview = Static<typeof Overview>;
