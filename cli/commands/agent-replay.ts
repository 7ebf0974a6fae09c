import type { Command } from 'commander';
import {
  type ReplayResult,
  type ReplaySide,
  REPLAY_CHANGES,
  summarizeReplays,
} from '../../contract/dashboard/replay.ts';
import { Failure, Refused } from '../failure.ts';
import { wholeNumber } from '../read-input.ts';
import { endWithReader } from '../output.ts';
import { retryCall } from '../retry-call.ts';
import { type Cli, examples, setAction } from '../command-action.ts';
import { printable } from '../table.ts';
import { versionOf } from './agent-version.ts';

type ReplayOptions = { last: number; version: string; conversation?: string; exitCode?: boolean };

/** Adds the command `agents replay`. */
export function addAgentReplay(agents: Command): void {
  const replay = agents
    .command('replay')
    .summary('what the draft would have answered')
    .description(
      'Replays the newest conversations with the draft and prints the answers that differ. Nothing is sent or stored, and tools return their recorded answers. A connected model is really called, which costs money. Ctrl-C stops.',
    )
    .argument('<agent-id>')
    .option('--last <n>', 'the number of conversations', wholeNumber('--last', 1, 1_000), 50)
    .option('--conversation <id>', 'this conversation only')
    .option('--version <version>', '"draft", or the number of a version', 'draft')
    .option('--exit-code', 'end with 5 if the draft changes an answer');
  setAction<ReplayOptions>(replay, (cli, [id], options) => runReplay(cli, id!, options));
  examples(replay, 'agents replay agent_01jd… --last 200', 'agents replay agent_01jd… --version 3 --exit-code');
}

async function runReplay(cli: Cli, agent: string, options: ReplayOptions): Promise<void> {
  const version = versionOf(options.version);
  if (!options.exitCode) endWithReader();
  const ids = options.conversation === undefined ? await newest(cli, agent, options.last) : [options.conversation];
  const results: ReplayResult[] = [];
  const failures: Refused[] = [];
  for (const [at, conversationId] of ids.entries()) {
    cli.out.progress(`${at + 1} of ${ids.length}`);
    const body = { conversation_id: conversationId, ...(version !== undefined && { version }) };
    try {
      const result = await retryCall(() => cli.api.call('replayConversation', { ids: { agent_id: agent }, body }));
      results.push(result);
      if (cli.out.json || result.turns.some(({ cause }) => cause !== null))
        cli.out.line(result, () => printable(textOf(result)));
    } catch (error) {
      // If a provider fails for one conversation, the replay continues, and the command fails only if all conversations
      // fail.
      if (!(error instanceof Refused) || (failures.push(error) > 2 && results.length === 0)) throw error;
    }
  }
  if (results.length === 0 && failures.length > 0) throw failures[0]!;
  finish(cli, results, failures, options.exitCode === true);
}

async function newest(cli: Cli, agent: string, limit: number): Promise<string[]> {
  const { data } = await cli.api.list('listConversations', { limit }, { query: { agent_id: agent } });
  return data.map(({ id }) => String(id));
}

function finish(cli: Cli, results: readonly ReplayResult[], failures: readonly Refused[], exitCode: boolean): void {
  const summary = summarizeReplays(results);
  const { played, same, changed, earlier, by } = summary;
  const kinds = REPLAY_CHANGES.flatMap((name) => (by[name] === 0 ? [] : `${name} ${by[name]}`));
  cli.out.line({ summary, not_played: failures.length }, () =>
    [
      `${played} conversations: ${same} the same, ${changed} changed by this version`,
      kinds.length > 0 ? ` (${kinds.join(', ')})` : '',
      earlier > 0 ? `, ${earlier} changed before it, by an earlier version or a document` : '',
      failures.length > 0 ? `, ${failures.length} not played: ${printable(failures[0]!.message)}` : '',
    ].join(''),
  );
  if (exitCode && changed > 0) throw new Failure('replay_differs', `${changed} of ${played} conversations change.`);
}

const textOf = ({ conversation_id: id, turns }: ReplayResult): string =>
  [
    id,
    ...turns.flatMap(({ input, recorded, replayed, changed, cause }, at) =>
      cause === null
        ? []
        : [
            `  turn ${at + 1}: ${changed.join(', ')}${cause === 'earlier' ? ' (not by this version)' : ''}`,
            ...input.map((text) => `    person  ${text}`),
            `    then    ${sideText(recorded)}`,
            `    now     ${sideText(replayed)}`,
          ],
    ),
  ].join('\n');

const sideText = ({ said, cites, calls, next }: ReplaySide): string =>
  [
    said.length === 0 ? '(nothing)' : said.join('\n').replaceAll('\n', '\n            '),
    ...(cites.length > 0 ? [`[${cites.join(', ')}]`] : []),
    ...calls.map(({ tool, arguments: args }) => `[${tool} ${args}]`),
    ...(next === 'waiting_for_user' ? [] : [`[${next}]`]),
  ].join(' ');
