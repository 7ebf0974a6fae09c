import {
  type CreateDocumentBody,
  type DocumentRecord,
  type DocumentSummary,
  type KnowledgeUse,
  MAX_DOCUMENTS_PER_AGENT,
  MAX_DOCUMENT_BYTES,
} from '../../../contract/dashboard/agents.ts';
import { KNOWLEDGE_BYTES } from '../../../contract/plans.ts';
import { invalidAt, Refusal } from '../../../contract/problems.ts';
import { timestamp } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import { lockAgent } from '../../store/agents/read.ts';
import { changeAgent } from '../../store/agents/write.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import type { Queryable } from '../../store/db.ts';
import {
  type DocumentHead,
  countDocuments,
  deleteDocumentRow,
  insertDocument,
  listDocuments as listHeads,
  readDocument as readRow,
  readKnowledgeUse as readBytes,
} from '../../store/documents.ts';
import type { PageOf, PageRequest } from '../../store/page.ts';
import type { AgentsDeps } from './deps.ts';
import { foundAgent } from './read-agents.ts';
import { holdAsker, learnForDocument } from './wordings.ts';

type Reads = Pick<AgentsDeps, 'db'>;

/** Each change of the documents creates a new revision of the agent, so that its next turn uses them. */
export async function createDocument(
  { db }: Reads,
  orgId: string,
  agentId: string,
  { name, text, answers }: CreateDocumentBody,
  actor: Actor,
): Promise<DocumentSummary> {
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_DOCUMENT_BYTES) throw invalidAt('/text', 'too_large', 'A document has at most 1 MiB of UTF-8.');
  if (text.trim() === '') throw invalidAt('/text', 'required', 'The document is blank.');
  return db.transaction(async (tx) => {
    const mayLearn = answers !== undefined && (await holdAsker(tx, orgId, answers.from));
    const use = await readUse(tx, orgId, agentId, { hold: true });
    if (!(await lockAgent(tx, orgId, agentId))) throw new Refusal('agent_not_found');
    checkRoom(use, bytes);
    if ((await countDocuments(tx, orgId, agentId)) >= MAX_DOCUMENTS_PER_AGENT) {
      throw invalidAt('', 'too_many', `An agent has at most ${MAX_DOCUMENTS_PER_AGENT} documents: remove one first.`);
    }
    const row = await insertDocument(tx, orgId, { id: newId('doc'), agentId, name, text });
    if (mayLearn) await learnForDocument(tx, orgId, { id: row.id, agentId, name, text }, answers);
    await changeAgent(tx, orgId, agentId, {});
    await recordAudit(tx, {
      orgId,
      actor,
      action: 'document.created',
      subjectId: row.id,
      facts: { agent_id: agentId, name, bytes },
    });
    return presentHead(row);
  });
}

export async function readKnowledgeUse({ db }: Reads, orgId: string, agentId: string): Promise<KnowledgeUse> {
  await foundAgent(db, orgId, agentId);
  return readUse(db, orgId, agentId);
}

export async function readUse(
  db: Queryable,
  orgId: string,
  agentId: string,
  how?: { hold: boolean },
): Promise<KnowledgeUse> {
  const use = await readBytes(db, orgId, agentId, how);
  if (!use) throw new Refusal('organization_not_found');
  const most = KNOWLEDGE_BYTES[use.plan];
  return {
    agent: { bytes: use.agent, max_bytes: most.agent },
    organization: { bytes: use.organization, max_bytes: most.organization },
  };
}

const left = ({ bytes: used, max_bytes: most }: KnowledgeUse['agent']): number => Math.max(0, most - used);

export function checkRoom({ agent, organization }: KnowledgeUse, bytes: number): void {
  if (bytes > left(agent)) {
    const detail = `The document has ${bytes} bytes; the agent has ${left(agent)} of ${agent.max_bytes} bytes left.`;
    throw new Refusal('knowledge_agent_full', detail);
  }
  if (bytes > left(organization)) {
    const [free, most] = [left(organization), organization.max_bytes];
    const detail = `The document has ${bytes} bytes; the organization has ${free} of ${most} bytes left.`;
    throw new Refusal('knowledge_organization_full', detail);
  }
}

export async function listDocuments(
  { db }: Reads,
  orgId: string,
  agentId: string,
  filter: { text?: string | undefined },
  page: PageRequest,
): Promise<PageOf<DocumentSummary>> {
  await foundAgent(db, orgId, agentId);
  const { rows, hasMore } = await listHeads(db, orgId, agentId, filter, page);
  return { rows: rows.map(presentHead), hasMore };
}

export async function readDocument({ db }: Reads, orgId: string, agentId: string, id: string): Promise<DocumentRecord> {
  await foundAgent(db, orgId, agentId);
  const row = await readRow(db, orgId, agentId, id);
  if (!row) throw new Refusal('document_not_found');
  return { ...presentHead({ ...row, bytes: Buffer.byteLength(row.text) }), text: row.text };
}

export async function deleteDocument(
  { db }: Reads,
  orgId: string,
  agentId: string,
  id: string,
  actor: Actor,
): Promise<void> {
  await db.transaction(async (tx) => {
    if (!(await lockAgent(tx, orgId, agentId))) throw new Refusal('agent_not_found');
    const row = await readRow(tx, orgId, agentId, id);
    if (!row) throw new Refusal('document_not_found');
    if (row.sourceId !== null) throw new Refusal('document_is_synced');
    const { name } = row;
    await deleteDocumentRow(tx, orgId, agentId, id);
    await changeAgent(tx, orgId, agentId, {});
    const facts = { agent_id: agentId, name };
    await recordAudit(tx, { orgId, actor, action: 'document.deleted', subjectId: id, facts });
  });
}

const presentHead = (row: DocumentHead): DocumentSummary => ({
  id: row.id,
  agent_id: row.agentId,
  name: row.name,
  url: row.url,
  source_id: row.sourceId,
  bytes: row.bytes,
  created_at: timestamp(row.createdAt),
  updated_at: timestamp(row.updatedAt),
});
