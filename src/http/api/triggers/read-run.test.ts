import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { givenTrigger } from '../../../../test/factories.ts';
import { startTriggersApi, type TriggersApi } from '../../../../test/triggers-api.ts';

let api: TriggersApi;
beforeAll(async () => {
  api = await startTriggersApi();
});
afterAll(() => api.parley.stop());

describe('200', () => {
  test('the response has the status and the metadata, and the messages on request', async () => {
    const { body: run } = await api.start({ message: 'Hi there', metadata: { source: 'crm' } });
    const read = await api.runs('GET', `/${run.id}?include=messages`);
    expect(read.body).toMatchObject({ id: run.id, status: 'waiting_for_user', metadata: { source: 'crm' } });
    expect(read.body.messages.map((message: { role: string }) => message.role)).toEqual(['end_user', 'agent']);
    expect((await api.runs('GET', `/${run.id}`)).body).not.toHaveProperty('messages');
  });
});

describe('404', () => {
  test('a run is not found through another trigger, and neither is text that is not an ID', async () => {
    const { body: run } = await api.start();
    const other = await givenTrigger(api.parley.db, api.orgId, api.agentId);
    for (const answer of [
      await api.runs('GET', `/${run.id}`, { trigger: other }),
      await api.runs('GET', '/run_01k8v3m9e5f7rsm6z4n0q2x1ab'),
      await api.runs('GET', '/x'),
    ])
      expect([answer.status, answer.body.code]).toEqual([404, 'run_not_found']);
  });
});
