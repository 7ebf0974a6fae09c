import { csv, csvHeader } from '../../../contract/csv.ts';
import type { ResultRecord } from '../../../contract/dashboard/results.ts';
import { Refusal } from '../../../contract/problems.ts';
import { resultFieldsOf } from '../../answering/results/result-fields.ts';
import { readAgentForTurns } from '../../store/agents/read-for-turns.ts';
import { readCampaign } from '../../store/campaigns/campaigns.ts';
import type { Db } from '../../store/db.ts';
import { readExternalIds } from '../../store/end-users/read.ts';
import type { PageOf, PageRequest } from '../../store/page.ts';
import { listRunRows } from '../../store/runs/read.ts';
import { listCampaignRunRows, type ResultRow } from '../../store/runs/results.ts';
import { findTrigger } from '../../store/triggers.ts';
import type { ResultsDeps } from './deps.ts';
import { presentResult } from './list-results.ts';

type Page = { limit: number; after: ResultRow | null };
type ReadPage = (page: Page) => Promise<PageOf<ResultRow>>;

const PAGE = 1_000;

/** Streams the results of a trigger's runs as CSV, newest first. */
export async function exportTriggerResults(
  { db }: ResultsDeps,
  orgId: string,
  triggerId: string,
): Promise<AsyncIterable<string>> {
  const trigger = await findTrigger(db, orgId, triggerId);
  if (!trigger) throw new Refusal('trigger_not_found');
  const names = await namesOf(db, orgId, trigger.agentId);
  return write(db, orgId, names, async (page: PageRequest) => {
    const { rows, hasMore } = await listRunRows(db, orgId, { triggerId }, page);
    return { rows: rows.map((row) => ({ ...row, recipientId: null, ref: null })), hasMore };
  });
}

/** Streams the results of the conversations that a campaign started, as CSV. */
export async function exportCampaignResults(
  { db }: ResultsDeps,
  orgId: string,
  campaignId: string,
): Promise<AsyncIterable<string>> {
  const campaign = await readCampaign(db, orgId, campaignId);
  if (!campaign) throw new Refusal('campaign_not_found');
  const names = await namesOf(db, orgId, campaign.agentId);
  return write(db, orgId, names, ({ limit, after }) =>
    listCampaignRunRows(db, orgId, campaignId, { limit, after: after && { id: after.recipientId! } }),
  );
}

/** The fields of the published version have columns. The column `other` contains values of earlier fields. */
async function namesOf(db: Db, orgId: string, agentId: string): Promise<string[]> {
  const agent = await readAgentForTurns(db.$client, orgId, agentId);
  return agent ? resultFieldsOf(agent.definition).map(({ name }) => name) : [];
}

async function* write(db: Db, orgId: string, names: readonly string[], read: ReadPage): AsyncIterable<string> {
  yield csvHeader([...COLUMNS.map(([name]) => name), ...names.map((name) => `result.${name}`), 'other']);
  for (let after: ResultRow | null = null; ;) {
    const { rows, hasMore }: PageOf<ResultRow> = await read({ limit: PAGE, after });
    const people = rows.map(({ endUserId }) => endUserId);
    const externalIds = await readExternalIds(db, orgId, people);
    const named = rows.map((row) => ({ ...presentResult(row), external_id: externalIds.get(row.endUserId) ?? '' }));
    if (named.length > 0) yield csv(named.map((row) => cellsOf(row, names)));
    if (!hasMore) return;
    after = rows.at(-1)!;
  }
}

/** `external_id` joins the file with the records of the caller's own systems. */
type Exported = ResultRecord & { external_id: string };

const COLUMNS: [string, (record: Exported) => string][] = [
  ['run_id', ({ id }) => id],
  ['created_at', (record) => record.created_at],
  ['finished_at', (record) => record.finished_at ?? ''],
  ['status', ({ status }) => status],
  ['reason', ({ reason }) => reason ?? ''],
  ['ref', ({ ref }) => ref ?? ''],
  ['end_user_id', (record) => record.end_user_id],
  ['external_id', (record) => record.external_id],
  ['conversation_id', (record) => record.conversation_id],
  ['agent_version', (record) => String(record.agent_version ?? '')],
  ['result_status', ({ result }) => result.status],
  ['missing', ({ result }) => result.missing.join(' ')],
];

function cellsOf(record: Exported, names: readonly string[]): (string | number)[] {
  const { data } = record.result;
  const cell = (name: string): string | number => {
    const value = Object.hasOwn(data, name) ? data[name]! : '';
    return typeof value === 'boolean' ? (value ? 'yes' : 'no') : value;
  };
  const others = Object.entries(data).filter(([name]) => !names.includes(name));
  const other = others.length === 0 ? '' : JSON.stringify(Object.fromEntries(others));
  return [...COLUMNS.map(([, read]) => read(record)), ...names.map(cell), other];
}
