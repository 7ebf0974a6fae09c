/**
 * Server, command line and dashboard write all exports as CSV (RFC 4180) with this file.
 *
 * Cells may contain text from strangers. A cell is quoted if a reader could mistake a character for the end of a cell
 * or row. An apostrophe prevents a spreadsheet from running a part of the cell as a formula.
 */
export type CsvCell = string | number | null;

export const csv = (rows: readonly (readonly CsvCell[])[]): string =>
  rows.map((cells) => `${cells.map(written).join(',')}\r\n`).join('');

function written(cell: CsvCell): string {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell);
  const text = cell.replaceAll(FORMULA, "$1'");
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const NEEDS_QUOTES = /["\r\n\t,;]/;

/**
 * Matches the start of a formula, at the start of the cell and after each character at which a program may split the
 * cell. Some spreadsheets split a cell at semicolons. Some programs split a cell at line breaks inside quotes. The
 * character `＝` and similar characters are full-width forms.
 */
const FORMULA = /(^|[\r\n\t;])(?='* *[=+\-@＝＋－＠])/g;
const STOPPED_FORMULA = /(^|[\r\n\t;])'(?='* *[=+\-@＝＋－＠])/g;

/** Returns the text of a cell without the apostrophes that `csv` adds. */
export const importedCell = (cell: string): string => cell.replaceAll(STOPPED_FORMULA, '$1');

/** Writes the first line of a file, with the byte order mark that tells Excel that the file is UTF-8. */
export const csvHeader = (names: readonly string[]): string => `\uFEFF${csv([[...names]])}`;
