import { type Command, Option } from 'commander';
import { type RunRecord, RUN_STATUSES, type RunStatus } from '../../contract/triggers.ts';
import type { Row } from '../api.ts';
import { Failure } from '../failure.ts';
import { field, listing, type ListOptions, time } from '../listing.ts';
import { toFile } from '../write-file.ts';
import { examples, setAction } from '../command-action.ts';

const resultOf = (run: Row): RunRecord['result'] => run['result'] as RunRecord['result'];

type Filters = { trigger: string; status?: RunStatus; createdAfter?: string; createdBefore?: string };
type Of = { trigger?: string; campaign?: string; file?: string };

export function addRunsCommand(program: Command): void {
  const runs = program
    .command('runs')
    .summary('runs and their results')
    .description('The runs of a trigger or a campaign, with their results.');

  const list = listing(
    runs
      .command('list')
      .description('Lists runs of a trigger, newest first.')
      .requiredOption('--trigger <id>', 'the trigger')
      .addOption(new Option('--status <status>', 'only runs in this state').choices(RUN_STATUSES))
      .option('--created-after <time>', 'created at this time or later, e.g. 2026-11-21T06:00:00Z')
      .option('--created-before <time>', 'created before this time'),
  );
  setAction<ListOptions & Filters>(list, async ({ api, out }, _args, options) => {
    const { trigger, status, createdAfter, createdBefore, ...want } = options;
    const query = { status, created_after: createdAfter, created_before: createdBefore };
    out.list(
      await api.list('listTriggerRuns', want, { ids: { trigger_id: trigger }, query }),
      [
        field('id'),
        field('status'),
        { title: 'Result', of: (run) => resultOf(run).status },
        { title: 'Values', of: (run) => JSON.stringify(resultOf(run).data) },
        time('created_at'),
      ],
      'No run.',
    );
  });
  examples(list, 'runs list --trigger trigger_01jd… --status failed --created-after 2026-11-21T06:00:00Z');

  const take = runs
    .command('export')
    .description('Exports the results of the runs of a trigger or a campaign as CSV.')
    .option('--trigger <id>', 'the runs of this trigger')
    .option('--campaign <id>', 'the runs that this campaign began')
    .option('--file <file>', 'a new file (default: standard output)');
  setAction<Of>(take, async ({ api, out }, _args, { trigger, campaign, file }) => {
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
