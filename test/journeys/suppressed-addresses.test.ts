import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type TestApp, startTestApp } from '../app.ts';
import { givenAgent, givenChannel, givenOrganization } from '../factories.ts';
import type { FakeProvider } from '../fakes/provider.ts';
import { startTelegram } from '../fakes/telegram.ts';
import { startTwilio } from '../fakes/twilio.ts';

/** A person opted out and was erased. The only remaining data is the rule that their address must not be messaged. */
let parley: TestApp;
beforeAll(async () => {
  parley = await startTestApp({ PARLEY_EGRESS_ALLOW: '127.0.0.1' });
});
afterAll(() => parley.stop());

describe.each([
  // One person has an external ID, and the other only an address.
  ['sms', startTwilio],
  ['telegram', startTelegram],
])('on %s', (kind, start) => {
  let provider: FakeProvider;
  let orgId: string;
  let agentId: string;
  let channelId: string;
  let key: string;
  beforeAll(async () => void (provider = await start()));
  afterAll(() => provider.stop());

  const rows = async (query: ReturnType<typeof sql>) => (await parley.db.execute(query)).rows;
  const writes = async (text: string) => {
    const url = `${parley.config.baseUrl}/inbound/${kind}/${channelId}`;
    const { headers, body } = provider.says(text, { url });
    return (await fetch(`${parley.url}/inbound/${kind}/${channelId}`, { method: 'POST', headers, body })).status;
  };
  const send = (to: object) =>
    parley.call('POST', `/api/channels/${agentId}/${channelId}/messages`, {
      key,
      body: { to, content: { type: 'text', text: 'Still there?' } },
    });
  const erase = async (more: Record<string, unknown>) => {
    const [person] = await rows(sql`SELECT end_user_id AS id FROM identity WHERE channel_id = ${channelId}`);
    const at = `/api/end-users/${String(person!['id'])}`;
    if (more['opted_out']) await parley.call('PUT', `${at}/consent/${kind}`, { key, body: { status: 'opted_out' } });
    if (more['blocked']) await parley.call('PATCH', at, { key, body: { blocked: true } });
    expect((await parley.call('DELETE', at, { key })).status).toBe(204);
    expect(await rows(sql`SELECT id FROM end_user WHERE org_id = ${orgId}`)).toHaveLength(0);
  };

  beforeEach(async () => {
    orgId = await givenOrganization(parley.db);
    ({ agentId } = await givenAgent(parley.db, orgId));
    const { settings, secrets } = provider;
    const { sealingKey } = parley.secrets;
    channelId = await givenChannel(parley.db, orgId, agentId, { kind, settings, secrets, sealingKey });
    key = (await parley.key(orgId, { permissions: ['channels', 'end_users'] })).value;
    provider.delivered.length = 0;
    await writes('hi');
    await vi.waitUntil(() => provider.delivered.length === 1, { timeout: 20_000 });
  });

  test.each([{ opted_out: true }, { blocked: true }])(
    'a send to the address of a person who was erased with %j is refused',
    async (why) => {
      await erase(why);
      const answer = await send({ address: provider.person });
      expect([answer.status, answer.body.code]).toEqual([422, 'recipient_opted_out']);
      expect(await rows(sql`SELECT id FROM end_user WHERE org_id = ${orgId}`)).toHaveLength(0);
    },
  );

  test('a new message from a suppressed address is stored but not answered', async () => {
    await erase({ opted_out: true });
    expect(await writes('hello again')).toBe(200);
    const run = async () => (await rows(sql`SELECT status, reason FROM run WHERE org_id = ${orgId}`))[0];
    await expect.poll(run).toMatchObject({ status: 'skipped', reason: 'opted_out' });
    const [person] = await rows(sql`SELECT consent FROM end_user WHERE org_id = ${orgId}`);
    expect(person).toMatchObject({ consent: { [kind]: { status: 'opted_out' } } });
    expect(provider.delivered).toHaveLength(1);
  });

  test('a person who was erased without an opt-out is messaged like any other', async () => {
    await erase({});
    expect((await send({ address: provider.person })).status).toBe(202);
    await expect.poll(() => provider.delivered.length).toBe(2);
  });
});

test('a returning phone number stays opted out, but only on the same kind of channel', async () => {
  const provider = await startTwilio();
  const orgId = await givenOrganization(parley.db);
  const { agentId } = await givenAgent(parley.db, orgId);
  const { settings, secrets } = provider;
  const { sealingKey } = parley.secrets;
  const options = { kind: 'sms', settings, secrets, sealingKey };
  const channelId = await givenChannel(parley.db, orgId, agentId, options);
  const sandboxId = await givenChannel(parley.db, orgId, agentId, { kind: 'sandbox' });
  const { value: key } = await parley.key(orgId, { permissions: ['channels', 'end_users'] });
  const phone = provider.person;
  const { body } = await parley.call('POST', '/api/end-users', { key, body: { phone } });
  await parley.call('PUT', `/api/end-users/${body.id}/consent/sms`, { key, body: { status: 'opted_out' } });
  await parley.call('DELETE', `/api/end-users/${body.id}`, { key });
  const send = (channel: string) =>
    parley.call('POST', `/api/channels/${agentId}/${channel}/messages`, {
      key,
      body: { to: { end_user: { phone } }, content: { type: 'text', text: 'Hi' } },
    });
  expect((await send(channelId)).body.code).toBe('recipient_opted_out');
  const { status, body: accepted } = await send(sandboxId);
  expect(status).toBe(202);
  const person = await parley.call('GET', `/api/end-users/${accepted.end_user_id}`, { key });
  expect(person.body.consent).toMatchObject({ sms: { status: 'opted_out' } });
  await provider.stop();
});
