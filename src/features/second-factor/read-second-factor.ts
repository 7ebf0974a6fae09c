import type { PasskeyRecord, SecondFactorView } from '../../../contract/dashboard/second-factor.ts';
import { timestamp } from '../../kernel/clock.ts';
import { readAuthenticator } from '../../store/accounts/authenticator.ts';
import { type StoredPasskey, listPasskeys } from '../../store/accounts/passkeys.ts';
import { countRecoveryCodes } from '../../store/accounts/recovery-codes.ts';
import type { SecondFactorDeps } from './second-factor.ts';

export async function readSecondFactor(
  { db, passkeys }: Pick<SecondFactorDeps, 'db' | 'passkeys'>,
  userId: string,
): Promise<SecondFactorView> {
  const app = await readAuthenticator(db, userId);
  return {
    authenticator: app?.confirmedAt ? { confirmed_at: timestamp(app.confirmedAt) } : null,
    passkeys: (await listPasskeys(db, userId)).map(presentPasskey),
    recovery_codes_left: await countRecoveryCodes(db, userId),
    passkeys_at: passkeys.at,
  };
}

export const presentPasskey = ({ id, name, createdAt, lastUsedAt }: StoredPasskey): PasskeyRecord => ({
  id,
  name,
  created_at: timestamp(createdAt),
  last_used_at: lastUsedAt && timestamp(lastUsedAt),
});
