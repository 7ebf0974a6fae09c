import { PASSWORD_LINK_MINUTES, passwordLinkToken, passwordLinkUrl } from '../access/sessions/password-link.ts';
import { deriveSecrets } from '../config/secrets.ts';
import { createLogger } from '../kernel/log.ts';
import { StartError } from '../kernel/start-error.ts';
import { openDb } from '../store/db.ts';
import { findPersonByEmail, readPasswordHash } from '../store/people.ts';
import { joinDatabase } from './open-database.ts';
import { readConfig } from './read-config.ts';

const MINUTE_MS = 60_000;

/** Prints a link by which a person sets a new password. Whoever can run this owns the installation anyway. */
export async function runPasswordLink(email: string | undefined): Promise<void> {
  if (!email) throw new StartError('Nobody is named.', 'Name the address: ./parley reset-password EMAIL.');
  const config = readConfig((text) => void process.stderr.write(`${text}\n`), { mustExist: true });
  const database = await joinDatabase(config, createLogger({ level: 'warn', pretty: false }));
  const db = openDb(database.url);
  try {
    const person = await findPersonByEmail(db, email);
    const hash = person && (await readPasswordHash(db, person.id));
    if (!person || !hash) throw new StartError('Nobody signs in with this address here.', 'Check its spelling.');
    const expiresAt = new Date(Date.now() + PASSWORD_LINK_MINUTES * MINUTE_MS);
    const token = passwordLinkToken(deriveSecrets(config.secret).setupKey, { userId: person.id, expiresAt }, hash);
    const url = passwordLinkUrl(config.baseUrl, token);
    process.stdout.write(`${JSON.stringify({ email: person.email, url, expires_at: expiresAt.toISOString() })}\n`);
  } finally {
    await db.$client.end();
    await database.stop();
  }
}
