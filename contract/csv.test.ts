import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csv, importedCell } from './csv.ts';

/** Splits a row like a program that does not support quotes. */
const rowsWithoutQuotes = (text: string): string[] => text.split(/\r\n|\r|\n/);

test.each(["Ann\n=cmd|' /C calc'!A0", 'Ann\r=1+1', 'Ann\r\n@SUM(A1)', '\n+1', '\t=1', 'Ann\n -1', 'Ann\n＝1'])(
  'quotes %j and puts no formula at the start of a line',
  (name) => {
    const text = csv([['id', name, 'end']]);
    expect(parse(text)).toHaveLength(1);
    expect(text.split(',')[1]).toMatch(/^".*"$/s);
    for (const line of rowsWithoutQuotes(text)) expect(line).not.toMatch(/^[\s"]*[=+\-@＝＋－＠]/);
  },
);

test('writes no formula for a spreadsheet that separates cells by semicolons', () => {
  expect(csv([['Ann;=1+1', 'Ann; @x']])).toBe(`"Ann;'=1+1","Ann;' @x"\r\n`);
});

test('writes numbers as numbers and null as an empty cell', () => {
  expect(csv([[-5, '-5', null, 'plain', 'a "b"']])).toBe(`-5,'-5,,plain,"a ""b"""\r\n`);
});

test('restores each text unchanged after reading the file', () => {
  const hostile = fc.string({ unit: fc.constantFrom('=', '-', "'", '"', ',', ';', '\n', '\r', '\t', ' ', 'a', '＝') });
  fc.assert(
    fc.property(fc.array(fc.array(hostile, { minLength: 2, maxLength: 4 }), { minLength: 1 }), (rows) => {
      const read = parse(csv(rows), { relax_column_count: true, record_delimiter: '\r\n' });
      expect(read.map((cells) => cells.map(importedCell))).toEqual(rows);
    }),
  );
});
