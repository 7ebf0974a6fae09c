import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { givenAgent, givenChannel, givenOrganization } from '../../../../test/factories.ts';

let parley: TestApp;
let orgId: string;
let agentId: string;
let channelId: string;
let key: string;

beforeAll(async () => {
  parley = await startTestApp();
  orgId = await givenOrganization(parley.db);
  ({ agentId, channelId } = await givenAgent(parley.db, orgId));
  key = (await parley.key(orgId, { permissions: ['channels'] })).value;
});
afterAll(() => parley.stop());

const pathOf = (channel: string) => `/api/channels/${agentId}/${channel}/messages`;
const send = async () => {
  const body = { to: { end_user: { external_id: 'c-12' } }, content: { type: 'text', text: 'x' } };
  return (await parley.call('POST', pathOf(channelId), { key, body })).body;
};

describe('200', () => {
  test('the response has the message and its delivery', async () => {
    const sent = await send();
    const answer = await parley.call('GET', `${pathOf(channelId)}/${sent.id}`, { key });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ ...sent, status: 'delivered', error: null });
  });
});

describe('404', () => {
  test('a message of another channel is not found, and neither is text that is not an ID', async () => {
    const sent = await send();
    const other = await givenChannel(parley.db, orgId, agentId, { kind: 'sandbox' });
    for (const path of [`${pathOf(other)}/${sent.id}`, `${pathOf(channelId)}/x`]) {
      const answer = await parley.call('GET', path, { key });
      expect([answer.status, answer.body.code]).toEqual([404, 'message_not_found']);
    }
  });
});
