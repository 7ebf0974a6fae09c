import { type ImportEncoding, type ImportPreview, MAX_IMPORT_COLUMNS } from '../../../contract/dashboard/imports.ts';
import { Refusal } from '../../../contract/problems.ts';
import type { Db } from '../../store/db.ts';
import { readImport, readPieces } from '../../store/imports/read.ts';
import { suggestColumns } from '../../store/end-users/import-columns.ts';
import { FileFault, findDelimiter, readCsv } from '../../kernel/csv/read-csv.ts';

const ROWS = 5;
const HEAD_BYTES = 64 * 1024;
/** The preview shows one more column than an import allows, so that the excess is visible. */
const MAX_SHOWN_COLUMNS = MAX_IMPORT_COLUMNS + 1;

/**
 * Returns the header and the first rows, parsed with the given or detected options, with a suggestion for each column.
 */
export async function previewImport(
  { db }: { db: Db },
  orgId: string,
  id: string,
  chosen: { delimiter?: ImportPreview['delimiter']; encoding?: ImportEncoding },
): Promise<ImportPreview> {
  const file = await readImport(db, orgId, id);
  if (!file) throw new Refusal('import_not_found');
  const first = await firstPiece(db, orgId, id);
  if (first === null) throw new Refusal('import_not_ready', 'The file was not uploaded, or has expired.');
  const encoding = chosen.encoding ?? (first[0] === 0xff && first[1] === 0xfe ? 'utf-16le' : 'utf-8');
  const delimiter = chosen.delimiter ?? findDelimiter(new TextDecoder(encoding).decode(first.subarray(0, HEAD_BYTES)));
  const rows: string[][] = [];
  try {
    for await (const { cells } of readCsv(alone(first, encoding), { encoding, delimiter })) {
      rows.push(cells);
      if (rows.length > ROWS) break;
    }
  } catch (error) {
    if (!(error instanceof FileFault)) throw error;
    // The first piece of a larger file may end within a row. The complete rows are enough for a preview.
    const isCut = first.length < file.bytes;
    if (error.code === 'encoding' || !isCut || rows.length === 0) throw unreadable(error);
  }
  const [header, ...data] = rows.map((row) => row.slice(0, MAX_SHOWN_COLUMNS));
  if (!header || header.every((cell) => cell.trim() === ''))
    throw unreadable(new FileFault('empty', 'The file has no header row.'));
  return { delimiter, encoding, header, rows: data, columns: suggestColumns(header) };
}

async function firstPiece(db: Db, orgId: string, id: string): Promise<Buffer | null> {
  for await (const piece of readPieces(db, orgId, id)) return piece;
  return null;
}

async function* alone(piece: Buffer, encoding: ImportEncoding): AsyncGenerator<Buffer> {
  // Leaves out an incomplete character or row at the end of the piece.
  yield piece.subarray(0, endOfLastLine(piece, encoding) || piece.length);
}

function endOfLastLine(piece: Buffer, encoding: ImportEncoding): number {
  if (encoding !== 'utf-16le') return piece.lastIndexOf(0x0a) + 1;
  // In UTF-16, a character has two bytes, and either byte may be 0a without being a line end. The search for a line end
  // compares pairs of bytes.
  const at = piece.lastIndexOf('\n', undefined, 'utf16le');
  return at === -1 ? 0 : at + 2;
}

const unreadable = (fault: FileFault): Refusal =>
  new Refusal('validation_failed', fault.message, {
    errors: [{ pointer: fault.code === 'encoding' ? '/encoding' : '', code: fault.code, detail: fault.message }],
  });
