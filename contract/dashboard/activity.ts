import { Type, type Static } from 'typebox';
import { Moment, Nullable, PageQuery } from './shapes.ts';

/** Who did what, when, from where. The log only grows. */
export const AuditRecord = Type.Object(
  {
    id: Type.String(),
    actor: Type.String(),
    /** Name of the person; null for what a schedule did or a person who is gone. */
    actor_name: Nullable(Type.String()),
    action: Type.String(),
    subject_id: Type.String(),
    facts: Type.Record(Type.String(), Type.Unknown()),
    /** For owners and admins alone. */
    address: Nullable(Type.String()),
    request_id: Nullable(Type.String()),
    created_at: Moment,
  },
  { title: 'AuditRecord' },
);
export type AuditRecord = Static<typeof AuditRecord>;

export const AuditListQuery = PageQuery({
  subject_id: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  actor: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
});

const Count = Type.Integer({ minimum: 0 });

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
