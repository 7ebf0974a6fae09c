import { newId } from '../kernel/ids.ts';
import type { Queryable } from './db.ts';
import { audit } from './schema/audit.ts';

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
