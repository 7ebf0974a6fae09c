import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csv, importedCell } from './csv.ts';

/** Splits a row like a program that does not support quotes. */
const rowsWithoutQuotes = (text: string): string[] => text.split(/\r\n|\r|\n/);

test.each(["Ann\n=cmd|' /C calc'!A0", 'Ann\r=1+1', 'Ann\r\n@SUM(A1)', '\n+1', '\t=1', 'Ann\n -1', 'Ann\n＝1'])(
  'the text %j is quoted so that no line starts with a formula',
  (name) => {
    const text = csv([['id', name, 'end']]);
    expect(parse(text)).toHaveLength(1);
    expect(text.split(',')[1]).toMatch(/^".*"$/s);
    for (const line of rowsWithoutQuotes(text)) expect(line).not.toMatch(/^[\s"]*[=+\-@＝＋－＠]/);
  },
);

test('no cell is a formula in a spreadsheet that separates cells by semicolons', () => {
  expect(csv([['Ann;=1+1', 'Ann; @x']])).toBe(`"Ann;'=1+1","Ann;' @x"\r\n`);
});

test('numbers are written as numbers, and null as an empty cell', () => {
  expect(csv([[-5, '-5', null, 'plain', 'a "b"']])).toBe(`-5,'-5,,plain,"a ""b"""\r\n`);
});

test('each text is unchanged after writing and reading the file', () => {
  const hostile = fc.string({ unit: fc.constantFrom('=', '-', "'", '"', ',', ';', '\n', '\r', '\t', ' ', 'a', '＝') });
  fc.assert(
    fc.property(fc.array(fc.array(hostile, { minLength: 2, maxLength: 4 }), { minLength: 1 }), (rows) => {
      const read = parse(csv(rows), { relax_column_count: true, record_delimiter: '\r\n' });
      expect(read.map((cells) => cells.map(importedCell))).toEqual(rows);
    }),
  );
});
