import { type CsvCell, csv, csvHeader } from '../../../contract/csv.ts';
import type { Analytics, AnalyticsQuery } from '../../../contract/dashboard/analytics.ts';
import { readAnalytics } from './read-analytics.ts';
import type { StatisticsDeps } from './read-statistics.ts';

type Row = Analytics['data'][number];

const COLUMNS: [string, (row: Row) => CsvCell][] = [
  ['name', ({ name }) => name ?? ''],
  ['agent_id', (row) => row.agent_id ?? ''],
  ['conversations', ({ figures }) => figures.conversations],
  ['answered', ({ figures }) => figures.answered],
  ['handed_over', ({ figures }) => figures.handed_over],
  ['unanswered', ({ figures }) => figures.unanswered],
  ['resolved', ({ figures }) => figures.resolved],
  ['first_reply_seconds', ({ figures }) => figures.first_reply_seconds],
  ['team_reply_seconds', ({ figures }) => figures.team_reply_seconds],
  ['resolve_seconds', ({ figures }) => figures.resolve_seconds],
  ['ratings', ({ figures }) => figures.ratings],
  ['rating', ({ figures }) => rounded(figures.rating)],
  ['cost', ({ figures }) => figures.cost.map(({ amount, currency }) => `${amount} ${currency}`).join(' + ')],
];

const rounded = (rating: number | null): number | null => (rating === null ? null : Number(rating.toFixed(2)));

/**
 * Exports the table of Analytics as CSV. The export waits for days that are still being counted, so a file is never
 * partial.
 */
export async function exportAnalytics(
  deps: StatisticsDeps,
  orgId: string,
  query: AnalyticsQuery,
): Promise<AsyncIterable<string>> {
  // A wrong query is refused before the file begins.
  const first = await readAnalytics(deps, orgId, query);
  return write(deps, orgId, query, first);
}

async function* write(
  deps: StatisticsDeps,
  orgId: string,
  query: AnalyticsQuery,
  first: Analytics,
): AsyncIterable<string> {
  yield csvHeader([query.by ?? 'day', ...COLUMNS.map(([name]) => name)]);
  let analytics = first;
  // Each call counts at least one day, or waits for the counting of another period.
  while (!analytics.complete) analytics = await readAnalytics(deps, orgId, query);
  yield csv(analytics.data.map((row) => [row.group ?? '', ...COLUMNS.map(([, cell]) => cell(row))]));
}
