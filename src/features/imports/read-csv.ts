import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { CsvError, parse } from 'csv-parse';
import { IMPORT_DELIMITERS, type ImportEncoding } from '../../../contract/dashboard/imports.ts';

/**
 * A CSV file as a stream of rows (RFC 4180, and what spreadsheets make of it): any line ends, quoted line breaks, a
 * byte order mark, a choice of separators. Never more than a piece of the file is in memory.
 */
export type CsvRow = { cells: string[]; /** Bytes of the file that are behind us, about. */ bytes: number };

/** What makes a whole file unreadable, as against a row. */
export class FileFault extends Error {
  readonly code: string;
  readonly line: number | null;

  constructor(code: string, detail: string, line: number | null = null) {
    super(detail);
    this.code = code;
    this.line = line;
  }
}

/** Before the header, by a custom of spreadsheets: the separator of the file, and no row of it. */
const NAMES_DELIMITER = /^sep=(.)$/i;

/** The parser reads what it gets in one go, some milliseconds for a KB of empty lines: in between, others have their turn. */
const SLICE_BYTES = 4 * 1024;

/** A row longer than this is a quotation mark that nobody closed. */
const MAX_ROW_CHARACTERS = 64 * 1024;

export async function* readCsv(
  pieces: AsyncIterable<Buffer>,
  { encoding, delimiter }: { encoding: ImportEncoding; delimiter: string },
): AsyncGenerator<CsvRow> {
  const parser = parse({
    delimiter,
    // All of them, all the time: left to itself the parser takes the first that it sees for the only one.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    max_record_size: MAX_ROW_CHARACTERS,
    info: true,
  });
  const position = { bytes: 0 };
  const fed = pipeline(Readable.from(decoded(pieces, encoding, position), { objectMode: false }), parser);
  // What goes wrong on the way in ends the parser with the same error, which the loop throws.
  fed.catch(() => {});
  let isFirst = true;
  try {
    for await (const { record } of parser as AsyncIterable<{ record: string[] }>) {
      if (!isFirst || !NAMES_DELIMITER.test(record.join(delimiter))) yield { cells: record, bytes: position.bytes };
      isFirst = false;
    }
  } catch (error) {
    throw error instanceof CsvError ? explained(error) : error;
  } finally {
    parser.destroy();
  }
}

function explained(error: CsvError & { lines?: number }): FileFault {
  const line = error.lines ?? null;
  if (error.code === 'CSV_QUOTE_NOT_CLOSED' || error.code === 'CSV_MAX_RECORD_SIZE')
    return new FileFault('quote_not_closed', 'A quotation mark is opened and not closed.', line);
  return new FileFault('csv_invalid', 'This is not CSV as RFC 4180 has it.', line);
}

async function* decoded(
  pieces: AsyncIterable<Buffer>,
  encoding: ImportEncoding,
  position: { bytes: number },
): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; at += SLICE_BYTES) {
      const slice = piece.subarray(at, at + SLICE_BYTES);
      position.bytes += slice.length;
      yield textOf(() => decoder.decode(slice, { stream: true }), encoding);
      await setImmediate();
    }
  }
  yield textOf(() => decoder.decode(), encoding);
}

const NAMES: Record<ImportEncoding, string> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16',
  'windows-1256': 'Windows-1256',
  'windows-1252': 'Windows-1252',
};

function textOf(decode: () => string, encoding: ImportEncoding): string {
  let text: string | null = null;
  try {
    text = decode();
  } catch {
    // Told below.
  }
  // Text in UTF-16 without a mark is valid UTF-8 full of NULs.
  if (text === null || text.includes('\0'))
    throw new FileFault(
      'encoding',
      `The file is not text in ${NAMES[encoding]}. Save it as "CSV UTF-8", or choose the encoding it is in.`,
    );
  return text;
}

/** The separator that the file names, else the one that its first line has most of, outside of quotation marks. */
export function findDelimiter(text: string): (typeof IMPORT_DELIMITERS)[number] {
  const named = NAMES_DELIMITER.exec(text.split(/\r?\n|\r/, 1)[0]!)?.[1];
  const known = IMPORT_DELIMITERS.find((one) => one === named);
  if (known !== undefined) return known;
  const line = /^(?:"(?:[^"]|"")*"|[^"\r\n])*/.exec(text)?.[0].replaceAll(/"(?:[^"]|"")*"/g, '') ?? '';
  const counts = IMPORT_DELIMITERS.map((one) => line.split(one).length);
  return IMPORT_DELIMITERS[counts.indexOf(Math.max(...counts))]!;
}
