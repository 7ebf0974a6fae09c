import { csv } from '../../../../../contract/csv.ts';
import { REHEARSED_COLUMNS, type RehearsedRecipient } from '../../../../../contract/dashboard/rehearsals.ts';

/** Gives the rows to the browser as a file; the server stores none. */
export function saveRows(rows: readonly RehearsedRecipient[], name: string): void {
  const table = csv([REHEARSED_COLUMNS, ...rows.map((row) => REHEARSED_COLUMNS.map((column) => row[column]))]);
  // Spreadsheets read UTF-8 only with its mark.
  const url = URL.createObjectURL(new Blob(['\uFEFF', table], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name.replaceAll(/[/\\:*?"<>|]/g, ' ');
  link.click();
  URL.revokeObjectURL(url);
}
