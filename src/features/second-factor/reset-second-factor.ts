import { endTokensOfPerson } from '../../store/access-tokens/end-tokens.ts';
import { type Actor, recordAuditOfPerson } from '../../store/organizations/audit.ts';
import type { Db } from '../../store/db.ts';
import { deleteSessions } from '../../store/accounts/sessions.ts';
import { deleteAuthenticator, readAuthenticator } from '../../store/accounts/authenticator.ts';
import { deletePasskeys, listPasskeys } from '../../store/accounts/passkeys.ts';
import { countRecoveryCodes } from '../../store/accounts/recovery-codes.ts';
import { lockFactors, noteLastFactor } from './second-factor.ts';

/**
 * Removes the second factor of a person who lost both the factor and the recovery codes. Only the operator of the
 * server can reset a second factor. An owner who could reset factors, and who can also create a password link, could
 * sign in as any member. Returns false if the account had no factor.
 */
export async function resetSecondFactor({ db }: { db: Db }, userId: string, actor: Actor): Promise<boolean> {
  return db.transaction(async (tx) => {
    await lockFactors(tx, userId);
    const had =
      (await readAuthenticator(tx, userId)) !== null ||
      (await listPasskeys(tx, userId)).length > 0 ||
      (await countRecoveryCodes(tx, userId)) > 0;
    if (!had) return false;
    await deleteAuthenticator(tx, userId);
    await deletePasskeys(tx, userId);
    await noteLastFactor(tx, userId);
    await deleteSessions(tx, userId);
    await endTokensOfPerson(tx, userId, actor, 'second_factor_reset');
    await recordAuditOfPerson(tx, actor, 'second_factor.reset', {}, userId);
    return true;
  });
}
