import { parseArgs } from 'node:util';
import type { Role } from './app/app.ts';
import { withSourcePlaces } from './kernel/source-places.ts';
import { StartError } from './kernel/start-error.ts';
import { runBackup, runRestore } from './start/backup.ts';
import { runPasswordLink } from './start/password-link.ts';
import { runResetSecondFactor } from './start/reset-second-factor.ts';
import { runRotateSecrets } from './start/rotate-secrets.ts';
import { runCheckDatabase } from './start/check-database.ts';
import { runCheckMail } from './start/check-mail.ts';
import { runMigrate } from './start/migrate.ts';
import { serve } from './start/serve.ts';

/**
 * The program: `serve` (default), `migrate`, `backup FILE`, `restore FILE`, `reset-password EMAIL`,
 * `reset-second-factor EMAIL`, `rotate-secrets`, `check-mail`, `check-database`. On a fatal error it prints one sentence
 * with its cure and exits with 1, without damage to any data.
 */
const ROLES = new Set(['all', 'api', 'worker']);

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { role: { type: 'string', default: 'all' }, 'keep-keys': { type: 'boolean', default: false } },
  });
  const [command = 'serve', file] = positionals;
  if (!ROLES.has(values.role))
    throw new StartError(`There is no role "${values.role}".`, 'Use --role all, api or worker.');
  if (command === 'serve') await serve(values.role as Role);
  else if (command === 'migrate') await runMigrate();
  else if (command === 'backup') await runBackup(file);
  else if (command === 'reset-password') await runPasswordLink(file);
  else if (command === 'reset-second-factor') await runResetSecondFactor(file);
  else if (command === 'check-mail') await runCheckMail();
  else if (command === 'check-database') await runCheckDatabase();
  else if (command === 'rotate-secrets') await runRotateSecrets();
  else if (command === 'restore') await runRestore(file, values['keep-keys']);
  else
    throw new StartError(
      `There is no command "${command}".`,
      'Use serve, migrate, backup, restore, reset-password or reset-second-factor; "./parley --help" shows the command line.',
    );
} catch (error) {
  const known = error instanceof StartError || (error instanceof TypeError && 'code' in error);
  process.stderr.write(
    known
      ? `parley: ${error.message}${'cure' in error ? `\n        ${error.cure}` : ''}\n`
      : `${withSourcePlaces(String((error as Error).stack ?? error))}\n`,
  );
  process.exitCode = 1;
}
