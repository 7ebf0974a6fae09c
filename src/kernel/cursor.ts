import { createHmac } from 'node:crypto';
import { Refusal } from '../../contract/problems.ts';
import { isSigned } from './seal.ts';

/**
 * A cursor is the start of the next page of a list, which is the sort key of the last record of the previous page. A
 * cursor is opaque and signed. The signature covers the list of the cursor, so a cursor cannot be forged or used with
 * another list, organization or filter.
 */
export type CursorPosition = readonly [createdAt: string, id: string];

/** The response of every list endpoint. */
export type Page<T> = { readonly data: T[]; readonly next_cursor: string | null; readonly has_more: boolean };

const MAC_BYTES = 16;
const MAX_CURSOR_CHARACTERS = 512;

/** Names one list for its cursors. Undefined filters count as absent. */
export function cursorScope(
  list: string,
  organizationId: string,
  filters: Readonly<Record<string, unknown>> = {},
): string {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined);
  return JSON.stringify([list, organizationId, given.sort(([a], [b]) => (a < b ? -1 : 1))]);
}

export function encodeCursor(key: Buffer, scope: string, position: CursorPosition): string {
  const text = Buffer.from(JSON.stringify(position));
  return Buffer.concat([sign(key, scope, text), text]).toString('base64url');
}

/** The function throws `cursor_invalid` for any text that `encodeCursor` did not create with the same key and scope. */
export function decodeCursor(key: Buffer, scope: string, cursor: string): CursorPosition {
  if (cursor.length > MAX_CURSOR_CHARACTERS || !/^[\w-]+$/.test(cursor)) throw invalid();
  const bytes = Buffer.from(cursor, 'base64url');
  const text = bytes.subarray(MAC_BYTES);
  if (bytes.length <= MAC_BYTES || bytes.toString('base64url') !== cursor) throw invalid();
  if (!isSigned(key, bytes.subarray(0, MAC_BYTES), (one) => sign(one, scope, text))) throw invalid();
  return JSON.parse(text.toString('utf8')) as CursorPosition;
}

/** The length of the scope comes first, so that no two pairs of scope and position result in the same signed bytes. */
const sign = (key: Buffer, scope: string, text: Buffer): Buffer =>
  createHmac('sha256', key)
    .update(`cursor\n${Buffer.byteLength(scope)}\n${scope}`)
    .update(text)
    .digest()
    .subarray(0, MAC_BYTES);

const invalid = (): Refusal =>
  new Refusal('cursor_invalid', 'The cursor does not belong to this list with these filters.');
