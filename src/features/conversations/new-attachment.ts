import { createHash, randomBytes } from 'node:crypto';
import { MAX_ATTACHMENT_BYTES, MAX_ATTACHMENT_NAME } from '../../../contract/limits.ts';
import { ATTACHMENTS_BYTES } from '../../../contract/plans.ts';
import type { MessageContent } from '../../../contract/messages.ts';
import { Refusal } from '../../../contract/problems.ts';
import { fileKind } from '../../kernel/file-kind.ts';
import { newId } from '../../kernel/ids.ts';
import { type NewAttachment, readAttachmentUse } from '../../store/attachments/attachments.ts';
import type { Queryable } from '../../store/db.ts';

export type SentFile = { name: string; bytes: Buffer };

const TOKEN_BYTES = 24;
/**
 * The address contains the name for people who save the file. The name contains only characters that every provider
 * accepts.
 */
const MAX_NAME_IN_ADDRESS = 60;

/**
 * Prepares a row and a message with its address for a sent file. The address is a capability: channel providers and
 * visitors' pages fetch the file without a key, and only the address opens the file. `share`: the part of the
 * organization's limit that this kind of sender may use.
 */
export async function newAttachment(
  { db, baseUrl }: { db: Queryable; baseUrl: string },
  orgId: string,
  { name: sentName, bytes }: SentFile,
  { id = newId('attachment'), share = 1 }: { id?: string; share?: number } = {},
): Promise<{ row: Omit<NewAttachment, 'messageId'>; content: MessageContent }> {
  if (bytes.length === 0) throw new Refusal('body_invalid', 'The file is empty.');
  if (bytes.length > MAX_ATTACHMENT_BYTES) throw new Refusal('payload_too_large');
  await checkRoom(db, orgId, bytes.length, share);
  const { kind, type, extension } = fileKind(bytes);
  const name = cleanFileName(sentName) || (extension ? `${kind}.${extension}` : kind);
  const row = {
    id,
    token: randomBytes(TOKEN_BYTES).toString('base64url'),
    name,
    type,
    size: bytes.length,
    hash: createHash('sha256').update(bytes).digest('hex'),
    bytes,
  };
  const url = `${baseUrl}/attachments/${orgId}/${row.id}/${row.token}/${nameInAddress(name)}`;
  return { row, content: kind === 'file' ? { type: 'file', url, name } : { type: kind, url } };
}

async function checkRoom(db: Queryable, orgId: string, bytes: number, share: number): Promise<void> {
  const use = await readAttachmentUse(db, orgId);
  if (!use) throw new Refusal('organization_not_found');
  const most = Math.floor(ATTACHMENTS_BYTES[use.plan] * share);
  const left = Math.max(0, most - use.bytes);
  if (bytes <= left) return;
  throw new Refusal(
    'attachments_full',
    `The file has ${bytes} bytes; the organization has ${left} of ${most} bytes left.`,
  );
}

/** Removes folders, and characters that hide the extension of the name. */
export const cleanFileName = (name: string): string =>
  name
    .toWellFormed()
    .replaceAll(/^.*[/\\]|[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gsu, '')
    .trim()
    .slice(0, MAX_ATTACHMENT_NAME)
    .toWellFormed();

const nameInAddress = (name: string): string =>
  name
    .replaceAll(/[^\w.-]+/g, '-')
    .replaceAll(/^[-.]+/g, '')
    .slice(-MAX_NAME_IN_ADDRESS) || 'file';
