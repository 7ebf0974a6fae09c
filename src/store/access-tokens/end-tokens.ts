import { and, eq, isNull, type SQL } from 'drizzle-orm';
import type { Queryable } from '../db.ts';
import { type Actor, recordAudit, SYSTEM } from '../organizations/audit.ts';
import { accessToken } from '../schema/access-token.ts';

/**
 * Ends access tokens in the transaction of the change that makes the tokens invalid. Each ended token gets an entry in
 * the audit log.
 */
type Reason = 'person_removed' | 'person_demoted' | 'sign_in_changed' | 'account_claimed' | 'second_factor_reset';

/** Ends tokens of a person who is removed (`all`), or who may no longer create tokens of the organization. */
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

/** Ends tokens that were created in sessions of the organization's sign-in provider. */
export const endTokensOfProvider = (tx: Queryable, orgId: string): Promise<void> =>
  end(tx, and(eq(accessToken.orgId, orgId), eq(accessToken.byProvider, true)), SYSTEM, 'sign_in_changed');

/** Ends tokens in all organizations, because another person may have used the account. */
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

/** Clears the second factor of an account's tokens, because the account has no second factor any more. */
export async function clearTokenFactors(tx: Queryable, userId: string): Promise<void> {
  await tx
    .update(accessToken)
    .set({ signInFactor: false })
    .where(and(eq(accessToken.userId, userId), eq(accessToken.byProvider, false)));
}
