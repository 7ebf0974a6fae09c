import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EventEnvelope } from '../../contract/events.ts';
import { startTestApp, type TestApp } from '../app.ts';
import { givenAgent, givenOrganization, givenTrigger } from '../factories.ts';

/** `GET /api/events`: the events of an organization without any endpoint, for a backend that was away. */
let parley: TestApp;
let orgId: string;
let agentId: string;
let path: string;
let all: string;

beforeAll(async () => {
  parley = await startTestApp();
  orgId = await givenOrganization(parley.db);
  ({ agentId } = await givenAgent(parley.db, orgId));
  path = `/api/triggers/${agentId}/${await givenTrigger(parley.db, orgId, agentId)}`;
  all = (await parley.key(orgId, { permissions: ['triggers', 'end_users'] })).value;
});
afterAll(() => parley.stop());

const list = (query = '', key = all) => parley.call('GET', `/api/events${query}`, { key });
const listed = async (query = '', key = all): Promise<EventEnvelope[]> => (await list(query, key)).body.data;
const start = (body: object = {}) => parley.call('POST', path, { key: all, body, headers: { prefer: 'wait=20' } });

describe('the list of events', () => {
  test('the first call starts the list, which then has each event once, oldest first, page by page', async () => {
    await start();
    expect((await list()).body).toEqual({ data: [], next_cursor: null, has_more: false });
    for (let n = 0; n < 3; n++) expect((await start({ end_user: { external_id: `list-${n}` } })).status).toBe(200);
    await expect.poll(async () => (await listed('?type=message.sent')).length).toBe(3);
    const whole = await listed();
    expect(whole.map(({ type }) => type)).toContain('conversation.started');
    const paged: EventEnvelope[] = [];
    for (let after = ''; ;) {
      const { body } = await list(`?limit=2${after}`);
      paged.push(...body.data);
      expect(body.next_cursor).toBe(body.has_more ? body.data.at(-1).id : null);
      if (!body.has_more) break;
      after = `&after=${body.next_cursor}`;
    }
    expect(paged).toEqual(whole);
    expect(await listed(`?after=${whole.at(-1)!.id}`)).toEqual([]);
    expect(await listed(`?after=${whole[0]!.id}`)).toEqual(whole.slice(1));
    expect(await listed('?after=2020-01-01T00:00:00Z')).toEqual(whole);
    expect(await listed(`?after=${new Date(Date.now() + 60_000).toISOString()}`)).toEqual([]);
  });

  test('the list has an event for a resolved conversation that continues', async () => {
    const { body } = await start({ conversation: { key: 'again' }, end_user: { external_id: 'again' } });
    await parley.db.execute(sql`UPDATE conversation SET status = 'resolved' WHERE id = ${body.conversation_id}`);
    await start({ conversation: { key: 'again' }, end_user: { external_id: 'again' }, message: 'Hello again' });
    const reopened = () => listed('?type=conversation.reopened');
    await expect.poll(async () => (await reopened()).length).toBe(1);
    expect((await reopened())[0]!.data).toMatchObject({ id: body.conversation_id, status: 'open' });
  });

  test('one call of an agent key examines only a part of the events of the organization', async () => {
    const own = await givenOrganization(parley.db);
    const [one, other] = [await givenAgent(parley.db, own), await givenAgent(parley.db, own)];
    const { value } = await parley.key(own, { permissions: ['triggers'], scope: 'agent', agentId: one.agentId });
    const write = (agent: string, from: number, to: number) =>
      parley.db.execute(sql`INSERT INTO event (org_id, id, type, data)
        SELECT ${own}, 'evt_' || lpad(n::text, 26, '0'), 'message.sent', jsonb_build_object('agent_id', ${agent}::text)
        FROM generate_series(${from}::int, ${to}::int) n`);
    await write(other.agentId, 1, 5_000);
    await write(one.agentId, 5_001, 5_002);
    const ids = (body: { data: EventEnvelope[] }) => body.data.map(({ id }) => Number(id.slice(4)));
    // Events are listed when no older transaction is in progress.
    await expect.poll(async () => (await list('', value)).body.has_more).toBe(true);
    const first = (await list('', value)).body;
    expect(ids(first)).toEqual([]);
    const second = async () => (await list(`?after=${first.next_cursor}`, value)).body;
    await expect.poll(async () => ids(await second())).toEqual([5_001, 5_002]);
    expect((await second()).has_more).toBe(false);
  });

  test('the list shows a key only events that its permissions allow', async () => {
    const { value: narrow } = await parley.key(orgId, { permissions: ['triggers'] });
    const other = await givenAgent(parley.db, orgId);
    const { value: own } = await parley.key(orgId, { permissions: ['triggers'], scope: 'agent', agentId });
    const { value: others } = await parley.key(orgId, { permissions: ['triggers'], scope: 'agent', agentId: other.agentId }); // prettier-ignore
    const typesOf = async (key: string) => new Set((await listed('?limit=100', key)).map(({ type }) => type));
    expect([...(await typesOf(all))].some((type) => type.startsWith('end_user.'))).toBe(true);
    expect([...(await typesOf(narrow))].filter((type) => /^(end_user|audit)\./.test(type))).toEqual([]);
    expect(await listed('?type=end_user.created', narrow)).toEqual([]);
    // An event is listed a moment after its change, so it may come between the two calls.
    const listKeys = () => Promise.all([narrow, all].map(async (key) => (await typesOf(key)).has('api_key.created')));
    await expect.poll(async () => new Set(await listKeys()).size).toBe(1);
    const ofAgent = await listed('?limit=100', own);
    expect(ofAgent.length).toBeGreaterThan(5);
    expect(new Set(ofAgent.map(({ data }) => data['agent_id']))).toEqual(new Set([agentId]));
    expect(await listed('', others)).toEqual([]);
    const foreign = await givenOrganization(parley.db);
    const { value: strangers } = await parley.key(foreign, { permissions: ['triggers', 'end_users'] });
    expect(await listed('', strangers)).toEqual([]);
    const someone = await list(`?after=${ofAgent[0]!.id}`, strangers);
    expect([someone.status, someone.body.code]).toEqual([400, 'cursor_invalid']);
  });

  test('the list refuses an invalid query, and a key without the permission', async () => {
    for (const after of ['evt_01jd0000000000000000000000', 'yesterday', '2026', 'msg_1'])
      expect((await list(`?after=${after}`)).body).toMatchObject({ status: 400, code: 'cursor_invalid' });
    expect((await list('?type=audit.recorded')).body.code).toBe('validation_failed');
    const { value } = await parley.key(orgId, { permissions: ['channels'] });
    expect((await list('', value)).body.code).toBe('permission_missing');
  });
});
