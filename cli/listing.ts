import type { Command } from 'commander';
import type { ListWant, Row } from './api.ts';
import { DEFAULT_ROWS } from './api.ts';
import { wholeNumber } from './read-input.ts';
import type { Column } from './table.ts';

/** Adds the options that every list command has. */
export const listing = (command: Command): Command =>
  command
    .option('--limit <n>', `at most N rows (default ${DEFAULT_ROWS})`, wholeNumber('--limit', 1, 1_000_000))
    .option('--all', 'all rows');

export type ListOptions = ListWant;

/** A column for a field of the rows, with a readable title. */
export const field = (name: string, title = words(name)): Column<Row> => ({ title, of: (row) => row[name] });

/** Formats a time in UTC without milliseconds. */
export const time = (name: string, title = words(name), whenNull = '–'): Column<Row> => ({
  title,
  of: (row) => (typeof row[name] === 'string' ? `${row[name].slice(0, 16).replace('T', ' ')}Z` : whenNull),
});

const words = (name: string): string => {
  const text = name.replace(/_at$/, '').replaceAll('_', ' ');
  return text[0]!.toUpperCase() + text.slice(1);
};
