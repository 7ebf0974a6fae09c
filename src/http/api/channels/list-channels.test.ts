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
});

describe('403', () => {
  test('a key of another agent sees none of the channels', async () => {
    const other = await givenAgent(parley.db, orgId);
    const bound = await parley.key(orgId, { scope: 'agent', agentId: other.agentId, permissions: ['channels'] });
    const answer = await parley.call('GET', `/api/channels/${agentId}`, { key: bound.value });
    expect([answer.status, answer.body.code]).toEqual([403, 'agent_mismatch']);
  });
});
