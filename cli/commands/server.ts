import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { type Command, Option } from 'commander';
import { ownProgram } from '../../src/kernel/own-files.ts';
import { confirm } from '../prompt.ts';
import { examples, setAction } from '../command-action.ts';

const PROGRAM = ownProgram('src/main');

/** Commands that run the server's own program on this machine, with its configuration from the environment. */
export function addServerCommands(program: Command): void {
  const serve = program
    .command('serve')
    .summary('run the server here')
    .description(
      'Runs the server in the foreground, with its configuration from the environment. See docs/operations.md.',
    )
    .addOption(
      new Option('--role <role>', 'the work of this process').choices(['all', 'api', 'worker']).default('all'),
    );
  setAction<{ role: string }>(serve, (_cli, _args, { role }) => runProgram(['serve', '--role', role]));
  examples(serve, 'serve', 'serve --role worker');

  setAction(
    program
      .command('migrate')
      .summary('migrate the database')
      .description(
        'Migrates the schema of the database to this version, and exits. Several machines may run this command at the same time.',
      ),
    () => runProgram(['migrate']),
  );

  const backup = program
    .command('backup')
    .summary('back up all records into one file')
    .description(
      'Writes a consistent copy of all records of this region into a new file that only you can read. The server may keep running. The file does not contain PARLEY_SECRET: keep it elsewhere.',
    )
    .argument('<file>', 'the new file; an existing file is never overwritten');
  setAction(backup, (_cli, [file]) => runProgram(['backup', file!]));
  examples(backup, 'backup parley-2026-11-21.ndjson.gz');

  const restore = program
    .command('restore')
    .summary('load a backup into an empty database')
    .description(
      'Loads a backup into an empty, migrated database while no server runs on it. The backup is loaded completely or not at all. Requires the PARLEY_SECRET of the backed-up installation. After a rotation, set the secret of the backup as PARLEY_SECRET_PREVIOUS. The copy is paused: it sends nothing until "parley resume".',
    )
    .argument('<file>')
    .option(
      '--keep-keys',
      'keep the API keys of the backup active; use this only if no key was revoked since the backup',
    )
    .option('--resume', 'do not pause the copy; use this only if the copy replaces the original, which has stopped')
    .option('--yes', 'do not ask');
  type RestoreOptions = { keepKeys?: boolean; resume?: boolean; yes?: boolean };
  setAction<RestoreOptions>(restore, async (_cli, [file], { keepKeys, resume, yes }) => {
    await confirm(yes, restoreQuestion(keepKeys));
    await runProgram(['restore', file!, ...(keepKeys ? ['--keep-keys'] : []), ...(resume ? ['--resume'] : [])]);
  });
  examples(restore, 'restore parley-2026-11-21.ndjson.gz --yes');

  const resume = program
    .command('resume')
    .summary('end the pause after a restore')
    .description(
      'Ends the pause of a restored copy. Within a second, all processes on the database of the copy start to send the waiting messages.',
    );
  setAction(resume, () => runProgram(['resume']));
  examples(resume, 'resume');

  addCellsCommand(program);

  setAction(
    program
      .command('secrets')
      .summary('change PARLEY_SECRET')
      .description('The secret from which every key of this installation is derived.')
      .command('rotate')
      .description(
        'Moves everything that PARLEY_SECRET protects to a new secret. Servers may run at the same time. If the command is killed, run it again to continue. With DATABASE_URL: first restart every process with PARLEY_SECRET (the new one) and PARLEY_SECRET_PREVIOUS (the current one), and after the command restart every process once more. If the secret is in DATA_DIR, the command creates the new secret itself. The steps: docs/operations.md.',
      ),
    () => runProgram(['rotate-secrets']),
  );

  const reset = program
    .command('reset-password')
    .summary('create a link to reset a password')
    .description(
      'Prints a link with which a person sets a new password. The link works once, within 30 minutes. Share the link yourself; no mail is sent. A new password ends all sessions of the person.',
    )
    .argument('<email>', 'the e-mail address of the account');
  setAction(reset, (_cli, [email]) => runProgram(['reset-password', email!]));
  examples(reset, 'reset-password asha@example.com');

  const factor = program
    .command('reset-second-factor')
    .summary('remove the second factor of a person')
    .description(
      'Removes the authenticator app, passkeys and recovery codes of a person and ends all their sessions. Verify who requests the reset: after the reset, the password alone is enough to sign in.',
    )
    .argument('<email>', 'the e-mail address of the account')
    .option('--yes', 'do not ask');
  setAction<{ yes?: boolean }>(factor, async (_cli, [email], { yes }) => {
    await confirm(yes, 'After the reset, the password alone is enough to sign in.');
    await runProgram(['reset-second-factor', email!]);
  });
  examples(factor, 'reset-second-factor asha@example.com --yes');
}

function addCellsCommand(program: Command): void {
  const cells = program
    .command('cells')
    .summary('parts of the database for the organizations')
    .description(
      'An organization lives in one cell, a schema of the database with all of its records. A new installation has one cell. See docs/scaling.md.',
    );
  const list = cells
    .command('list')
    .description('Prints the cells with their organizations, rows (estimated) and bytes, as JSON.');
  setAction(list, () => runProgram(['cells']));
  examples(list, 'cells list');
  const move = cells
    .command('move')
    .description(
      'Moves a cell to another node of the Citus cluster, and prints all cells. Servers may run at the same time. Calls to organizations of the cell wait for a moment at the end.',
    )
    .argument('<cell>', 'the cell: "./parley cells list" shows the cells')
    .requiredOption('--node <host:port>', 'the new node of the cell');
  setAction<{ node: string }>(move, (_cli, [cell], { node }) => runProgram(['place-cells', cell!, node]));
  examples(move, 'cells move cell_2 --node 10.0.0.32:5432');
  const rebalance = cells
    .command('rebalance')
    .description(
      'Moves cells between the nodes of the Citus cluster until the nodes have about the same load (bytes, and small cells by their number), and prints all cells. Run the command after nodes were added. Servers may run at the same time.',
    );
  setAction(rebalance, () => runProgram(['place-cells']));
  examples(rebalance, 'cells rebalance');
  const add = cells
    .command('add')
    .description(
      'Creates cells and prints all cells. Each new organization is created in the cell with the least load. Existing organizations stay in their cell. Servers may run at the same time.',
    )
    .argument('<number>', 'how many');
  setAction(add, (_cli, [count]) => runProgram(['cells', count!]));
  examples(add, 'cells add 1');
  const enable = cells
    .command('enable')
    .description(
      'Moves every organization out of the cell "public" into other cells, one after the other, and creates these cells first if there are fewer. Each organization gets 503 with Retry-After while it is moved. The length of each pause is printed. Servers may run at the same time. If the command is killed, run it again to continue. "cells disable" reverses "cells enable".',
    )
    .argument('[number]', 'how many cells besides "public"', '1')
    .option('--yes', 'do not ask');
  setAction<{ yes?: boolean }>(enable, async (_cli, [count], { yes }) => {
    await confirm(yes, 'Every organization is moved, and gets 503 for some seconds.');
    await runProgram(['enable-cells', count!]);
  });
  examples(enable, 'cells enable 2');
  const disable = cells
    .command('disable')
    .description(
      'Moves every organization back to the cell "public", in the same way as "cells enable". After the move, the other cells are empty and are not used.',
    )
    .option('--yes', 'do not ask');
  setAction<{ yes?: boolean }>(disable, async (_cli, _args, { yes }) => {
    await confirm(yes, 'Every organization is moved, and gets 503 for some seconds.');
    await runProgram(['disable-cells']);
  });
  examples(disable, 'cells disable --yes');
}

/** Adds the part of `orgs` that runs on this machine. */
export function addMoveCommand(orgs: Command): void {
  const move = orgs
    .command('move')
    .description(
      'Moves an organization to another cell. The command works only on the machine of the server. During the move, calls of the organization get 503 with Retry-After, and its turns and deliveries wait. Other organizations are not affected. The length of the pause is printed. If the command is killed, nothing has changed: run it again.',
    )
    .argument('<org-id>', 'the organization')
    .requiredOption('--cell <cell>', 'the new cell of the organization: "./parley cells list" shows the cells');
  setAction<{ cell: string }>(move, (_cli, [id], { cell }) => runProgram(['move-organization', id!, cell]));
  examples(move, 'orgs move org_01jd… --cell cell_2');
}

const restoreQuestion = (keepKeys: boolean | undefined): string =>
  keepKeys
    ? 'Keys that were revoked after the backup was made will work again.'
    : 'Every API key in the backup will be revoked, because a backup does not know which were revoked after it was made.';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs the server's program with the same output, signals and exit code. */
async function runProgram(args: string[]): Promise<void> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: 'inherit' });
  // A terminal also sends Ctrl-C to the child. A second signal would stop the server immediately, before its requests
  // are finished.
  const forward = (signal: NodeJS.Signals): void => {
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
  };
  for (const signal of SIGNALS) process.on(signal, forward);
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (...ended) => resolve(ended));
  });
  for (const name of SIGNALS) process.off(name, forward);
  process.exitCode = code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}
