import { Refusal } from '../../../contract/problems.ts';
import { newTotpSecret, spendCode, spendFirstCode } from '../../access/sessions/second-factor.ts';
import type { SignedIn } from '../../access/sessions/signed-in.ts';
import { base32, totpUri } from '../../access/sessions/totp.ts';
import { recordAuditOfPerson } from '../../store/organizations/audit.ts';
import { beginAuthenticator, deleteAuthenticator } from '../../store/accounts/authenticator.ts';
import {
  confirmAgain,
  type From,
  giveRecoveryCodes,
  lockFactors,
  noteFirstFactor,
  noteLastFactor,
  type SecondFactorDeps,
} from './second-factor.ts';

const ISSUER = 'Parley';

/** Creates a new secret for an app. The secret has no effect before `confirmAuthenticator`. */
export async function startAuthenticator(
  deps: SecondFactorDeps,
  who: SignedIn,
  password: string | undefined,
  from: From,
): Promise<{ secret: string; uri: string }> {
  await confirmAgain(deps, who, from, { password });
  const { secret, sealed } = newTotpSecret(deps.sealingKey, who.user.id);
  if (!(await beginAuthenticator(deps.db, who.user.id, sealed))) {
    throw new Refusal('already_exists', 'The account already has an authenticator app. Remove it first.');
  }
  return { secret: base32(secret), uri: totpUri(secret, ISSUER, who.user.email) };
}

/**
 * After the app has shown a correct code, each sign-in requires a code. Recovery codes are created only with the first
 * factor of the account.
 */
export async function confirmAuthenticator(
  { db, signInLimit, sealingKey }: SecondFactorDeps,
  who: SignedIn,
  code: string,
  from: From,
): Promise<{ recovery_codes: string[] }> {
  const { id: userId } = who.user;
  await signInLimit.attempt(from.address, `first code of ${userId}`);
  const codes = await db.transaction(async (tx) => {
    const hadFactor = await lockFactors(tx, userId);
    if (hadFactor && !who.signInFactor) throw new Refusal('second_factor_required');
    await spendFirstCode(tx, sealingKey, userId, code);
    const made = await noteFirstFactor(tx, who, hadFactor);
    await recordAuditOfPerson(tx, { userId, ...from }, 'second_factor.enabled');
    return made;
  });
  await signInLimit.succeeded(from.address, `first code of ${userId}`);
  return { recovery_codes: codes ?? [] };
}

/**
 * The removal of an authenticator requires the password and a code, because an open browser or a password alone is not
 * enough.
 */
export async function removeAuthenticator(
  deps: SecondFactorDeps,
  who: SignedIn,
  { password, code }: { password?: string | undefined; code: string },
  from: From,
): Promise<void> {
  const { id: userId } = who.user;
  await confirmAgain(deps, who, from, { password });
  await spendCode(deps, userId, code);
  await deps.db.transaction(async (tx) => {
    await lockFactors(tx, userId);
    await deleteAuthenticator(tx, userId);
    await noteLastFactor(tx, userId);
    await recordAuditOfPerson(tx, { userId, ...from }, 'second_factor.disabled');
  });
}

/** The old recovery codes become invalid. */
export async function renewRecoveryCodes(
  deps: SecondFactorDeps,
  who: SignedIn,
  password: string | undefined,
  from: From,
): Promise<{ recovery_codes: string[] }> {
  const { id: userId } = who.user;
  await confirmAgain(deps, who, from, { password });
  const recovery_codes = await deps.db.transaction(async (tx) => {
    if (!(await lockFactors(tx, userId))) throw new Refusal('second_factor_required', 'Set up a second factor first.');
    const codes = await giveRecoveryCodes(tx, userId);
    await recordAuditOfPerson(tx, { userId, ...from }, 'second_factor.recovery_codes_renewed');
    return codes;
  });
  return { recovery_codes };
}
