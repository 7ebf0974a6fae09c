import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { givenAgent, givenChannel, givenOrganization } from '../../../../test/factories.ts';

let parley: TestApp;
let orgId: string;
let agentId: string;
let key: string;

beforeAll(async () => {
  parley = await startTestApp();
  orgId = await givenOrganization(parley.db);
  ({ agentId } = await givenAgent(parley.db, orgId));
  key = (await parley.key(orgId, { permissions: ['channels'] })).value;
});
afterAll(() => parley.stop());

describe('200', () => {
  test('the list has the channels of the agent and their capabilities, without their secrets', async () => {
    const secrets = { secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}` };
    const { sealingKey } = parley.secrets;
    await givenChannel(parley.db, orgId, agentId, {
      kind: 'webhook',
      settings: { url: 'https://shop.example/hook' },
      secrets,
      sealingKey,
    });
    const answer = await parley.call('GET', `/api/channels/${agentId}`, { key });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ has_more: false, next_cursor: null });
    expect(answer.body.data.map((channel: { kind: string }) => channel.kind).sort()).toEqual(['sandbox', 'webhook']);
    expect(answer.body.data[0].capabilities).toMatchObject({
      content: expect.arrayContaining(['text']),
      inbound: true,
    });
    expect(JSON.stringify(answer.body)).not.toContain('whsec_');
  });

  test('`limit` and `cursor` lead through all channels once, newest first', async () => {
    const { agentId: busy } = await givenAgent(parley.db, orgId);
    for (let n = 0; n < 2; n++) {
      // IDs of one millisecond have no order.
      await pause(2);
      await givenChannel(parley.db, orgId, busy, { kind: 'webhook' });
    }
    const list = (query: string) => parley.call('GET', `/api/channels/${busy}${query}`, { key });
    const ids = ({ body }: { body: { data: { id: string }[] } }) => body.data.map(({ id }) => id);
    const all = ids(await list(''));
    expect(all).toEqual(all.toSorted().toReversed());
    expect(all).toHaveLength(3);

    const first = await list('?limit=2');
    expect([ids(first), first.body.has_more]).toEqual([all.slice(0, 2), true]);
    const second = await list(`?limit=2&cursor=${first.body.next_cursor}`);
    expect([ids(second), second.body]).toMatchObject([all.slice(2), { has_more: false, next_cursor: null }]);
  });
});

describe('400', () => {
  test('the cursor of another agent is refused', async () => {
    const { agentId: other } = await givenAgent(parley.db, orgId);
    await givenChannel(parley.db, orgId, other, { kind: 'webhook' });
    const { body } = await parley.call('GET', `/api/channels/${other}?limit=1`, { key });
    const answer = await parley.call('GET', `/api/channels/${agentId}?cursor=${body.next_cursor}`, { key });
    expect([answer.status, answer.body.code]).toEqual([400, 'cursor_invalid']);
  });
});

describe('403', () => {
  test('a key of another agent sees none of the channels', async () => {
    const other = await givenAgent(parley.db, orgId);
    const bound = await parley.key(orgId, { scope: 'agent', agentId: other.agentId, permissions: ['channels'] });
    const answer = await parley.call('GET', `/api/channels/${agentId}`, { key: bound.value });
    expect([answer.status, answer.body.code]).toEqual([403, 'agent_mismatch']);
  });
});

describe('422', () => {
  test.each(['limit=0', 'limit=101', 'limit=two', 'page=2'])('?%s is refused', async (query) => {
    const answer = await parley.call('GET', `/api/channels/${agentId}?${query}`, { key });
    expect([answer.status, answer.body.code]).toEqual([422, 'validation_failed']);
  });
});
