import { DocumentFault } from './document-fault.ts';
import { TextWriter, tooLong } from './text-writer.ts';

/** Converts a CSV file to a Markdown table. The first row of the file names the columns. */
const DELIMITERS = [',', ';', '\t', '|'] as const;
const LOOKED_AT = 20;

/**
 * Returns the separator if each of the first lines contains it equally often, which prose does not. Null: the text is
 * not a table.
 */
export function delimiterOf(text: string, named: boolean): string | null {
  const lines = text
    .slice(0, 64 * 1024)
    .split(/\r\n|\r|\n/)
    .filter((line) => line.trim() !== '');
  // A line that begins with a bar belongs to a Markdown table.
  if (/^\s*\|/.test(lines[0] ?? '')) return null;
  const first = lines.slice(0, LOOKED_AT).map((line) => line.replaceAll(/"(?:[^"]|"")*"/g, ''));
  if (first[0] === undefined) return null;
  for (const delimiter of DELIMITERS) {
    const many: number = first[0].split(delimiter).length;
    if (many < 2) continue;
    if (named) return delimiter;
    // A few lines of prose may have one comma each.
    const isTable = first.length >= 3 && (delimiter !== ',' || many >= 3);
    if (isTable && first.every((line) => line.split(delimiter).length === many)) return delimiter;
  }
  return null;
}

export async function readTable(text: string, delimiter: string): Promise<string> {
  const { parse } = await import('csv-parse/sync');
  const writer = new TextWriter();
  let rows: string[][];
  try {
    rows = parse(text, {
      delimiter,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      bom: true,
      max_record_size: 64 * 1024,
    });
  } catch {
    throw new DocumentFault('broken', 'This is not valid CSV: a quotation mark may be open.');
  }
  // Markdown adds some characters to every row, so too many rows are refused before the conversion.
  if (rows.length * 4 > 1024 * 1024) throw tooLong();
  writer.table(rows);
  return writer.text();
}
