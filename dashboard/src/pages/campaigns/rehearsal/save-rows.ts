import { REHEARSED_COLUMNS, type RehearsedRecipient } from '../../../../../contract/dashboard/rehearsals.ts';

/** A cell that a spreadsheet would run as a formula becomes text. */
const cell = (value: string | null): string =>
  `"${(value ?? '').replace(/^[=+\-@\t\r＝＋－＠]/, "'$&").replaceAll('"', '""')}"`;

/** Gives the rows to the browser as a file; the server stores none. */
export function saveRows(rows: readonly RehearsedRecipient[], name: string): void {
  const lines = [
    REHEARSED_COLUMNS.join(','),
    ...rows.map((row) => REHEARSED_COLUMNS.map((one) => cell(row[one])).join(',')),
  ];
  // Spreadsheets read UTF-8 only with its mark.
  const url = URL.createObjectURL(new Blob(['\uFEFF', lines.join('\r\n'), '\r\n'], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name.replaceAll(/[/\\:*?"<>|]/g, ' ');
  link.click();
  URL.revokeObjectURL(url);
}
