import type { Caller } from '../../access/sessions/sessions.ts';
import { recordAudit } from '../../store/organizations/audit.ts';
import type { Queryable } from '../../store/db.ts';
import { withdrawEverywhere } from '../../store/organizations/members.ts';
import { deleteSessions, markVerified, type Person, setPasswordHash } from '../../store/accounts/people.ts';
import { deleteFactors } from '../../store/accounts/second-factor.ts';

/**
 * A new password by a link: every session ends. `proven`: the link was mailed, so it proves the address as well. If nobody
 * had proven it before, somebody else may have made the account: its second factors end, and so do the open invitations
 * that it made. Memberships stay: they were given to the address, or to what its owner can now leave, and an
 * organization must not lose its last owner by this (docs/adr/0302).
 */
export async function claimAccount(
  tx: Queryable,
  { id, emailVerified }: Person,
  passwordHash: string,
  { address, requestId }: Pick<Caller, 'address'> & { requestId: string },
  { proven }: { proven: boolean },
): Promise<void> {
  await setPasswordHash(tx, id, passwordHash);
  await deleteSessions(tx, id);
  if (!proven || emailVerified) return;
  await deleteFactors(tx, id);
  await markVerified(tx, id);
  const actor = { userId: id, address, requestId };
  const facts = { reason: 'account_claimed' };
  for (const { orgId, id: subjectId } of await withdrawEverywhere(tx, id)) {
    await recordAudit(tx, { orgId, actor, action: 'invitation.withdrawn', subjectId, facts });
  }
}
