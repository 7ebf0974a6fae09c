import { expect, test } from 'vitest';
import { readCsv } from './read-csv.ts';

async function* inOnePiece(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

test.each([
  ['empty lines', '\n'],
  ['separators and quotation marks', '\r\n;,"",\t\n'],
])('a piece of one MiB of %s does not block the event loop', async (_what, part) => {
  const cpu = (): number => process.threadCpuUsage().user / 1_000;
  let [turns, longest, last, isDone] = [0, 0, cpu(), false];
  const others = (): void => {
    turns++;
    longest = Math.max(longest, cpu() - last);
    last = cpu();
    if (!isDone) setImmediate(others);
  };
  setImmediate(others);
  let rows = 0;
  for await (const { cells } of readCsv(inOnePiece(part.repeat(1_048_576 / part.length)), {
    encoding: 'utf-8',
    delimiter: ',',
  }))
    rows += cells.length > 0 ? 1 : 0;
  isDone = true;
  expect(rows).toBeGreaterThan(100_000);
  expect(turns).toBeGreaterThan(100);
  expect(longest).toBeLessThan(200);
});

test('a character that two slices share is read whole', async () => {
  const cell = 'مرحبا'.repeat(3_000);
  const rows: string[][] = [];
  for await (const { cells } of readCsv(inOnePiece(`name\nx${cell}\n`), { encoding: 'utf-8', delimiter: ',' }))
    rows.push(cells);
  expect(rows).toEqual([['name'], [`x${cell}`]]);
});

test.each([
  ['a long cell', `a,${'x'.repeat(80_000)}\n`],
  ['an open quotation mark', `a,"${'x\n'.repeat(40_000)}`],
])('a row that is too long is refused with its limit: %s', async (_what, text) => {
  const read = async () => {
    for await (const { cells } of readCsv(inOnePiece(text), { encoding: 'utf-8', delimiter: ',' })) void cells;
  };
  await expect(read).rejects.toThrow('A row has more than 65536 characters. Shorten its cells');
});
