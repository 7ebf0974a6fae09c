import { otherSecret } from '../access/sessions/prepare-installation.ts';
import { secretCheck } from '../access/sessions/setup-link.ts';
import type { Config } from '../config/config.ts';
import { deriveSecrets, pastSecretKey, type SecretHistory, type Secrets, secretsOf } from '../config/secrets.ts';
import type { Db } from '../store/db.ts';
import { type Installation, readInstallation } from '../store/installation/installation.ts';
import { readPastSecrets } from '../store/installation/past-secrets.ts';

type Given = Pick<Config, 'secret' | 'previousSecret'>;

export const checkOf = (secret: string): Buffer => secretCheck(deriveSecrets(secret).setupKey);

/**
 * The keys of this process. The keys are fixed when the process starts, so a later rotation takes effect at the next
 * start.
 */
export async function loadSecrets(db: Db, given: Given): Promise<Secrets> {
  const row = await readInstallation(db);
  return row === null ? deriveSecrets(given.secret) : secretsOf(await historyOf(db, row, given));
}

/**
 * Every secret that the installation has had. The database stores the secrets, sealed with the current secret. Before
 * the rotation, the current secret is the previous secret. After the rotation, the current secret is the new secret. A
 * process with both secrets works before and after the rotation.
 */
export async function historyOf(
  db: Db,
  row: Pick<Installation, 'secretCheck' | 'secretGeneration'>,
  { secret, previousSecret }: Given,
): Promise<SecretHistory> {
  const generation = row.secretGeneration;
  if (row.secretCheck.equals(checkOf(secret))) {
    const past = await readPastSecrets(db, pastSecretKey(secret));
    // The previous secret is accepted as long as the operator configures it, and only if it really is the previous
    // secret of this installation.
    const accepted = previousSecret !== null && previousSecret === past.at(-1) ? [previousSecret] : [];
    return { chain: [...past, secret], generation, accepted };
  }
  if (previousSecret !== null && row.secretCheck.equals(checkOf(previousSecret))) {
    const past = await readPastSecrets(db, pastSecretKey(previousSecret));
    return { chain: [...past, previousSecret, secret], generation, accepted: [secret] };
  }
  throw otherSecret();
}
