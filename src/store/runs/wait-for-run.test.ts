import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { newId } from '../../kernel/ids.ts';
import { createTestDatabase } from '../../../test/postgres.ts';
import { openDb } from '../db.ts';
import { createRunWaiter } from './wait-for-run.ts';

test('a wait ends if its caller aborts, and does not begin if the caller has already aborted', async () => {
  const database = await createTestDatabase();
  const db = openDb(database.url);
  const waiter = createRunWaiter(db);
  const run = { orgId: newId('org'), runId: newId('run') };
  const left = new AbortController();
  const wait = () => waiter.wait(run, 3_600_000, () => true, left.signal);
  const waiting = wait();
  left.abort();
  expect(await waiting).toBe(false);
  expect(await wait()).toBe(false);
  // A wait that has ended for another reason keeps no listener.
  const process = new AbortController();
  expect(await waiter.wait(run, 1, () => true, process.signal)).toBe(false);
  expect(getEventListeners(process.signal, 'abort')).toHaveLength(0);
  waiter.stop();
  await db.$client.end();
  await database.drop();
});
