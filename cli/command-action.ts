import type { Command } from 'commander';
import { type Api, createApi } from './api.ts';
import { createOutput, type Output } from './output.ts';
import { type GlobalOptions, readSettings, type Settings } from './settings.ts';

/** The parts of the command line that every action uses. */
export type Cli = { settings: Settings; api: Api; out: Output };

const PRINTS_TEXT = new WeakSet<Command>();

/** Marks a command for people or the log of a job: it prints text even into a pipe, and JSON only with --json. */
export function printsText(command: Command): Command {
  PRINTS_TEXT.add(command);
  return command;
}

export const wantsJson = (command: Command | null, given: boolean): boolean =>
  given || (!process.stdout.isTTY && !(command && PRINTS_TEXT.has(command)));

/**
 * Sets the action of a command. The action receives the typed arguments, the command's options, and the client of the
 * server.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- names the options that the command declares
export function setAction<Options>(
  command: Command,
  run: (cli: Cli, args: string[], options: Options) => Promise<void> | void,
): Command {
  return command.action(async () => {
    const options = command.optsWithGlobals<GlobalOptions>();
    const settings = readSettings(options, process.env);
    const out = createOutput(wantsJson(command, options.json === true));
    const cli: Cli = { settings, api: createApi(settings), out };
    try {
      await run(cli, command.processedArgs as string[], command.opts<Options & object>());
    } finally {
      await cli.api.close();
    }
  });
}

/** Adds examples to the end of a command's help. */
export const examples = (command: Command, ...lines: string[]): Command =>
  command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  $ ./parley ${line}`).join('\n')}`);
