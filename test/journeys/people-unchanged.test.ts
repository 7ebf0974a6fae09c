import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newId } from '../../src/kernel/ids.ts';
import { campaign } from '../../src/store/schema/campaign.ts';
import { type Answer, startTestApp, type TestApp } from '../app.ts';
import { givenAgent, givenOrganization, givenTrigger } from '../factories.ts';

/** A key without `end_users` finds people, creates new ones and fills empty fields; it changes no existing value. */
let parley: TestApp;
let orgId: string;
let agentId: string;
let triggerId: string;
let channelId: string;
let campaignId: string;
const keys: Record<'agent' | 'organization' | 'campaign' | 'full', string> = {
  agent: '',
  organization: '',
  campaign: '',
  full: '',
};

beforeAll(async () => {
  parley = await startTestApp({
    PARLEY_LIMITS:
      '{"triggers":{"key":10000,"organization":10000},"channels":{"key":10000,"organization":10000},"campaigns":{"key":10000,"organization":10000},"end_users":{"key":10000,"organization":10000}}',
  });
  orgId = await givenOrganization(parley.db);
  ({ agentId, channelId } = await givenAgent(parley.db, orgId));
  triggerId = await givenTrigger(parley.db, orgId, agentId);
  campaignId = newId('campaign');
  await parley.db
    .insert(campaign)
    .values({ orgId, id: campaignId, agentId, channelId, name: 'Test', state: 'live', settings: {}, attended: true });
  const value = async (options: Parameters<TestApp['key']>[1]) => (await parley.key(orgId, options)).value;
  keys.agent = await value({ scope: 'agent', agentId, permissions: ['triggers', 'channels'] });
  keys.organization = await value({ permissions: ['triggers', 'channels'] });
  keys.campaign = await value({ scope: 'campaign', campaignId, permissions: ['campaigns'] });
  keys.full = await value({ permissions: ['triggers', 'channels', 'end_users'] });
});
afterAll(() => parley.stop());

const KNOWN = {
  name: 'Asha Rao',
  email: 'asha@example.qa',
  phone: '+97430000001',
  locale: 'ar',
  time_zone: 'Asia/Qatar',
  attributes: { tier: 'gold', seats: 4 },
};
const OTHER = {
  name: 'Mallory',
  email: 'mallory@example.net',
  phone: '+97430000666',
  locale: 'en',
  time_zone: 'Europe/Paris',
  attributes: { tier: 'none', seats: null, note: 'new' },
};
const LEFT = ['name', 'email', 'phone', 'locale', 'time_zone', 'attributes.tier', 'attributes.seats'];

let n = 0;
let external: string;
/**
 * The identifiers of this test's people. Each is unique, because an e-mail address belongs to one person of the
 * organization.
 */
const own = <P extends { email: string; phone: string }>(person: P): P => ({
  ...person,
  email: `t${n}-${person.email}`,
  phone: `${person.phone.slice(0, 9)}${String(n).padStart(3, '0')}${person.phone.slice(-1)}`,
});
beforeEach(() => {
  external = `crm-${++n}`;
});

const put = (fields: object) =>
  parley.call('PUT', `/api/end-users/external/${external}`, { key: keys.full, body: fields });
const stored = async (name = external) =>
  (await parley.call('GET', `/api/end-users?external_id=${name}`, { key: keys.full })).body.data[0];

type Said = { external_id?: string } & Record<string, unknown>;
type Ways = 'trigger' | 'send' | 'recipients' | 'mcp';
type Sent = { status: number; unchanged: string[] | undefined; refused?: string; answer: Answer };

const trigger = async (endUser: Said, more: object = {}, key = keys.agent, headers = {}): Promise<Sent> => {
  const answer = await parley.call('POST', `/api/triggers/${agentId}/${triggerId}`, {
    key,
    body: { end_user: endUser, ...more },
    headers,
  });
  return { status: answer.status, unchanged: answer.body.unchanged, refused: answer.body.code, answer };
};
const send = async (endUser: Said, key = keys.agent, headers = {}): Promise<Sent> => {
  const answer = await parley.call('POST', `/api/channels/${agentId}/${channelId}/messages`, {
    key,
    body: { to: { end_user: endUser }, content: { type: 'text', text: 'Hello' } },
    headers,
  });
  return { status: answer.status, unchanged: answer.body.unchanged, refused: answer.body.code, answer };
};
const push = async (people: Said[], headers = {}): Promise<Answer> =>
  parley.call('POST', `/api/campaigns/${campaignId}/recipients`, {
    key: keys.campaign,
    body: { recipients: people.map((endUser) => ({ end_user: endUser })) },
    headers,
  });
const byMcp = async (endUser: Said): Promise<Sent> => {
  const answer = await parley.call('POST', '/mcp', {
    key: keys.agent,
    headers: { accept: 'application/json, text/event-stream' },
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'startConversation',
        arguments: { agent_id: agentId, trigger_id: triggerId, body: { end_user: endUser } },
      },
    },
  });
  const text = /^data: (.*)$/m.exec(answer.text)?.[1] ?? answer.text;
  const result = JSON.parse(JSON.parse(text).result.content[0].text);
  return { status: 202, unchanged: result.unchanged, refused: result.code, answer };
};

const ways: Record<Ways, (endUser: Said) => Promise<Sent>> = {
  trigger: (endUser) => trigger(endUser),
  send: (endUser) => send(endUser),
  recipients: async (endUser) => {
    const answer = await push([endUser]);
    const [result] = answer.body.results;
    return { status: answer.status, unchanged: result.unchanged, refused: result.reason, answer };
  },
  mcp: byMcp,
};

describe.each(Object.keys(ways) as Ways[])('a key without end_users, by %s', (way) => {
  test('a call without end_users does not change stored values, and lists their fields in the response', async () => {
    await put(own(KNOWN));
    const before = await stored();
    const { status, unchanged } = await ways[way]({ external_id: external, ...own(OTHER) });
    expect(status).toBe(202);
    expect(unchanged).toEqual(LEFT);
    expect(await stored()).toMatchObject({
      ...own(KNOWN),
      id: before.id,
      attributes: { tier: 'gold', seats: 4, note: 'new' },
    });
  });

  test('a call without end_users fills an empty field and does not list it in the response', async () => {
    await put({ name: 'Asha Rao' });
    const { unchanged } = await ways[way]({ external_id: external, ...own(KNOWN) });
    expect(unchanged).toBeUndefined();
    expect(await stored()).toMatchObject(own(KNOWN));
  });

  test('a call does not list a value that is already stored, in any spelling', async () => {
    await put(own(KNOWN));
    const before = await stored();
    const same = { ...own(KNOWN), email: own(KNOWN).email.toUpperCase() };
    expect((await ways[way]({ external_id: external, ...same })).unchanged).toBeUndefined();
    expect((await stored()).updated_at).toBe(before.updated_at);
  });

  test('a call without end_users creates a new person with all its values', async () => {
    const { unchanged } = await ways[way]({ external_id: external, ...own(KNOWN) });
    expect(unchanged).toBeUndefined();
    expect(await stored()).toMatchObject(own(KNOWN));
  });

  test('a call does not add an address that belongs to another person', async () => {
    await put({ name: 'Asha Rao' });
    const holder = external;
    await put(own(KNOWN));
    external = `crm-${++n}`;
    await put({ name: 'Omar' });
    const { email } = await stored(holder);
    const { refused } = await ways[way]({ external_id: external, email });
    expect(refused).toBe('already_exists');
    expect((await stored()).email).toBeNull();
  });
});

describe('with end_users', () => {
  test('an organization key with end_users changes people by triggers and sends', async () => {
    await put(own(KNOWN));
    const sent = await trigger({ external_id: external, name: 'Asha R.', attributes: { tier: null } }, {}, keys.full);
    expect(sent.unchanged).toBeUndefined();
    expect(await stored()).toMatchObject({ name: 'Asha R.', attributes: { seats: 4 } });
    expect((await send({ external_id: external, name: 'Asha Q.' }, keys.full)).unchanged).toBeUndefined();
    expect(await stored()).toMatchObject({ name: 'Asha Q.' });
  });
});

describe('an organization key without end_users', () => {
  test('an organization key without end_users can also only fill empty fields', async () => {
    await put(own(KNOWN));
    expect((await trigger({ external_id: external, name: 'X' }, {}, keys.organization)).unchanged).toEqual(['name']);
    expect((await send({ external_id: external, name: 'X' }, keys.organization)).unchanged).toEqual(['name']);
    expect(await stored()).toMatchObject(own(KNOWN));
  });
});

describe('the answer', () => {
  test('the response lists the same fields when the call is repeated with its Idempotency-Key', async () => {
    await put(own(KNOWN));
    const headers = { 'idempotency-key': `again-${external}` };
    for (const act of [
      () => trigger({ external_id: external, name: 'X' }, {}, keys.agent, headers),
      () => send({ external_id: external, name: 'X' }, keys.agent, headers),
    ]) {
      const first = await act();
      const again = await act();
      expect(first.unchanged).toEqual(['name']);
      expect(again.answer.headers.get('idempotent-replayed')).toBe('true');
      expect(again.answer.text).toBe(first.answer.text);
    }
    const first = await push([{ external_id: external, name: 'X' }], headers);
    expect((await push([{ external_id: external, name: 'X' }], headers)).text).toBe(first.text);
  });

  test('the response to a dry run and to a waiting call also lists the unchanged fields', async () => {
    await put(own(KNOWN));
    const dry = await trigger({ external_id: external, name: 'X' }, { dry_run: true });
    expect(dry.answer.body).toMatchObject({ dry_run: true, unchanged: ['name'] });
    const free = await trigger({ external_id: external, name: 'X' }, { dry_run: true }, keys.full);
    expect(free.answer.body).not.toHaveProperty('unchanged');
    const waited = await trigger({ external_id: external, name: 'X' }, {}, keys.agent, { prefer: 'wait=20' });
    expect(waited.answer.body).toMatchObject({ messages: [expect.anything()], unchanged: ['name'] });
  });

  test('the response lists the unchanged fields of each recipient', async () => {
    await put(own(KNOWN));
    const { body } = await push([
      { external_id: external, name: 'X' },
      { external_id: `${external}-new`, name: 'First' },
      { external_id: `${external}-new`, name: 'Second' },
    ]);
    expect(body.results.map((one: { unchanged?: string[] }) => one.unchanged)).toEqual([['name'], undefined, ['name']]);
    expect(await stored(`${external}-new`)).toMatchObject({ name: 'First' });
  });
});

describe('a conversation that a call starts', () => {
  test('a new conversation does not use an address that the call names but that is not stored for the person', async () => {
    await put(own(KNOWN));
    const email = newId('channel');
    await parley.db.execute(sql`INSERT INTO channel (org_id, id, agent_id, kind, name, enabled, settings)
      VALUES (${orgId}, ${email}, ${agentId}, 'email', 'Mail', true, '{}')`);
    const addressOf = async (sent: Sent) =>
      (
        await parley.db.execute<{ address: string | null }>(
          sql`SELECT address FROM conversation WHERE org_id = ${orgId} AND id = ${sent.answer.body.conversation_id}`,
        )
      ).rows[0]!.address;
    const channel = { id: email };
    const fields = { external_id: external, email: own(OTHER).email };
    const later = { send_at: new Date(Date.now() + 3_600_000).toISOString() };
    const dry = await trigger(fields, { channel, dry_run: true });
    expect(dry.answer.body.recipient.address).toBe(own(KNOWN).email);
    expect(await addressOf(await trigger(fields, { channel, ...later }))).toBeNull();
    // An address on the channel in the call takes precedence.
    const named = { channel: { ...channel, address: own(OTHER).email }, ...later };
    expect(await addressOf(await trigger(fields, named))).toBe(own(OTHER).email);
    expect(await addressOf(await trigger(fields, { channel, ...later }, keys.full))).toBe(own(OTHER).email);
  });
});
