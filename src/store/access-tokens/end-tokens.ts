import { and, eq, isNull, type SQL } from 'drizzle-orm';
import type { Queryable } from '../db.ts';
import { type Actor, recordAudit, SYSTEM } from '../organizations/audit.ts';
import { accessToken } from '../schema/access-token.ts';

/** Tokens that end with what they rest on: in the transaction of that change, each with its line in the audit log. */
type Reason = 'person_removed' | 'person_demoted' | 'sign_in_changed' | 'account_claimed' | 'second_factor_reset';

/** A person who is removed (`all`), or who may no longer make tokens of the organization. */
export const endTokensOfMember = (
  tx: Queryable,
  orgId: string,
  userId: string,
  { all }: { all: boolean },
  actor: Actor,
): Promise<void> =>
  end(
    tx,
    and(
      eq(accessToken.orgId, orgId),
      eq(accessToken.userId, userId),
      all ? undefined : eq(accessToken.kind, 'organization'),
    ),
    actor,
    all ? 'person_removed' : 'person_demoted',
  );

/** Tokens made in sessions that the organization's provider opened. */
export const endTokensOfProvider = (tx: Queryable, orgId: string): Promise<void> =>
  end(tx, and(eq(accessToken.orgId, orgId), eq(accessToken.byProvider, true)), SYSTEM, 'sign_in_changed');

/** In all organizations: the account may have been in the hands of another person. */
export const endTokensOfPerson = (
  tx: Queryable,
  userId: string,
  actor: Actor,
  reason: 'account_claimed' | 'second_factor_reset',
): Promise<void> => end(tx, eq(accessToken.userId, userId), actor, reason);

async function end(tx: Queryable, which: SQL | undefined, actor: Actor, reason: Reason): Promise<void> {
  const rows = await tx
    .update(accessToken)
    .set({ revokedAt: new Date(), revokedBy: actor.userId })
    .where(and(which, isNull(accessToken.revokedAt)))
    .returning({ orgId: accessToken.orgId, id: accessToken.id, label: accessToken.label, kind: accessToken.kind });
  for (const { orgId, id, label, kind } of rows)
    await recordAudit(tx, {
      orgId,
      actor,
      action: 'access_token.revoked',
      subjectId: id,
      facts: { label, kind, reason },
    });
}

/** No second factor is left that the sessions could have shown in which these tokens were made. */
export async function clearTokenFactors(tx: Queryable, userId: string): Promise<void> {
  await tx
    .update(accessToken)
    .set({ signInFactor: false })
    .where(and(eq(accessToken.userId, userId), eq(accessToken.byProvider, false)));
}
