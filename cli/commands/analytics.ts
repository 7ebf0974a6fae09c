import { type Command, Option } from 'commander';
import {
  type Analytics,
  ANALYTICS_GROUPS,
  type AnalyticsGroup,
  type AnalyticsQuery,
  MAX_ANALYTICS_DAYS,
} from '../../contract/dashboard/analytics.ts';
import { MAX_VERSION } from '../../contract/limits.ts';
import type { Api } from '../api.ts';
import { wholeNumber } from '../read-input.ts';
import { type Column, table } from '../table.ts';
import { toFile } from '../write-file.ts';
import { examples, setAction } from '../command-action.ts';

type Row = Analytics['data'][number];
type Options = {
  by: AnalyticsGroup;
  days?: number;
  since?: string;
  until?: string;
  agent?: string;
  agentVersion?: number;
  channel?: string;
  member?: string;
  trigger?: string;
  campaign?: string;
  csv?: true;
};

/** Adds the command that counts what happened in conversations (docs/analytics.md). */
export function addAnalyticsCommand(program: Command): void {
  const analytics = program
    .command('analytics')
    .summary('figures of conversations')
    .description(
      'Shows what happened in the conversations that started in a period, in groups. Days are in the time zone of the organization.',
    )
    .addOption(new Option('--by <group>', 'the dimension of the groups').choices(ANALYTICS_GROUPS).default('day'))
    .option('--days <n>', 'the number of days (default: 30)', wholeNumber('--days', 1, MAX_ANALYTICS_DAYS))
    .option('--since <day>', 'first day, such as 2026-11-01')
    .option('--until <day>', 'last day (default: today)')
    .option('--agent <id>', 'only this agent')
    .option('--agent-version <n>', 'only this version of the agent', wholeNumber('--agent-version', 1, MAX_VERSION))
    .option('--channel <id>', 'only this channel')
    .option('--member <user-id>', 'only conversations in which this member wrote')
    .option('--trigger <id>', 'only conversations that this trigger started')
    .option('--campaign <id>', 'only conversations that this campaign started')
    .option('--csv', 'print the groups as CSV');
  setAction<Options>(analytics, async ({ api, out }, _args, options) => {
    const query = queryOf(options);
    if (options.csv) return toFile(undefined, (write) => api.download('exportAnalytics', { query }, write));
    const found = await readComplete(api, query);
    out.record(found, () => table([...found.data, { ...TOTAL, figures: found.total }], COLUMNS, (line) => line));
  });
  examples(
    analytics,
    'analytics --days 7',
    'analytics --by version --agent AGENT_ID --since 2026-11-01 --until 2026-11-30',
    'analytics --by member --csv > members.csv',
  );
}

/** A server counts for a few seconds per call. Each call of the loop counts at least one more day. */
async function readComplete(api: Api, query: AnalyticsQuery): Promise<Analytics> {
  for (;;) {
    const found = await api.call('readAnalytics', { query });
    if (found.complete) return found;
  }
}

const queryOf = ({ by, days, since, until, agent, agentVersion, channel, member, trigger, campaign }: Options) => ({
  by,
  days,
  since,
  until,
  agent_id: agent,
  version: agentVersion,
  channel_id: channel,
  member_id: member,
  trigger_id: trigger,
  campaign_id: campaign,
});

const TOTAL = { group: 'Total', name: null, agent_id: null };

const COLUMNS: Column<Row>[] = [
  { title: 'Group', of: ({ group }) => group },
  { title: 'Name', of: ({ name }) => name },
  { title: 'Conversations', of: ({ figures }) => figures.conversations },
  { title: 'Answered', of: ({ figures }) => figures.answered },
  { title: 'Handed over', of: ({ figures }) => figures.handed_over },
  { title: 'Unanswered', of: ({ figures }) => figures.unanswered },
  { title: 'Resolved', of: ({ figures }) => figures.resolved },
  { title: 'First reply (s)', of: ({ figures }) => figures.first_reply_seconds },
  { title: 'Reply of a person (s)', of: ({ figures }) => figures.team_reply_seconds },
  { title: 'Time to resolve (s)', of: ({ figures }) => figures.resolve_seconds },
  { title: 'Ratings', of: ({ figures }) => figures.ratings },
  { title: 'Rating', of: ({ figures }) => figures.rating?.toFixed(2) },
  { title: 'Cost', of: ({ figures }) => figures.cost.map(({ amount, currency }) => `${amount} ${currency}`) },
];
