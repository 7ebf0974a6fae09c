import { sql, type SQL } from 'drizzle-orm';
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
  // An identifier that consists of punctuation alone would equal an empty cell.
  return identifiers
    .flatMap(spellingsOf)
    .flatMap(bytesOf)
    .flatMap((bytes) => asCell(bytes) ?? []);
}

/** An import accepts a number that begins with 00974 for one that begins with +974. */
const spellingsOf = (one: string): string[] => (/^\+\d+$/.test(one) ? [one, `00${one.slice(1)}`] : [one]);

/** Deletes failed rows that contain an identifier of a person who is being erased as a whole cell, in any spelling. */
export async function eraseImportFaults(tx: Queryable, orgId: string, identifiers: readonly string[]): Promise<void> {
  const cells = identifiers.flatMap(spellingsOf).map((one) => one.toLowerCase());
  if (cells.length === 0) return;
  await tx.execute(sql`DELETE FROM end_user_import_fault f WHERE org_id = ${orgId} AND EXISTS (
    SELECT 1 FROM unnest(f.cells) c JOIN unnest(${sql.param(cells)}::text[]) w(cell)
      ON ${bare(sql`lower(c)`)} = ${bare(sql`w.cell`)} AND ${bare(sql`w.cell`)} <> '')`);
}

/** The text without the characters that `plain` removes. */
const bare = (text: SQL): SQL => sql`translate(${text}, ${` \t\r\n().'-${INVISIBLE}`}, '')`;

/**
 * An import ignores these characters in a phone number and at the ends of a cell: spaces that are not ASCII, and the
 * marks for the direction of a text.
 */
const INVISIBLE =
  '\v\f\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u200e\u200f\u2028\u2029\u202f\u205f\u3000\ufeff';

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
    if (hasOneOf(text, cells)) return true;
    before = text.slice(-OVERLAP);
  }
  return hasOneOf(`${before},`, cells);
}

/**
 * The text is read with and without the invisible characters, because the same bytes are letters in other encodings.
 * One character may be in two pieces of a file, so its bytes are removed here and not in `plain`.
 */
function hasOneOf(text: string, cells: readonly string[]): boolean {
  const visible = text.replaceAll(INVISIBLE_BYTES, '');
  return cells.some((cell) => text.includes(cell) || visible.includes(cell));
}

function asCell(bytes: Buffer): string | null {
  const cell = plain(Buffer.concat([Buffer.from(','), bytes, Buffer.from(',')]));
  return cell === ',' ? null : cell;
}

const MARK = '\u200e';

/**
 * Converts bytes to letters in any encoding, without punctuation, spaces and the zeros of UTF-16, and with commas
 * between cells. In Windows-1256, the bytes fd and fe are marks, and dd and de are letters without lower case.
 */
const plain = (bytes: Buffer): string =>
  bytes
    .toString('latin1')
    .replaceAll(/[\u00fd\u00fe]/g, MARK)
    .toLowerCase()
    .replaceAll(/[ ().'\0-]+/g, '')
    .replaceAll(/[,;|"\t\r\n]+/g, ',');

/**
 * The bytes of `INVISIBLE` after `plain`, in each encoding. Without zeros and spaces, a rare space of UTF-16 is like a
 * letter of ASCII, such as U+202F and `/`, and stays.
 */
const INVISIBLE_BYTES = new RegExp(
  Array.from(INVISIBLE)
    .flatMap(bytesOf)
    .map(plain)
    .filter((bytes) => !/^[ -~]*$/.test(bytes))
    .join('|'),
  'g',
);
