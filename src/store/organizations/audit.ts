import { eq } from 'drizzle-orm';
import { newId } from '../../kernel/ids.ts';
import type { Queryable } from '../db.ts';
import { audit } from '../schema/audit.ts';
import { member } from '../schema/identity.ts';

/** Who acts: a person, or a program (`system`), and from where. */
export type Actor = { userId: string; address: string | null; requestId: string | null };

/** What a schedule does, or a start of the program. */
export const SYSTEM: Actor = { userId: 'system', address: null, requestId: null };

export type AuditEntry = {
  orgId: string;
  actor: Actor;
  /** Noun and verb: `api_key.revoked`. */
  action: string;
  subjectId: string;
  /** What changed, in short; never a secret. */
  facts?: Record<string, unknown>;
};

/** One line of the audit log, in the transaction of what it tells. */
export async function recordAudit(tx: Queryable, entry: AuditEntry): Promise<void> {
  await tx.insert(audit).values({
    orgId: entry.orgId,
    id: newId('audit'),
    actor: entry.actor.userId,
    action: entry.action,
    subjectId: entry.subjectId,
    facts: entry.facts ?? {},
    address: entry.actor.address,
    requestId: entry.actor.requestId,
  });
}

/** More than the organizations that somebody may belong to; the operator alone is not held to it. */
const MAX_TOLD = 200;

/** What somebody changed about their own account is told in each of their organizations: it decides who gets in there. */
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
