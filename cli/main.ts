import { type Command, CommanderError } from 'commander';
import { ownVersion } from '../src/kernel/own-files.ts';
import { EXIT_INTERRUPTED, Failure } from './failure.ts';
import { endsWithReader, reportFailure } from './output.ts';
import { buildProgram } from './program.ts';
import { Interrupted } from './prompt.ts';
import { wantsJson } from './command-action.ts';

// In `parley keys list | head -1`, the reader closes the pipe early. The command succeeds although its reader closed
// the pipe, so its exit code stays 0.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    if (endsWithReader()) process.exit(0);
  });

process.exitCode = (await run(process.argv.slice(2))) ?? process.exitCode;

/** Handles `help keys create` like `keys create --help`. */
function meant(program: Command, args: string[]): string[] {
  const [first, ...names] = args;
  if (first !== 'help' || names.length === 0) return args;
  let at = program;
  for (const name of names.filter((word) => !word.startsWith('-'))) {
    const below = at.commands.find((command) => command.name() === name);
    if (!below) throw new Failure('usage_invalid', `There is no command "${name}" in "${at.name()}".`);
    at = below;
  }
  return [...names, '--help'];
}

/** Runs one command, and returns null if the command has set its own exit code. */
async function run(args: string[]): Promise<number | null> {
  // Only the first word counts, because `agents test --version 3` has an option with the same name.
  if (args[0] === '--version') {
    process.stdout.write(`${ownVersion()}\n`);
    return 0;
  }
  let command: Command | null = null;
  const program = buildProgram().hook('preAction', (_program, action) => {
    command = action;
  });
  const json = (): boolean => wantsJson(command, args.includes('--json'));
  try {
    await program.parseAsync(meant(program, args), { from: 'user' });
    return null;
  } catch (error) {
    if (error instanceof Interrupted) return EXIT_INTERRUPTED;
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 0;
      return reportFailure(usageFailure(error), json());
    }
    return reportFailure(error, json());
  }
}

/**
 * Returns Commander's message without the prefix. The help of a command group without a subcommand was already printed.
 */
function usageFailure(error: CommanderError): Failure {
  const message =
    error.code === 'commander.help' ? 'Choose a command. --help lists them.' : error.message.replace(/^error: /, '');
  return new Failure('usage_invalid', `${message[0]?.toUpperCase() ?? ''}${message.slice(1)}`);
}
