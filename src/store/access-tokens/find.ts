import { sql } from 'drizzle-orm';
import type { Plan, Role, TokenKind, TokenRole, TokenVerb } from '../../../contract/permissions.ts';
import type { Person } from '../accounts/accounts.ts';
import type { Queryable } from '../db.ts';
import type { Organization } from '../organizations/organizations.ts';

/** An access token with all current facts that an access decision needs. */
export type FoundToken = {
  id: string;
  orgId: string;
  label: string;
  kind: TokenKind;
  role: TokenRole | null;
  verbs: TokenVerb[];
  agentIds: string[] | null;
  signInFactor: boolean;
  createdAt: Date;
  expiresAt: Date | null;
  /** The clock of the database decides whether the token has expired. */
  hasExpired: boolean;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
  person: Person;
  /** The role of the token's person in the token's organization. Null: the person is no longer a member. */
  memberRole: Role | null;
  organization: Organization;
};

/**
 * Finds the access token with one of the given digests, its person and the person's current role. The query always
 * reads from the primary.
 */
export async function findToken(db: Queryable, digests: readonly Buffer[]): Promise<FoundToken | null> {
  const forms = sql.join(
    digests.map((digest) => sql`${digest}`),
    sql`, `,
  );
  const { rows } = await db.execute<Flat>(sql`SELECT t.id, t.org_id, t.label, t.kind, t.role, t.verbs, t.agent_ids,
      t.sign_in_factor, t.created_at, t.expires_at, coalesce(t.expires_at <= now(), false) AS has_expired, t.revoked_at,
      t.last_used_at, u.id AS user_id, u.name AS user_name, u.email, u.email_verified, m.role AS member_role,
      o.name AS org_name, o.plan, o.requires_second_factor, o.time_zone, o.created_at AS org_created_at
    FROM access_token_digest d
    JOIN access_token t ON t.org_id = d.org_id AND t.id = d.token_id
    JOIN organization o ON o.id = t.org_id
    JOIN "user" u ON u.id = t.user_id
    LEFT JOIN member m ON m.organization_id = t.org_id AND m.user_id = t.user_id
    WHERE d.digest IN (${forms})`);
  return rows[0] === undefined ? null : shaped(rows[0]);
}

type Flat = {
  [name: string]: unknown;
  id: string;
  org_id: string;
  label: string;
  kind: TokenKind;
  role: TokenRole | null;
  verbs: TokenVerb[];
  agent_ids: string[] | null;
  sign_in_factor: boolean;
  created_at: string;
  expires_at: string | null;
  has_expired: boolean;
  revoked_at: string | null;
  last_used_at: string | null;
  user_id: string;
  user_name: string;
  email: string;
  email_verified: boolean;
  member_role: Role | null;
  org_name: string;
  plan: Plan;
  requires_second_factor: boolean;
  time_zone: string | null;
  org_created_at: string;
};

const moment = (text: string | null): Date | null => (text === null ? null : new Date(text));

const shaped = (row: Flat): FoundToken => ({
  id: row.id,
  orgId: row.org_id,
  label: row.label,
  kind: row.kind,
  role: row.role,
  verbs: row.verbs,
  agentIds: row.agent_ids,
  signInFactor: row.sign_in_factor,
  createdAt: new Date(row.created_at),
  expiresAt: moment(row.expires_at),
  hasExpired: row.has_expired,
  revokedAt: moment(row.revoked_at),
  lastUsedAt: moment(row.last_used_at),
  person: { id: row.user_id, name: row.user_name, email: row.email, emailVerified: row.email_verified },
  memberRole: row.member_role,
  organization: {
    id: row.org_id,
    name: row.org_name,
    plan: row.plan,
    requiresSecondFactor: row.requires_second_factor,
    timeZone: row.time_zone,
    createdAt: new Date(row.org_created_at),
  },
});
