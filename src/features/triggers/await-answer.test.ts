import { expect, test } from 'vitest';
import type { RunWaiter } from '../../store/runs/wait-for-run.ts';
import { openDb } from '../../store/db.ts';
import { awaitAnswer } from './await-answer.ts';

test('an accepted call is not refused if the database is lost after its acceptance', async () => {
  // A port on which no server listens.
  const db = openDb('postgres://127.0.0.1:1/parley');
  const waiter: RunWaiter = { wait: async () => true, look: () => {}, stop: () => {} };
  const answer = { status: 202, location: null, body: '{"id":"run_1","conversation_id":"conv_1"}' };
  const started = { answer, replayed: false, run: { orgId: 'org_1', id: 'run_1' } };
  expect(await awaitAnswer({ db, waiter }, started, 1_000, null)).toBeNull();
  await db.$client.end();
});
