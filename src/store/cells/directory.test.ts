import { expect, test } from 'vitest';
import { createCellDirectory } from './directory.ts';

const state = (version: number) => ({ version, moving: {}, citus: false, cells: ['public', 'cell_2'], tables: [] });
/** Answers the statements of a directory like a database with two cells. */
const answer =
  (version: number) =>
  ({ text }: { text: string }): Promise<{ rows: unknown[] }> =>
    Promise.resolve({ rows: [text.includes('to_regclass') ? { known: true } : state(version)] });

test('the cell of an organization that was read before a change is read again', async () => {
  const directory = createCellDirectory();
  await directory.refresh(answer(1));
  const early = Promise.withResolvers<{ rows: unknown[] }>();
  const looks = [early.promise, Promise.resolve({ rows: [{ id: 'org_x', cell: 'cell_2' }] })];
  const reading = directory.read(new Set(['org_x']), () => looks.shift()!);
  // The process knows of the change, and its list of cells is still being read.
  const pulsed = Promise.withResolvers<void>();
  const rest = Promise.withResolvers<void>();
  const pulsing = directory.pulse(async (query) => {
    if (!query.text.includes('to_regclass')) return answer(2)(query);
    pulsed.resolve();
    await rest.promise;
    return answer(2)(query);
  });
  await pulsed.promise;
  early.resolve({ rows: [{ id: 'org_x', cell: 'public' }] });
  expect(await reading).toEqual(new Map([['org_x', 'cell_2']]));
  expect(directory.home('org_x')).toBe('cell_2');
  rest.resolve();
  await pulsing;
});

test('a directory is stale some seconds after its last answer, also if only the wall clock continued', async () => {
  const time = { monotonic: 0, wall: 0 };
  const directory = createCellDirectory({ monotonic: () => time.monotonic, wall: () => time.wall });
  await directory.refresh(answer(1));
  expect(directory.isStale()).toBe(false);
  time.monotonic = 6_000;
  expect(directory.isStale()).toBe(true);
  await directory.pulse(answer(1));
  expect(directory.isStale()).toBe(false);
  time.wall = 6_000;
  expect(directory.isStale()).toBe(true);
  // An answer is as old as its request.
  await directory.pulse((query) => {
    time.monotonic += 6_000;
    return answer(1)(query);
  });
  expect(directory.isStale()).toBe(true);
});
