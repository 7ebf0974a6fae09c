import type { Browser } from '../../access/sessions/signed-in.ts';
import { endTokensOfPerson } from '../../store/access-tokens/end-tokens.ts';
import { recordAudit } from '../../store/organizations/audit.ts';
import type { Queryable } from '../../store/db.ts';
import { withdrawEverywhere } from '../../store/members/invitations.ts';
import { type Person, markVerified } from '../../store/accounts/accounts.ts';
import { setPasswordHash } from '../../store/accounts/passwords.ts';
import { deleteSessions } from '../../store/accounts/sessions.ts';
import { deleteFactors } from '../../store/accounts/authenticator.ts';

/**
 * Sets a new password of an account through a link. Every session and access token of the account ends. `proven`: true
 * if the link was mailed, so that it also proves the address. If the address was not proven before, another person may
 * have created the account. The second factors of the account end, and also the open invitations that the account
 * created. The memberships of the account stay. The owner of the address can leave the organizations, but a claim must
 * not remove the last owner of an organization (docs/adr/0302).
 */
export async function claimAccount(
  tx: Queryable,
  { id, emailVerified }: Person,
  passwordHash: string,
  { address, requestId }: Pick<Browser, 'address'> & { requestId: string },
  { proven }: { proven: boolean },
): Promise<void> {
  await setPasswordHash(tx, id, passwordHash);
  await deleteSessions(tx, id);
  const actor = { userId: id, address, requestId };
  await endTokensOfPerson(tx, id, actor, 'account_claimed');
  if (!proven || emailVerified) return;
  await deleteFactors(tx, id);
  await markVerified(tx, id);
  const facts = { reason: 'account_claimed' };
  for (const { orgId, id: subjectId } of await withdrawEverywhere(tx, id)) {
    await recordAudit(tx, { orgId, actor, action: 'invitation.withdrawn', subjectId, facts });
  }
}
