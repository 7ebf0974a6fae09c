import { CommanderError } from 'commander';
import { EXIT_INTERRUPTED, Failure } from './failure.ts';
import { reportFailure } from './output.ts';
import { buildProgram } from './program.ts';
import { Interrupted } from './prompt.ts';

// A reader that went away, as in "parley keys list | head -1", is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

process.exitCode = (await run(process.argv.slice(2))) ?? process.exitCode;

/** Runs one command; null leaves the exit code that the command chose. */
async function run(args: string[]): Promise<number | null> {
  const program = buildProgram();
  try {
    await program.parseAsync(args, { from: 'user' });
    return null;
  } catch (error) {
    if (error instanceof Interrupted) return EXIT_INTERRUPTED;
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 0;
      return reportFailure(usageFailure(error), wantsJson(args));
    }
    return reportFailure(error, wantsJson(args));
  }
}

function wantsJson(args: string[]): boolean {
  return args.includes('--json') || !process.stdout.isTTY;
}

/** Commander's words without its prefix; a command group by itself has shown its help already. */
function usageFailure(error: CommanderError): Failure {
  const message =
    error.code === 'commander.help' ? 'Choose one of the commands above.' : error.message.replace(/^error: /, '');
  return new Failure('usage_invalid', `${message[0]?.toUpperCase() ?? ''}${message.slice(1)}`);
}
