import type { Command } from 'commander';
import { type Api, createApi } from './api.ts';
import { createOutput, type Output } from './output.ts';
import { type GlobalOptions, readSettings, type Settings } from './settings.ts';

/** What a verb works with. */
export type Cli = { settings: Settings; api: Api; out: Output };

/** Gives a command its action: the arguments as typed, its own options, and the server to talk to. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- names the options that the command declares
export function verb<Options>(
  command: Command,
  run: (cli: Cli, args: string[], options: Options) => Promise<void> | void,
): Command {
  return command.action(async () => {
    const settings = readSettings(command.optsWithGlobals<GlobalOptions>(), process.env);
    const cli: Cli = { settings, api: createApi(settings), out: createOutput(settings.json) };
    try {
      await run(cli, command.processedArgs as string[], command.opts<Options & object>());
    } finally {
      await cli.api.close();
    }
  });
}

/** Examples at the end of a command's help. */
export const examples = (command: Command, ...lines: string[]): Command =>
  command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  $ ./parley ${line}`).join('\n')}`);
