import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { givenTrigger } from '../../../../test/factories.ts';
import { startTriggersApi, type TriggersApi } from '../../../../test/triggers-api.ts';

let api: TriggersApi;
beforeAll(async () => {
  api = await startTriggersApi();
});
afterAll(() => api.parley.stop());

describe('200', () => {
  test('the list has the runs of the trigger in pages, newest first', async () => {
    const ids = [];
    for (let number = 0; number < 3; number++) ids.unshift((await api.start()).body.id);
    const first = await api.runs('GET', '?limit=2');
    expect(first.body).toMatchObject({ data: [{ id: ids[0] }, { id: ids[1] }], has_more: true });
    const second = await api.runs('GET', `?limit=2&cursor=${first.body.next_cursor}`);
    expect(second.body).toMatchObject({ data: [{ id: ids[2] }], has_more: false, next_cursor: null });
    const other = await givenTrigger(api.parley.db, api.orgId, api.agentId);
    expect((await api.runs('GET', '', { trigger: other })).body.data).toEqual([]);
  });

  test('the list can be filtered by status', async () => {
    const { body: run } = await api.start();
    await api.runs('POST', `/${run.id}/cancel`);
    expect((await api.runs('GET', '?status=cancelled')).body.data).toMatchObject([{ id: run.id }]);
    expect((await api.runs('GET', '?status=queued')).body.data).toEqual([]);
  });
});

describe('400 and 422', () => {
  test('a cursor of another filter is refused, and so is an unknown status', async () => {
    await api.start();
    await api.start();
    const { body: page } = await api.runs('GET', '?limit=1');
    const elsewhere = await api.runs('GET', `?status=queued&cursor=${page.next_cursor}`);
    expect([elsewhere.status, elsewhere.body.code]).toEqual([400, 'cursor_invalid']);
    expect((await api.runs('GET', '?status=nonsense')).status).toBe(422);
  });
});
