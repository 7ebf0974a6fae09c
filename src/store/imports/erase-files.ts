import { sql } from 'drizzle-orm';
import { IMPORT_PIECE_BYTES, type ImportEncoding } from '../../../contract/dashboard/imports.ts';
import type { Queryable } from '../db.ts';
import { readPieces } from './read.ts';

/**
 * Deletes stored files that contain a person who is being erased. No row can be removed from a file, so the user must
 * upload the file again without the person. An import in progress is stopped if the rest of its file contains the
 * person, because the import would create the person again. Rows that were already imported stay. The function searches
 * for identifiers as whole cells, in any spelling. A name alone does not identify a person.
 */
export async function eraseImportFiles(tx: Queryable, orgId: string, identifiers: readonly string[]): Promise<void> {
  const cells = cellsOf(identifiers);
  if (cells.length === 0) return;
  const { rows: files } = await tx.execute<{ id: string; done: number }>(sql`
    SELECT id, CASE WHEN dry_run OR due_at IS NULL THEN 0 ELSE bytes_done END::float8 AS done FROM end_user_import i
    WHERE org_id = ${orgId} AND EXISTS (
      SELECT 1 FROM end_user_import_piece p WHERE p.org_id = i.org_id AND p.import_id = i.id) FOR UPDATE`);
  for (const { id, done } of files) {
    if (!(await names(readPieces(tx, orgId, id, Math.floor(done / IMPORT_PIECE_BYTES)), cells))) continue;
    await tx.execute(sql`UPDATE end_user_import
      SET state = 'cancelled', due_at = NULL, lease = NULL, updated_at = now(),
      finished_at = now(), fault = ${ERASED}::jsonb WHERE org_id = ${orgId} AND id = ${id}`);
    await tx.execute(sql`DELETE FROM end_user_import_piece WHERE org_id = ${orgId} AND import_id = ${id}`);
  }
}

/** True if a file contains one of the identifiers as a whole cell. */
export async function namesOneOf(pieces: readonly Buffer[], identifiers: readonly string[]): Promise<boolean> {
  const cells = cellsOf(identifiers);
  return cells.length > 0 && names(pieces, cells);
}

function cellsOf(identifiers: readonly string[]): string[] {
  // An import accepts a number that begins with 00974 for one that begins with +974.
  const written = identifiers.flatMap((one) => (/^\+\d+$/.test(one) ? [one, `00${one.slice(1)}`] : [one]));
  // An identifier that consists of punctuation alone would equal an empty cell.
  return written.flatMap(bytesOf).flatMap((bytes) => asCell(bytes) ?? []);
}

const ONE_BYTE = (['windows-1256', 'windows-1252'] satisfies ImportEncoding[]).map((encoding) => {
  const letters = new TextDecoder(encoding).decode(Uint8Array.from({ length: 256 }, (_, byte) => byte));
  return new Map(Array.from(letters, (letter, byte) => [letter, byte]));
});

/** Returns the bytes of a text in each encoding of a file. ASCII text has one form, because `plain` removes zeros. */
function bytesOf(text: string): Buffer[] {
  const utf8 = Buffer.from(text);
  if (utf8.length === text.length) return [utf8];
  const legacy = ONE_BYTE.flatMap((table) => {
    const bytes = Array.from(text, (letter) => table.get(letter));
    return bytes.includes(undefined) ? [] : [Buffer.from(bytes as number[])];
  });
  return [utf8, Buffer.from(text, 'utf16le'), ...legacy];
}

const ERASED = JSON.stringify({
  code: 'person_erased',
  detail: 'A person in this file was erased, so the file was removed. Upload it again without this person.',
  row: null,
});

/** The overlap is longer than any cell with an identifier, because such a cell may be at the border of two pieces. */
const OVERLAP = 2_048;

async function names(pieces: AsyncIterable<Buffer> | readonly Buffer[], cells: readonly string[]): Promise<boolean> {
  let before = ',';
  for await (const piece of pieces) {
    const text = before + plain(piece);
    if (cells.some((cell) => text.includes(cell))) return true;
    before = text.slice(-OVERLAP);
  }
  return cells.some((cell) => `${before},`.includes(cell));
}

function asCell(bytes: Buffer): string | null {
  const cell = plain(Buffer.concat([Buffer.from(','), bytes, Buffer.from(',')]));
  return cell === ',' ? null : cell;
}

/**
 * Converts bytes to letters in any encoding, without punctuation, spaces and the zeros of UTF-16, and with commas
 * between cells.
 */
const plain = (bytes: Buffer): string =>
  bytes
    .toString('latin1')
    .toLowerCase()
    .replaceAll(/[ ().'\0-]+/g, '')
    .replaceAll(/[,;|"\t\r\n]+/g, ',');
