import { stripVTControlCharacters } from 'node:util';

export type Column<R> = { title: string; of(row: R): unknown };

const GAP = '  ';
const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * Prints rows below the titles of their columns. Each column of the table is as wide as its widest cell. The function
 * `style` formats the title line.
 */
export function table<R>(rows: readonly R[], columns: readonly Column<R>[], style: (line: string) => string): string {
  const cells = rows.map((row) => columns.map((column) => printable(column.of(row)).replaceAll('\n', ' ')));
  const widths = columns.map((column, at) =>
    Math.max(width(column.title), ...cells.map((line) => width(line[at] ?? ''))),
  );
  const line = (parts: readonly string[]): string =>
    parts
      .map((part, at) => part + ' '.repeat(widths[at]! - width(part)))
      .join(GAP)
      .trimEnd();
  return [style(line(columns.map((column) => column.title))), ...cells.map(line)].join('\n');
}

/** Prints one field per line with aligned names, and lists and objects as compact JSON. */
export function facts(record: Record<string, unknown>, style: (name: string) => string): string {
  const names = Object.keys(record);
  const widest = Math.max(0, ...names.map(width));
  return names
    .map(
      (name) =>
        `${style(name.padEnd(widest))}${GAP}${printable(record[name]).replaceAll('\n', `\n${' '.repeat(widest)}${GAP}`)}`,
    )
    .join('\n');
}

/**
 * Makes a value safe to print on a terminal. Text of people may contain escape sequences that move the cursor or change
 * colors, and marks that reverse the reading direction.
 */
export function printable(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'string') return safe(value);
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return safe(value.join(', ')) || '–';
  return safe(JSON.stringify(value));
}

/** The pattern matches control characters except the line end, and marks that override the reading direction. */
const UNSAFE = /(?!\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;
const safe = (text: string): string => stripVTControlCharacters(text).replace(UNSAFE, '\u{fffd}');

const WIDE = /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/u;

function width(text: string): number {
  let columns = 0;
  for (const { segment } of segmenter.segment(text)) columns += WIDE.test(segment) ? 2 : 1;
  return columns;
}
