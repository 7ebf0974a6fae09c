import { newId } from '../../kernel/ids.ts';
import type { PasskeyAttestation, PasskeyRecord } from '../../../contract/dashboard/second-factor.ts';
import { Refusal } from '../../../contract/problems.ts';
import type { SignedIn } from '../../access/sessions/signed-in.ts';
import { recordAuditOfPerson } from '../../store/organizations/audit.ts';
import { isUniqueViolation } from '../../store/db.ts';
import {
  deletePasskey,
  insertPasskey,
  listPasskeys,
  renamePasskey as writeName,
} from '../../store/accounts/passkeys.ts';
import { presentPasskey } from './read-second-factor.ts';
import {
  type From,
  type SecondFactorDeps,
  confirmAgain,
  lockFactors,
  noteFirstFactor,
  noteLastFactor,
} from './second-factor.ts';

/** The limit is enough for each device of a person and several spare devices. */
const MAX_PASSKEYS = 20;

export async function startPasskey(
  deps: SecondFactorDeps,
  who: SignedIn,
  password: string | undefined,
  from: From,
): Promise<Record<string, unknown>> {
  await confirmAgain(deps, who, from, { password, orFresh: true });
  const options = await deps.passkeys.addingOptions(who.user, await listPasskeys(deps.db, who.user.id));
  return { ...options };
}

/** The challenge was created for this person after `confirmAgain`, so the password is not required again. */
export async function addPasskey(
  { db, passkeys }: SecondFactorDeps,
  who: SignedIn,
  { name, credential }: { name: string; credential: PasskeyAttestation },
  from: From,
): Promise<{ passkey: PasskeyRecord; recovery_codes: string[] | null }> {
  const { id: userId } = who.user;
  const checked = await passkeys.checkAttestation(who.user, credential);
  return db
    .transaction(async (tx) => {
      const hadFactor = await lockFactors(tx, userId);
      if (hadFactor && !who.signInFactor) throw new Refusal('second_factor_required');
      if ((await listPasskeys(tx, userId)).length >= MAX_PASSKEYS) {
        throw new Refusal('already_exists', `An account has at most ${MAX_PASSKEYS} passkeys.`);
      }
      const row = await insertPasskey(tx, { id: newId('passkey'), userId, name, ...checked });
      const recovery_codes = await noteFirstFactor(tx, who, hadFactor);
      await recordAuditOfPerson(tx, { userId, ...from }, 'passkey.added', { id: row.id, name });
      return { passkey: presentPasskey(row), recovery_codes };
    })
    .catch((error: unknown) => {
      throw isUniqueViolation(error) ? new Refusal('already_exists', 'This passkey is already added.') : error;
    });
}

export async function renamePasskey(
  { db }: SecondFactorDeps,
  who: SignedIn,
  id: string,
  name: string,
): Promise<PasskeyRecord> {
  const row = await writeName(db, who.user.id, id, name);
  if (!row) throw new Refusal('passkey_not_found');
  return presentPasskey(row);
}

export async function removePasskey(
  deps: SecondFactorDeps,
  who: SignedIn,
  { id, password }: { id: string; password: string | undefined },
  from: From,
): Promise<void> {
  const { id: userId } = who.user;
  await confirmAgain(deps, who, from, { password, orFresh: true });
  await deps.db.transaction(async (tx) => {
    await lockFactors(tx, userId);
    const row = await deletePasskey(tx, userId, id);
    if (!row) throw new Refusal('passkey_not_found');
    await noteLastFactor(tx, userId);
    await recordAuditOfPerson(tx, { userId, ...from }, 'passkey.removed', { id, name: row.name });
  });
}
