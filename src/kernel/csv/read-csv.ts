import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import type { CsvError } from 'csv-parse';
import { IMPORT_DELIMITERS, type ImportEncoding } from '../../../contract/dashboard/imports.ts';

/**
 * Reads a CSV file as a stream of rows (RFC 4180 and the variants of spreadsheets), with any line ends, quoted line
 * breaks, a byte order mark, and several separators. The memory never contains more than one piece of the file.
 */
export type CsvRow = {
  cells: string[];
  /** The approximate number of bytes of the file that have been read. */ bytes: number;
};

/** A fault that makes the whole file unreadable, not just a row. */
export class FileFault extends Error {
  readonly code: string;
  readonly line: number | null;

  constructor(code: string, detail: string, line: number | null = null) {
    super(detail);
    this.code = code;
    this.line = line;
  }
}

/** In a convention of spreadsheets, the first line names the separator and is not a row. */
const NAMES_DELIMITER = /^sep=(.)$/i;

/**
 * The parser reads each slice without a pause. A kilobyte of empty lines takes several milliseconds, so other work runs
 * between slices.
 */
const SLICE_BYTES = 4 * 1024;

/** A longer row often means an unclosed quotation mark. */
const MAX_ROW_CHARACTERS = 64 * 1024;
const ROW_TOO_LONG = `A row has more than ${MAX_ROW_CHARACTERS} characters. Shorten its cells, or close its quotation mark.`;

export async function* readCsv(
  pieces: AsyncIterable<Buffer>,
  { encoding, delimiter }: { encoding: ImportEncoding; delimiter: string },
): AsyncGenerator<CsvRow> {
  const { CsvError, parse } = await import('csv-parse');
  const parser = parse({
    delimiter,
    // The list contains all line ends, because the parser's default is only the first line end that it finds.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    max_record_size: MAX_ROW_CHARACTERS,
    info: true,
  });
  const position = { bytes: 0 };
  const fed = pipeline(Readable.from(decoded(pieces, encoding, position), { objectMode: false }), parser);
  // An error of the input ends the parser with this error, which the loop throws.
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
  if (error.code === 'CSV_MAX_RECORD_SIZE') return new FileFault('row_too_long', ROW_TOO_LONG, line);
  if (error.code === 'CSV_QUOTE_NOT_CLOSED')
    return new FileFault('quote_not_closed', 'A quotation mark is opened and not closed.', line);
  return new FileFault('csv_invalid', 'This is not valid CSV (RFC 4180).', line);
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
    // The caller reports the error.
  }
  // UTF-16 text without a byte order mark is valid UTF-8 with many NULs.
  if (text === null || text.includes('\0'))
    throw new FileFault(
      'encoding',
      `The file is not text in ${NAMES[encoding]}. Save it as "CSV UTF-8", or choose the encoding of the file.`,
    );
  return text;
}

/**
 * Finds the separator that the file names, or else the most frequent separator in its first line, outside quotation
 * marks.
 */
export function findDelimiter(text: string): (typeof IMPORT_DELIMITERS)[number] {
  const named = NAMES_DELIMITER.exec(text.split(/\r?\n|\r/, 1)[0]!)?.[1];
  const known = IMPORT_DELIMITERS.find((one) => one === named);
  if (known !== undefined) return known;
  const line = /^(?:"(?:[^"]|"")*"|[^"\r\n])*/.exec(text)?.[0].replaceAll(/"(?:[^"]|"")*"/g, '') ?? '';
  const counts = IMPORT_DELIMITERS.map((one) => line.split(one).length);
  return IMPORT_DELIMITERS[counts.indexOf(Math.max(...counts))]!;
}
