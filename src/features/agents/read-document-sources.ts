import type {
  PageState,
  SourceKind,
  SourcePage,
  SourceRecord,
  SourceState,
} from '../../../contract/dashboard/document-sources.ts';
import { Refusal } from '../../../contract/problems.ts';
import { timestamp } from '../../kernel/clock.ts';
import {
  listPages,
  listSources as listRows,
  type PageRow,
  readSource as readRow,
  type SourceRow,
} from '../../store/document-sources/read.ts';
import type { PageOf, PageRequest } from '../../store/page.ts';
import type { AgentsDeps } from './deps.ts';
import { foundAgent } from './read-agents.ts';

type Reads = Pick<AgentsDeps, 'db'>;

export async function listSources(
  { db }: Reads,
  orgId: string,
  agentId: string,
  page: PageRequest,
): Promise<PageOf<SourceRecord>> {
  await foundAgent(db, orgId, agentId);
  const { rows, hasMore } = await listRows(db, orgId, agentId, page);
  return { rows: rows.map(presentSource), hasMore };
}

export async function readSource({ db }: Reads, orgId: string, agentId: string, id: string): Promise<SourceRecord> {
  await foundAgent(db, orgId, agentId);
  const row = await readRow(db, orgId, agentId, id);
  if (!row) throw new Refusal('source_not_found');
  return presentSource(row);
}

/** Lists pages in the order of their addresses. The position of a page in the list is its address. */
export async function listSourcePages(
  { db }: Reads,
  orgId: string,
  { agentId, id }: { agentId: string; id: string },
  state: PageState | undefined,
  { limit, after }: PageRequest,
): Promise<PageOf<SourcePage>> {
  await readSource({ db }, orgId, agentId, id);
  const { rows, hasMore } = await listPages(db, orgId, id, { state, after: after?.id ?? null, limit });
  return { rows: rows.map(presentPage), hasMore };
}

export const presentSource = (row: SourceRow): SourceRecord => ({
  id: row.id,
  agent_id: row.agentId,
  url: row.url,
  kind: row.kind as SourceKind,
  schedule: row.schedule as SourceRecord['schedule'],
  max_pages: row.maxPages,
  state: row.state as SourceState,
  pages: { known: row.known, done: row.done, read: row.read, faults: row.faults },
  limit_reached: row.limitReached,
  fault: row.fault,
  started_at: row.startedAt && timestamp(row.startedAt),
  finished_at: row.finishedAt && timestamp(row.finishedAt),
  next_at: row.dueAt && row.state !== 'running' && row.state !== 'queued' ? timestamp(row.dueAt) : null,
  created_at: timestamp(row.createdAt),
  updated_at: timestamp(row.updatedAt),
});

const presentPage = (row: PageRow): SourcePage => ({
  url: row.url,
  state: row.state as PageState,
  document_id: row.documentId,
  leads_to: row.leadsTo,
  fault: row.fault,
  fetched_at: row.fetchedAt && timestamp(row.fetchedAt),
  created_at: timestamp(row.createdAt),
});
