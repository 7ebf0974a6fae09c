/**
 * CSV (RFC 4180) for spreadsheets. Server, command line and dashboard write all their exports with it.
 *
 * Cells contain text from strangers. A cell is quoted if it contains anything that a reader may take for the end of a
 * cell or row, and an apostrophe stops a spreadsheet from running a part of it as a formula.
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
 * The start of a formula: at the start of the cell, and after each character at which a reader may cut it. Some
 * spreadsheets cut at semicolons, some programs cut at line breaks inside quotes. `＝` and its like are wide forms.
 */
const FORMULA = /(^|[\r\n\t;])(?='* *[=+\-@＝＋－＠])/g;
const STOPPED_FORMULA = /(^|[\r\n\t;])'(?='* *[=+\-@＝＋－＠])/g;

/** The text of a cell without the apostrophes that `csv` adds. */
export const importedCell = (cell: string): string => cell.replaceAll(STOPPED_FORMULA, '$1');
