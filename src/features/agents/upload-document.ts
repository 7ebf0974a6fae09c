import { type DocumentSummary, MAX_FILE_BYTES } from '../../../contract/dashboard/agents.ts';
import { Refusal } from '../../../contract/problems.ts';
import { DocumentFault } from '../../engine/documents/document-fault.ts';
import { FilesBusy, type ReadFiles } from '../../engine/documents/read-files.ts';
import type { Actor } from '../../store/organizations/audit.ts';
import type { AgentsDeps } from './deps.ts';
import { createDocument } from './documents.ts';
import { foundAgent } from './read-agents.ts';

/** Converts a file to a document. Only the text of the file is stored (docs/adr/0209-documents-are-live.md). */
export async function uploadDocument(
  { db, readFiles }: Pick<AgentsDeps, 'db' | 'readFiles'>,
  orgId: string,
  agentId: string,
  { name, bytes }: { name: string; bytes: Buffer },
  actor: Actor,
): Promise<DocumentSummary> {
  await foundAgent(db, orgId, agentId);
  if (bytes.length > MAX_FILE_BYTES) throw new Refusal('payload_too_large');
  const text = await textOf(readFiles, orgId, { name, bytes });
  return createDocument({ db }, orgId, agentId, { name, text }, actor);
}

/** Refuses a file without readable text, and reports the reason. */
async function textOf(
  files: Pick<ReadFiles, 'read'>,
  orgId: string,
  { name, bytes }: { name: string; bytes: Uint8Array },
): Promise<string> {
  try {
    return (await files.read(orgId, { kind: 'file', bytes, hints: { name } })).text;
  } catch (error) {
    if (error instanceof FilesBusy) throw new Refusal('unavailable', error.message);
    if (!(error instanceof DocumentFault)) throw error;
    const errors = [{ pointer: '', code: error.code, detail: error.message }];
    throw new Refusal('file_not_readable', error.message, { errors });
  }
}
