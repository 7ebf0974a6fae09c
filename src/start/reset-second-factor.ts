import { resetSecondFactor } from '../features/second-factor/reset-second-factor.ts';
import { createLogger } from '../kernel/log.ts';
import { StartError } from '../kernel/start-error.ts';
import { SYSTEM } from '../store/organizations/audit.ts';
import { openDb } from '../store/db.ts';
import { findPersonByEmail } from '../store/accounts/accounts.ts';
import { joinDatabase } from './open-database.ts';
import { readConfig } from './read-config.ts';

/**
 * Removes the authenticator app, passkeys and recovery codes of a person who lost them. The password does not change.
 */
export async function runResetSecondFactor(email: string | undefined): Promise<void> {
  if (!email) throw new StartError('The e-mail address is missing.', 'Use ./parley reset-second-factor EMAIL.');
  const config = readConfig((text) => void process.stderr.write(`${text}\n`), { mustExist: true });
  const database = await joinDatabase(config, createLogger({ level: 'warn', pretty: false }));
  const db = openDb(database.url);
  try {
    const person = await findPersonByEmail(db, email);
    if (!person) throw new StartError('No account has this address.', 'Check its spelling.');
    const reset = await resetSecondFactor({ db }, person.id, SYSTEM);
    process.stdout.write(`${JSON.stringify({ email: person.email, reset })}\n`);
  } finally {
    await db.$client.end();
    await database.stop();
  }
}
