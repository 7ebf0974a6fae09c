import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { givenTrigger } from '../../../../test/factories.ts';
import { startTriggersApi, type TriggersApi } from '../../../../test/triggers-api.ts';

let api: TriggersApi;
beforeAll(async () => {
  api = await startTriggersApi();
});
afterAll(() => api.parley.stop());

describe('200', () => {
  test('a cancel ends the run, and a second call changes nothing', async () => {
    const { body: run } = await api.start({ message: 'Hi there' });
    for (const _ of [1, 2]) {
      const { status, body } = await api.runs('POST', `/${run.id}/cancel`);
      expect([status, body.id, body.status]).toEqual([200, run.id, 'cancelled']);
    }
    // What was said stays.
    const { body } = await api.runs('GET', `/${run.id}?include=messages`);
    expect(body.messages).toHaveLength(2);
  });

  test('a repeated call with the same Idempotency-Key gets the first response', async () => {
    const { body: run } = await api.start();
    const headers = { 'idempotency-key': 'cancel-1' };
    const first = await api.runs('POST', `/${run.id}/cancel`, { headers });
    const second = await api.runs('POST', `/${run.id}/cancel`, { headers });
    expect([second.status, second.body]).toEqual([200, first.body]);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
  });
});

describe('404', () => {
  test('a run cannot be cancelled through another trigger', async () => {
    const { body: run } = await api.start();
    const other = await givenTrigger(api.parley.db, api.orgId, api.agentId);
    const answer = await api.runs('POST', `/${run.id}/cancel`, { trigger: other });
    expect([answer.status, answer.body.code]).toEqual([404, 'run_not_found']);
    expect((await api.runs('GET', `/${run.id}`)).body.status).toBe('waiting_for_user');
  });
});

describe('409', () => {
  test('a run that has already ended cannot be cancelled', async () => {
    const { body: run } = await api.start();
    await api.parley.db.execute(sql`UPDATE run SET status = 'completed' WHERE id = ${run.id}`);
    const answer = await api.runs('POST', `/${run.id}/cancel`);
    expect([answer.status, answer.body.code]).toEqual([409, 'run_finished']);
  });
});
