import type { Command } from 'commander';
import type { RolloutBody, StopWhen } from '../../contract/dashboard/rollouts.ts';
import { MAX_VERSION } from '../../contract/limits.ts';
import { Failure } from '../failure.ts';
import { parseJsonObject, wholeNumber } from '../read-input.ts';
import { examples, setAction } from '../command-action.ts';

type Flags = { version?: number; percent?: number; stopWhen?: string; stop?: boolean; finish?: boolean };

/** Adds the commands `agents rollout` and `agents compare`. */
export function addAgentRollout(agents: Command): void {
  const rollout = agents
    .command('rollout')
    .summary('give a version to a part of the end users')
    .description(
      'Gives a version to a part of the end users, or changes the size of this part. An end user always gets the same version. Without options, shows the latest rollout.',
    )
    .argument('<agent-id>')
    .option('--version <n>', 'the number of a published version', wholeNumber('--version', 1, MAX_VERSION))
    .option('--percent <n>', 'the part of the end users, 0 to 100', wholeNumber('--percent', 0, 100))
    .option('--stop-when <json>', 'when the rollout stops automatically: {"worse_by":0.05,"confidence":0.95}')
    .option('--stop', 'stop: everyone gets the live version')
    .option('--finish', 'finish: the version becomes live for everyone');
  setAction<Flags>(rollout, async ({ api, out }, [id], flags) => {
    const ids = { agent_id: id! };
    const body = bodyOf(flags);
    if (body) return out.record(await api.call('setRollout', { ids, body }));
    if (flags.stop) return out.record(await api.call('stopRollout', { ids }));
    if (flags.finish) return out.record(await api.call('finishRollout', { ids }));
    return out.record(await api.call('readRollout', { ids }));
  });
  examples(
    rollout,
    'agents publish agent_01jd… --not-live',
    `agents rollout agent_01jd… --version 12 --percent 10 \\\n      --stop-when '{"worse_by":0.05,"confidence":0.95}'`,
    'agents rollout agent_01jd… --finish',
  );

  setAction(
    agents
      .command('compare')
      .description('Compares versions of an agent: the outcomes of their runs, with intervals.')
      .argument('<agent-id>'),
    async ({ api, out }, [id]) => out.record(await api.call('compareVersions', { ids: { agent_id: id! } })),
  );
}

/** The value is undefined if the command does not set a rollout. */
function bodyOf({ version, percent, stopWhen, stop, finish }: Flags): RolloutBody | undefined {
  const sets = version !== undefined || percent !== undefined || stopWhen !== undefined;
  if (Number(sets) + Number(stop ?? false) + Number(finish ?? false) > 1)
    throw new Failure('usage_invalid', 'Use either --version with --percent, or --stop, or --finish.');
  if (!sets) return undefined;
  if (version === undefined || percent === undefined)
    throw new Failure('usage_invalid', 'A rollout needs --version and --percent.');
  // The server validates the content of the file.
  const limit = stopWhen === undefined ? undefined : (parseJsonObject(stopWhen, '--stop-when') as StopWhen);
  return { version, percent, ...(limit && { stop_when: limit }) };
}
