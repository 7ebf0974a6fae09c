import { Type, type Static } from 'typebox';
import { closed, Id, Moment, Nullable, PageQuery } from './shapes.ts';

/** A record of an action, with the person, the time and the network address. Records are only added, never changed. */
export const AuditRecord = Type.Object(
  {
    id: Type.String(),
    actor: Type.String(),
    /** The name of the person. Null: a schedule acted, or the person's account was deleted. */
    actor_name: Nullable(Type.String()),
    /** The access token that the person used. Null: the person used a browser session. */
    token_id: Nullable(Type.String()),
    token_label: Nullable(Type.String()),
    action: Type.String(),
    subject_id: Type.String(),
    /** The current name of the subject. Null: the subject has no name or was deleted. */
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
/**
 * The export contains all records that match the filter, newest first. The format `jsonl` has one JSON object per line.
 */
export const AuditExportQuery = Type.Object(
  { ...auditFilter, format: Type.Optional(Type.Enum(AUDIT_FORMATS, { default: 'csv' })) },
  closed,
);

/** The outcome is `accepted` below 400, `refused` for 4xx, and `failed` for 5xx. */
export const OUTCOMES = ['accepted', 'refused', 'failed'] as const;

/**
 * One request of a key, with its route and its result, but without its content. At a normal rate, every request is
 * stored. Under load, only a sample of the requests is stored. An organization keeps its newest 50,000 requests for at
 * most one month.
 */
export const RequestRecord = Type.Object(
  {
    id: Type.String(),
    key_id: Type.String(),
    method: Type.String(),
    /**
     * The pattern of the path. The field `ids` has the values of the path's parameters, but only IDs that Parley
     * created.
     */
    route: Type.String(),
    ids: Type.Record(Type.String(), Type.String()),
    status: Type.Integer(),
    /** The problem code of a refused request. Null if the request was accepted. */
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
  /** The method and the route, such as `POST /api/triggers/:agent_id/:trigger_id`. */
  call: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  outcome: Type.Optional(Type.Enum(OUTCOMES)),
  since: Type.Optional(Moment),
  until: Type.Optional(Moment),
});

/** The routes of recent requests, as options of a filter. */
export const RequestCall = Type.Object({ call: Type.String() }, { title: 'RequestCall' });

/** The counts of the overview stop at this number. Only the newest conversations and runs are counted. */
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
    /** True after the first conversation on a web chat of the organization. */
    first_visitor: Type.Boolean(),
  },
  { title: 'Overview' },
);
export type Overview = Static<typeof Overview>;
