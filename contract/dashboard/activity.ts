import { Type, type Static } from 'typebox';
import { closed, Id, Moment, Nullable, PageQuery } from './shapes.ts';

/** Who did what, when, from where. The log only grows. */
export const AuditRecord = Type.Object(
  {
    id: Type.String(),
    actor: Type.String(),
    /** Name of the person; null for what a schedule did or a person who is gone. */
    actor_name: Nullable(Type.String()),
    /** The access token by which the person did it; null: in a session. */
    token_id: Nullable(Type.String()),
    token_label: Nullable(Type.String()),
    action: Type.String(),
    subject_id: Type.String(),
    /** Its present name; null: it has none, or is gone. */
    subject_name: Nullable(Type.String()),
    facts: Type.Record(Type.String(), Type.Unknown()),
    /** For owners and admins alone. */
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
/** The whole log in this filter, newest first; jsonl: a JSON object a line. */
export const AuditExportQuery = Type.Object(
  { ...auditFilter, format: Type.Optional(Type.Enum(AUDIT_FORMATS, { default: 'csv' })) },
  closed,
);

/** `accepted`: below 400, `refused`: 4xx, `failed`: 5xx. */
export const OUTCOMES = ['accepted', 'refused', 'failed'] as const;

/**
 * One request that a key made: what was called and what came of it, never what was sent. Every one at a person's pace,
 * a sample under load; the newest 50,000 of an organization, for a month at most.
 */
export const RequestRecord = Type.Object(
  {
    id: Type.String(),
    key_id: Type.String(),
    method: Type.String(),
    /** The path's pattern; `ids` says what stood in its places, for ids of ours alone. */
    route: Type.String(),
    ids: Type.Record(Type.String(), Type.String()),
    status: Type.Integer(),
    /** Problem code of a refusal; null when accepted. */
    code: Nullable(Type.String()),
    /** Milliseconds from the first byte in to the last one out. */
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

/** What was called lately, for choosing from. */
export const RequestCall = Type.Object({ call: Type.String() }, { title: 'RequestCall' });

/** The overview counts no further. Conversations and runs: the newest ones. */
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
    /** True once a key of the organization was used. */
    first_request: Type.Boolean(),
  },
  { title: 'Overview' },
);
export type Overview = Static<typeof Overview>;
