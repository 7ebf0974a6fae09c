import type { AgentRecord, AgentSummary, AgentVersion } from '../../../contract/dashboard/agents.ts';
import { Refusal } from '../../../contract/problems.ts';
import { timestamp } from '../../kernel/clock.ts';
import { type AgentRow, listAgents as listRows, readAgent as readRow } from '../../store/agents/read.ts';
import { listAgentVersions as listVersionRows, sameDefinition } from '../../store/agents/versions.ts';
import type { Queryable } from '../../store/db.ts';
import type { PageOf, PageRequest } from '../../store/page.ts';
import { namesOf } from '../../store/accounts/accounts.ts';
import type { AgentsDeps } from './deps.ts';
import { slowParts } from './slow-parts.ts';

type Reads = Pick<AgentsDeps, 'db'>;

export async function listAgents(
  { db }: Reads,
  orgId: string,
  filter: { text?: string | undefined },
  page: PageRequest,
): Promise<PageOf<AgentSummary>> {
  const { rows, hasMore } = await listRows(db, orgId, filter, page);
  return { rows: rows.map(presentSummary), hasMore };
}

export async function readAgent({ db }: Reads, orgId: string, id: string): Promise<AgentRecord> {
  const row = await foundAgent(db, orgId, id);
  return presentAgent(row, slowParts(row));
}

export async function listAgentVersions(
  { db }: Reads,
  orgId: string,
  id: string,
  { limit, before }: { limit: number; before: number | null },
): Promise<PageOf<AgentVersion>> {
  await foundAgent(db, orgId, id);
  const { rows, hasMore } = await listVersionRows(db, orgId, id, { limit, before });
  const names = await namesOf(
    db,
    rows.flatMap(({ publishedBy }) => publishedBy ?? []),
  );
  const present = (row: (typeof rows)[number]): AgentVersion => ({
    version: row.version,
    definition: row.definition,
    published_by: (row.publishedBy && names.get(row.publishedBy)) ?? null,
    without_tests: row.withoutTests,
    created_at: timestamp(row.createdAt),
  });
  return { rows: rows.map(present), hasMore };
}

export async function foundAgent(db: Queryable, orgId: string, id: string): Promise<AgentRow> {
  const row = await readRow(db, orgId, id);
  if (!row) throw new Refusal('agent_not_found');
  return row;
}

const presentSummary = (row: AgentRow): AgentSummary => ({
  id: row.id,
  name: row.name,
  enabled: row.enabled,
  provider: row.published.provider ?? 'embedded',
  version: row.version,
  newest_version: row.newestVersion,
  unpublished_changes: !sameDefinition(row.draft, row.published),
  changed_tools: row.changedTools.map((one) => ({ ...one, since: timestamp(new Date(one.since)) })),
  sandbox_channel_id: row.sandboxChannelId,
  created_at: timestamp(row.createdAt),
  updated_at: timestamp(row.updatedAt),
});

export const presentAgent = (row: AgentRow, left_out: AgentRecord['left_out']): AgentRecord => ({
  ...presentSummary(row),
  definition: row.draft,
  published: row.published,
  left_out,
});
