import {
  type CreateSourceBody,
  DEFAULT_PAGES_PER_SOURCE,
  MAX_SOURCES_PER_ORGANIZATION,
  type SourceRecord,
  type UpdateSourceBody,
} from '../../../contract/dashboard/document-sources.ts';
import { Refusal } from '../../../contract/problems.ts';
import { checkAddress } from '../../kernel/check-address.ts';
import { newId } from '../../kernel/ids.ts';
import { hostOf, pageAddress, scopeOf } from '../../kernel/page-address.ts';
import { lockAgent } from '../../store/agents/read.ts';
import { changeAgent } from '../../store/agents/write.ts';
import type { Queryable } from '../../store/db.ts';
import { lockOrganization } from '../../store/documents.ts';
import {
  cancelSync as cancelRow,
  countSources,
  deleteSource as deleteRow,
  insertSource,
  queueSync,
  readSource as readRow,
  type SourceRow,
  updateSource as updateRow,
} from '../../store/document-sources/read.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import type { AgentsDeps } from './deps.ts';
import { presentSource } from './read-document-sources.ts';

type Writes = Pick<AgentsDeps, 'db'>;
type Of = { agentId: string; id: string };

export async function createSource(
  { db, egress }: Pick<AgentsDeps, 'db' | 'egress'>,
  orgId: string,
  agentId: string,
  { url: given, kind, schedule = 'never', max_pages: maxPages = DEFAULT_PAGES_PER_SOURCE }: CreateSourceBody,
  actor: Actor,
): Promise<SourceRecord> {
  const url = pageAddress(given) ?? given;
  await checkAddress(egress, '/url', url);
  const id = newId('source');
  return db.transaction(async (tx) => {
    await lockOrganization(tx, orgId);
    if (!(await lockAgent(tx, orgId, agentId))) throw new Refusal('agent_not_found');
    if ((await countSources(tx, orgId)) >= MAX_SOURCES_PER_ORGANIZATION)
      throw new Refusal('source_limit_reached', `An organization has at most ${MAX_SOURCES_PER_ORGANIZATION} sites.`);
    const scope = scopeOf(url, kind);
    const createdBy = actor.userId;
    const host = hostOf(url);
    await insertSource(tx, orgId, { id, agentId, url, kind, scope, host, schedule, maxPages, createdBy });
    const facts = { agent_id: agentId, url, kind };
    await recordAudit(tx, { orgId, actor, action: 'source.created', subjectId: id, facts });
    return presentSource(await found(tx, orgId, { agentId, id }));
  });
}

export async function updateSource(
  { db }: Writes,
  orgId: string,
  { agentId, id }: Of,
  { schedule, max_pages: maxPages }: UpdateSourceBody,
  actor: Actor,
): Promise<SourceRecord> {
  return db.transaction(async (tx) => {
    const row = await locked(tx, orgId, { agentId, id });
    const isBusy = row.state === 'queued' || row.state === 'running';
    await updateRow(tx, orgId, agentId, id, {
      ...(schedule !== undefined && { schedule }),
      // If a sync is in progress, the end of the sync sets the time.
      ...(schedule !== undefined && !isBusy && { dueAt: nextAt(schedule, row.finishedAt ?? new Date()) }),
      ...(maxPages !== undefined && { maxPages }),
    });
    const facts = { agent_id: agentId, url: row.url };
    await recordAudit(tx, { orgId, actor, action: 'source.updated', subjectId: id, facts });
    return presentSource(await found(tx, orgId, { agentId, id }));
  });
}

export async function syncSource({ db }: Writes, orgId: string, of: Of, actor: Actor): Promise<SourceRecord> {
  return db.transaction(async (tx) => {
    const row = await locked(tx, orgId, of);
    if (!(await queueSync(tx, orgId, of.agentId, of.id))) throw new Refusal('source_running');
    const facts = { agent_id: of.agentId, url: row.url };
    await recordAudit(tx, { orgId, actor, action: 'source.started', subjectId: of.id, facts });
    return presentSource(await found(tx, orgId, of));
  });
}

/** The next turn uses the pages that were read before the stop. */
export async function cancelSync({ db }: Writes, orgId: string, of: Of, actor: Actor): Promise<SourceRecord> {
  return db.transaction(async (tx) => {
    const row = await locked(tx, orgId, of);
    if (!(await cancelRow(tx, orgId, of.agentId, of.id, nextAt(row.schedule, new Date()))))
      throw new Refusal('source_not_running');
    await changeAgent(tx, orgId, of.agentId, {});
    const facts = { agent_id: of.agentId, url: row.url };
    await recordAudit(tx, { orgId, actor, action: 'source.cancelled', subjectId: of.id, facts });
    return presentSource(await found(tx, orgId, of));
  });
}

export async function deleteSource({ db }: Writes, orgId: string, of: Of, actor: Actor): Promise<void> {
  await db.transaction(async (tx) => {
    const row = await locked(tx, orgId, of);
    await deleteRow(tx, orgId, of.agentId, of.id);
    await changeAgent(tx, orgId, of.agentId, {});
    const facts = { agent_id: of.agentId, url: row.url, pages: row.read };
    await recordAudit(tx, { orgId, actor, action: 'source.deleted', subjectId: of.id, facts });
  });
}

/** The agent is locked before the source, as in every change of documents. */
async function locked(tx: Queryable, orgId: string, of: Of): Promise<SourceRow> {
  if (!(await lockAgent(tx, orgId, of.agentId))) throw new Refusal('agent_not_found');
  return found(tx, orgId, of);
}

async function found(db: Queryable, orgId: string, { agentId, id }: Of): Promise<SourceRow> {
  const row = await readRow(db, orgId, agentId, id);
  if (!row) throw new Refusal('source_not_found');
  return row;
}

const DAYS: Record<string, number> = { daily: 1, weekly: 7 };

const nextAt = (schedule: string, after: Date): Date | null => {
  const days = DAYS[schedule];
  return days === undefined ? null : new Date(after.getTime() + days * 86_400_000);
};
