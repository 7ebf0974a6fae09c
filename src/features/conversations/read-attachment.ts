import { isId } from '../../../contract/ids.ts';
import { Refusal } from '../../../contract/problems.ts';
import { type Attachment, findAttachment, readAttachmentPart } from '../../store/attachments/attachments.ts';
import { BlobError, type BlobStore } from '../../kernel/blob-store.ts';
import { objectName } from '../../store/attachments/blobs.ts';
import type { Db } from '../../store/db.ts';
import type { ConversationsDeps } from './deps.ts';

/** The server reads and sends the file piece by piece, so that many readers of large files need little memory. */
const PIECE_BYTES = 512 * 1024;

export async function findSentFile(
  { db }: { db: Db },
  orgId: string,
  { id, token }: { id: string; token: string },
): Promise<Attachment> {
  const found = isId('org', orgId) && isId('attachment', id) ? await findAttachment(db, orgId, { id, token }) : null;
  if (!found) throw new Refusal('attachment_not_found');
  return found;
}

/**
 * Yields the bytes from `first` to `last`, both included. The function ends with an error if the file is erased during
 * reading.
 */
export async function* readSentFile(
  { db, blobs }: Pick<ConversationsDeps, 'db' | 'blobs'>,
  orgId: string,
  id: string,
  { first, last }: { first: number; last: number },
): AsyncGenerator<Buffer> {
  for (let from = first; from <= last; from += PIECE_BYTES) {
    const most = Math.min(PIECE_BYTES, last - from + 1);
    const part = await readAttachmentPart(db.$client, orgId, id, { from, most });
    if (part === null) throw new Error('The file was erased while it was read.');
    const bytes = 'stored' in part ? await readStored(blobs, orgId, part.stored, { from, most }) : part;
    if (bytes.length < most) throw new Error('The file was erased while it was read.');
    yield bytes;
  }
}

function readStored(
  blobs: BlobStore | null,
  orgId: string,
  hash: string,
  { from, most }: { from: number; most: number },
): Promise<Buffer> {
  if (blobs === null) throw new Refusal('unavailable', 'The file storage is not set (BLOBS_URL).');
  return blobs.read(objectName({ orgId, hash }), { first: from, last: from + most - 1 }).catch((error: unknown) => {
    throw error instanceof BlobError ? new Refusal('unavailable', error.message) : error;
  });
}
