import type { Command } from 'commander';
import type { RunRecord } from '../../contract/triggers.ts';
import type { Row } from '../api.ts';
import { Failure } from '../failure.ts';
import { field, listing, type ListOptions, time } from '../listing.ts';
import { toFile } from '../to-file.ts';
import { examples, verb } from '../verb.ts';

const resultOf = (run: Row): RunRecord['result'] => run['result'] as RunRecord['result'];

type Of = { trigger?: string; campaign?: string; file?: string };

export function addRunsCommand(program: Command): void {
  const runs = program
    .command('runs')
    .summary('runs and what they returned')
    .description('The runs of a trigger or a campaign, with their results.');

  const list = listing(
    runs
      .command('list')
      .description('Lists runs of a trigger, newest first.')
      .requiredOption('--trigger <id>', 'the trigger'),
  );
  verb<ListOptions & { trigger: string }>(list, async ({ api, out }, _args, { trigger, ...want }) =>
    out.list(
      await api.list('listTriggerRuns', want, { ids: { trigger_id: trigger } }),
      [
        field('id'),
        field('status'),
        { title: 'Result', of: (run) => resultOf(run).status },
        { title: 'Values', of: (run) => JSON.stringify(resultOf(run).data) },
        time('created_at'),
      ],
      'No run yet.',
    ),
  );

  const take = runs
    .command('export')
    .description('Exports the results of the runs of a trigger or a campaign as CSV.')
    .option('--trigger <id>', 'the runs of this trigger')
    .option('--campaign <id>', 'the runs that this campaign began')
    .option('--file <file>', 'a new file (default: standard output)');
  verb<Of>(take, async ({ api, out }, _args, { trigger, campaign, file }) => {
    if ((trigger === undefined) === (campaign === undefined))
      throw new Failure('usage_invalid', 'Use either --trigger or --campaign.');
    await toFile(file, (write) =>
      trigger === undefined
        ? api.download('exportCampaignResults', { ids: { campaign_id: campaign! } }, write)
        : api.download('exportTriggerResults', { ids: { trigger_id: trigger } }, write),
    );
    if (file !== undefined) out.hint(`Written to ${file}.`);
  });
  examples(take, 'runs export --trigger trigger_01jd… --file results.csv');
}
