import { PASSWORD_LINK_MINUTES, linkEnd, passwordLinkUrl, signLink } from '../access/sessions/signed-link.ts';
import { createLogger } from '../kernel/log.ts';
import { StartError } from '../kernel/start-error.ts';
import { findPersonByEmail } from '../store/accounts/accounts.ts';
import { type Db, openDb } from '../store/db.ts';
import { findCredential } from '../store/accounts/passwords.ts';
import { loadSecrets } from '../app/load-secrets.ts';
import { joinDatabase } from './open-database.ts';
import { readConfig } from './read-config.ts';

/**
 * Prints a link with which a person sets a new password. A person who can run this command already has full control of
 * the installation.
 */
export async function runPasswordLink(email: string | undefined): Promise<void> {
  if (!email) throw new StartError('The e-mail address is missing.', 'Use ./parley reset-password EMAIL.');
  const config = readConfig((text) => void process.stderr.write(`${text}\n`), { mustExist: true });
  const database = await joinDatabase(config, createLogger({ level: 'warn', pretty: false }));
  const db = openDb(database.url);
  try {
    const found = await findCredential(db, email);
    if (!found) throw await notResettable(db, email);
    const expiresAt = linkEnd(PASSWORD_LINK_MINUTES);
    const { setupKey } = await loadSecrets(db, config);
    const token = signLink(setupKey, 'password', { userId: found.person.id, expiresAt }, found.hash);
    const url = passwordLinkUrl(config.baseUrl, token);
    process.stdout.write(
      `${JSON.stringify({ email: found.person.email, url, expires_at: expiresAt.toISOString() })}\n`,
    );
  } finally {
    await db.$client.end();
    await database.stop();
  }
}

const notResettable = async (db: Db, email: string): Promise<StartError> =>
  (await findPersonByEmail(db, email)) === null
    ? new StartError('No account has this address.', 'Check its spelling.')
    : new StartError(
        'The account with this address has no password.',
        'The person signs in with a passkey or with the provider of an organization.',
      );
