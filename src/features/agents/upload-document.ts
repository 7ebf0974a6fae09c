import { type DocumentSummary, MAX_FILE_BYTES } from '../../../contract/dashboard/agents.ts';
import { Refusal } from '../../../contract/problems.ts';
import type { Actor } from '../../store/organizations/audit.ts';
import type { AgentsDeps } from './deps.ts';
import { createDocument } from './documents.ts';
import { foundAgent } from './read-agents.ts';

/** A file becomes a document: its text is kept, the file is not (docs/adr/0209-documents-are-live.md). */
export async function uploadDocument(
  { db, readUpload }: Pick<AgentsDeps, 'db' | 'readUpload'>,
  orgId: string,
  agentId: string,
  { name, bytes }: { name: string; bytes: Buffer },
  actor: Actor,
): Promise<DocumentSummary> {
  await foundAgent(db, orgId, agentId);
  if (bytes.length > MAX_FILE_BYTES) throw new Refusal('payload_too_large');
  const text = await readUpload(orgId, name, bytes);
  return createDocument({ db }, orgId, agentId, { name, text }, actor);
}
