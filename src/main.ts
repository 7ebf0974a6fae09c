import { parseArgs } from 'node:util';
import type { Role } from './app/app.ts';
import { withSourceLocations } from './kernel/source-locations.ts';
import { StartError } from './kernel/start-error.ts';

/**
 * The program with the commands `serve` (default), `migrate`, `backup FILE`, `restore FILE`, `resume`, `reset-password
 * EMAIL`, `reset-second-factor EMAIL`, `rotate-secrets`, `check-mail`, `check-blobs`, `check-traces` and
 * `check-database`. On a fatal error, the program prints one sentence with its fix and exits with 1, without damage to
 * any data.
 */
const ROLES = new Set(['all', 'api', 'worker']);

type Given = { file: string | undefined; more: string | undefined; role: Role; keepKeys: boolean; resume: boolean };
/** Prints one line of JSON for `./parley doctor`. */
const report = async (found: Promise<unknown>): Promise<void> => {
  process.stdout.write(`${JSON.stringify(await found)}\n`);
};

/** Each command loads only the code that it needs, so a check of the mail server does not load the server. */
const COMMANDS: Record<string, (given: Given) => Promise<void>> = {
  serve: async ({ role }) => (await import('./start/serve.ts')).serve(role),
  migrate: async () => (await import('./start/migrate.ts')).runMigrate(),
  backup: async ({ file }) => (await import('./start/backup.ts')).runBackup(file),
  restore: async ({ file, keepKeys, resume }) =>
    (await import('./start/backup.ts')).runRestore(file, { keepKeys, resume }),
  resume: async () => (await import('./start/resume-installation.ts')).runResume(),
  'place-cells': async ({ file, more }) => (await import('./start/cells.ts')).runPlaceCells(file, more),
  cells: async ({ file }) => (await import('./start/cells.ts')).runCells(file),
  'move-organization': async ({ file, more }) => (await import('./start/cells.ts')).runMoveOrganization(file, more),
  'enable-cells': async ({ file }) => (await import('./start/cells.ts')).runEnableCells(file),
  'disable-cells': async () => (await import('./start/cells.ts')).runDisableCells(),
  'reset-password': async ({ file }) => (await import('./start/password-link.ts')).runPasswordLink(file),
  'reset-second-factor': async ({ file }) =>
    (await import('./start/reset-second-factor.ts')).runResetSecondFactor(file),
  'rotate-secrets': async () => (await import('./start/rotate-secrets.ts')).runRotateSecrets(),
  'check-mail': async () => report((await import('./start/check-mail.ts')).checkMail()),
  'check-blobs': async () => report((await import('./start/check-blobs.ts')).checkBlobs()),
  'check-traces': async () => report((await import('./start/check-traces.ts')).checkTraces()),
  'check-database': async () => report((await import('./start/check-database.ts')).checkDatabase()),
};

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      role: { type: 'string', default: 'all' },
      'keep-keys': { type: 'boolean', default: false },
      resume: { type: 'boolean', default: false },
    },
  });
  const [name = 'serve', file, more] = positionals;
  if (!ROLES.has(values.role))
    throw new StartError(`There is no role "${values.role}".`, 'Use --role all, api or worker.');
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command)
    throw new StartError(
      `There is no command "${name}".`,
      'Use serve, migrate, backup, restore, resume, cells, reset-password or reset-second-factor; "./parley --help" shows the command line.',
    );
  await command({ file, more, role: values.role as Role, keepKeys: values['keep-keys'], resume: values.resume });
} catch (error) {
  const known = error instanceof StartError || (error instanceof TypeError && 'code' in error);
  process.stderr.write(
    known
      ? `parley: ${error.message}${'fix' in error ? `\n        ${error.fix}` : ''}\n`
      : `${withSourceLocations(String((error as Error).stack ?? error))}\n`,
  );
  process.exitCode = 1;
}
