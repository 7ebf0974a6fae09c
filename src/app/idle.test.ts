import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { expect, test, vi } from 'vitest';
import { startTestApp } from '../../test/app.ts';
import { createTestDatabase } from '../../test/postgres.ts';
import { addCells } from '../store/migrate.ts';

const WINDOW_SECONDS = 3;
/** On a slow machine, statements of the start are in the first windows. */
const MOST_WINDOWS = 5;
/** It sends 5.6. With a look at every tick of the watch, it would send 9. */
const MOST_A_SECOND = 8;
/** With five cells, it sends 24. With a look at every tick for each cell, it would send 64. */
const MOST_WITH_CELLS = 36;

test.each([
  ['one cell', 0, MOST_A_SECOND],
  ['five cells', 4, MOST_WITH_CELLS],
])('a process that has nothing to do sends few statements to %s', async (_, added, most) => {
  const database = await createTestDatabase();
  if (added > 0) await addCells(database.url, added);
  const app = await startTestApp({}, { database });
  try {
    await pause(500);
    const plain = vi.spyOn(pg.Connection.prototype, 'query');
    const bound = vi.spyOn(pg.Connection.prototype, 'bind');
    let sent: string[] = [];
    for (let windows = 0; windows < MOST_WINDOWS; windows++) {
      plain.mockClear();
      bound.mockClear();
      await pause(WINDOW_SECONDS * 1_000);
      const names = bound.mock.calls.map(([config]) => config?.statement ?? '');
      sent = [...plain.mock.calls.map(([text]) => text), ...names].toSorted();
      if (sent.length <= most * WINDOW_SECONDS) break;
    }
    expect({ sent, isFew: sent.length <= most * WINDOW_SECONDS }).toEqual({ sent, isFew: true });
    // The lease is renewed three times a second, whatever else happens, and due rows are looked for.
    expect(sent).toEqual(expect.arrayContaining(['lease-read', 'next-due']));
  } finally {
    await app.stop();
  }
});
