import { csv } from '../../../../../contract/csv.ts';
import { REHEARSED_COLUMNS, type RehearsedRecipient } from '../../../../../contract/dashboard/rehearsals.ts';

/** Saves the rows as a file in the browser. The server stores no rows of a rehearsal. */
export function saveRows(rows: readonly RehearsedRecipient[], name: string): void {
  const table = csv([REHEARSED_COLUMNS, ...rows.map((row) => REHEARSED_COLUMNS.map((column) => row[column]))]);
  // Spreadsheets recognize UTF-8 only with a byte order mark.
  const url = URL.createObjectURL(new Blob(['\uFEFF', table], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name.replaceAll(/[/\\:*?"<>|]/g, ' ');
  link.click();
  URL.revokeObjectURL(url);
}
