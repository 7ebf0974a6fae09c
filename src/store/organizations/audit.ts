import { eq } from 'drizzle-orm';
import { newId } from '../../kernel/ids.ts';
import type { Queryable } from '../db.ts';
import { audit } from '../schema/audit.ts';
import { member } from '../schema/identity.ts';

/** The actor: a person, or a program (`system`), and its network address. */
export type Actor = {
  userId: string;
  address: string | null;
  requestId: string | null;
  /** The access token that the actor uses. */
  tokenId?: string | null;
};

/** The actor of changes by a schedule or by a program start. */
export const SYSTEM: Actor = { userId: 'system', address: null, requestId: null };

export type AuditEntry = {
  /** Without an ID, the entry gets a new one. */
  id?: string;
  orgId: string;
  actor: Actor;
  /** A noun and a verb, such as `api_key.revoked`. */
  action: string;
  subjectId: string;
  /** A short summary of the change without secrets. */
  facts?: Record<string, unknown>;
};

/** Writes one entry of the audit log in the transaction of the change. */
export async function recordAudit(tx: Queryable, entry: AuditEntry): Promise<void> {
  await tx.insert(audit).values({
    orgId: entry.orgId,
    id: entry.id ?? newId('audit'),
    actor: entry.actor.userId,
    action: entry.action,
    subjectId: entry.subjectId,
    facts: entry.facts ?? {},
    address: entry.actor.address,
    requestId: entry.actor.requestId,
    tokenId: entry.actor.tokenId ?? null,
  });
}

/**
 * The limit is above the number of organizations to which a person may belong. The operator may belong to more
 * organizations.
 */
const MAX_TOLD = 200;

/**
 * A person's change to their own account is recorded in each of their organizations, because the change affects access
 * to the organization.
 */
export async function recordAuditOfPerson(
  tx: Queryable,
  { userId, address, requestId }: Actor,
  action: string,
  facts: Record<string, unknown> = {},
  subjectId: string = userId,
): Promise<void> {
  const actor: Actor = { userId, address, requestId };
  const rows = await tx
    .select({ orgId: member.organizationId })
    .from(member)
    .where(eq(member.userId, subjectId))
    .limit(MAX_TOLD);
  for (const { orgId } of rows) await recordAudit(tx, { orgId, actor, action, subjectId, facts });
}
