/**
 * Rows as CSV for spreadsheets: a cell that one would run as a formula becomes text. The library is read by the first
 * export.
 */
export async function csv(rows: (string | number | null)[][]): Promise<string> {
  const { stringify } = await import('csv-stringify/sync');
  return stringify(rows, { escape_formulas: true, record_delimiter: 'windows' });
}
