import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestApp, startTestApp } from '../../../../test/app.ts';
import { givenAgent, givenOrganization, givenTrigger } from '../../../../test/factories.ts';

let parley: TestApp;
let orgId: string;
let key: string;
let triggerPath: string;

beforeAll(async () => {
  parley = await startTestApp();
  orgId = await givenOrganization(parley.db);
  const { agentId } = await givenAgent(parley.db, orgId);
  triggerPath = `/api/triggers/${agentId}/${await givenTrigger(parley.db, orgId, agentId)}`;
  key = (await parley.key(orgId, { permissions: ['end_users', 'triggers'] })).value;
});
afterAll(() => parley.stop());

const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  parley.call(method, path, { key, body, headers });
const people = '/api/end-users';

describe('201', () => {
  test('creates a person and returns the location', async () => {
    const answer = await call('POST', people, {
      external_id: 'c-1',
      name: 'Asha',
      email: 'Asha@Example.QA',
      phone: '+97430000001',
      locale: 'ar',
      time_zone: 'Asia/Qatar',
      attributes: { plan: 'gold' },
      tags: ['vip', 'vip'],
    });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('location')).toBe(`${parley.config.baseUrl}${people}/${answer.body.id}`);
    expect(answer.body).toMatchObject({
      external_id: 'c-1',
      email: 'asha@example.qa',
      tags: ['vip'],
      identities: [],
      consent: {},
      blocked: false,
      last_seen_at: null,
    });
    const read = await call('GET', `${people}/${answer.body.id}`);
    expect([read.status, read.body]).toEqual([200, answer.body]);
  });

  test('an upsert creates, then changes, then finds: attributes merge, null removes, the rest stays', async () => {
    const at = `${people}/external/u-1`;
    const first = await call('PUT', at, { name: 'Noor', attributes: { a: 1, b: 2 } });
    expect(first.status).toBe(201);
    const second = await call('PUT', at, { attributes: { b: null, c: 3 }, tags: ['x'], email: 'noor@example.qa' });
    expect([second.status, second.body.id]).toEqual([200, first.body.id]);
    expect(second.body).toMatchObject({
      name: 'Noor',
      attributes: { a: 1, c: 3 },
      tags: ['x'],
      email: 'noor@example.qa',
    });
    expect((await call('GET', `${people}/${first.body.id}`)).body).toEqual(second.body);
    const third = await call('PUT', at, { email: null });
    expect([third.status, third.body.email, third.body.name]).toEqual([200, null, 'Noor']);
    expect((await call('PUT', at, {})).body).toEqual(third.body);
  });

  test('attributes merge up to the limit of one person, from any caller', async () => {
    const many = (prefix: string, count: number, value: unknown = 'x') =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`${prefix}${n}`, value]));
    const at = `${people}/external/u-full`;
    const { body: person } = await call('PUT', at, { attributes: many('a', 99) });
    expect((await call('PUT', at, { attributes: many('b', 1) })).status).toBe(200);
    const errors = [{ pointer: '/attributes', code: 'too_many' }];
    for (const [method, path] of [
      ['PUT', at],
      ['PATCH', `${people}/${person.id}`],
    ] as const)
      expect(await call(method, path, { attributes: many('c', 1) })).toMatchObject({ status: 422, body: { errors } });
    const bulk = await call('POST', `${people}/bulk`, {
      end_users: [
        { external_id: 'u-full', attributes: many('c', 1) },
        { external_id: 'u-full', name: 'Full' },
      ],
    });
    expect(bulk.body.results).toMatchObject([{ status: 'invalid', errors }, { status: 'updated' }]);
    const traded = await call('PUT', at, { attributes: { ...many('a', 50, null), ...many('c', 50) } });
    expect([traded.status, Object.keys(traded.body.attributes).length]).toEqual([200, 100]);
  });

  test('many simultaneous upserts of one person create one person', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => call('PUT', `${people}/external/u-many`, { attributes: { [`n${n}`]: n } })),
    );
    expect(answers.filter(({ status }) => status !== 200).map(({ status, body }) => [status, body.code])).toEqual([
      [201, undefined],
    ]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    const read = await call('GET', `${people}/${answers[0]!.body.id}`);
    expect(Object.keys(read.body.attributes)).toHaveLength(50);
  });

  test('an external id may contain characters that a path must encode', async () => {
    const answer = await call('PUT', `${people}/external/${encodeURIComponent('a/b c?é')}`, {});
    expect(answer.body.external_id).toBe('a/b c?é');
  });
});

describe('409', () => {
  test('a conflict names the person who has the identifier', async () => {
    const { body: holder } = await call('POST', people, { email: 'taken@example.qa' });
    const made = await call('POST', people, { email: 'TAKEN@example.qa' });
    expect([made.status, made.body.code, made.body.existing_id]).toEqual([409, 'already_exists', holder.id]);
    await call('PUT', `${people}/external/mine`, { phone: '+97430000009' });
    await call('PUT', `${people}/external/other`, {});
    const upserted = await call('PUT', `${people}/external/other`, { phone: '+97430000009' });
    expect([upserted.status, upserted.body.code]).toEqual([409, 'already_exists']);
    const { body: other } = await call('POST', people, { name: 'Other' });
    const patched = await call('PATCH', `${people}/${other.id}`, { external_id: 'mine' });
    expect([patched.status, patched.body.code]).toEqual([409, 'already_exists']);
  });

  test('a person with only an e-mail is updated, not duplicated', async () => {
    const { body: known } = await call('POST', people, { email: 'known@example.qa', name: 'Known' });
    const answer = await call('PUT', `${people}/external/known-1`, { email: 'known@example.qa' });
    expect([answer.status, answer.body.id, answer.body.external_id]).toEqual([200, known.id, 'known-1']);
  });
});

describe('422', () => {
  test.each([
    [{ phone: '+999123456789' }, '/phone', 'format'],
    [{ phone: '97430000000' }, '/phone', 'format'],
    [{ email: 'nobody' }, '/email', 'format'],
    [{ locale: 'not a locale' }, '/locale', 'format'],
    [{ time_zone: 'Mars/Olympus' }, '/time_zone', 'format'],
    [{ nonsense: 1 }, '/nonsense', 'unknown_field'],
    [{ id: 'enduser_01k8v3m9e5f7rsm6z4n0q2x1af' }, '/id', 'unknown_field'],
    [{ tags: ['ok', ''] }, '/tags/1', 'too_short'],
    [{ blocked: 'yes' }, '/blocked', 'type'],
  ])('%j', async (body, pointer, code) => {
    for (const [method, path] of [
      ['POST', people],
      ['PUT', `${people}/external/bad`],
    ] as const) {
      const answer = await call(method, path, body);
      expect([answer.status, answer.body.errors]).toMatchObject([422, [{ pointer, code }]]);
    }
  });

  test('an empty external id matches no person', async () => {
    const answer = await call('PUT', `${people}/external/`, { name: 'Nobody' });
    expect([answer.status, answer.body.errors]).toMatchObject([422, [{ pointer: '/external_id', code: 'too_short' }]]);
  });

  test('a trigger checks phone numbers against the same plans', async () => {
    const answer = await call('POST', triggerPath, { end_user: { phone: '+999123456789' } });
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([422, '/end_user/phone']);
  });
});

describe('404', () => {
  test.each(['enduser_01k8v3m9e5f7rsm6z4n0q2x1af', 'x', 'agent_01k8v3m9e5f7rsm6z4n0q2x1af'])(
    'for the id %s on every path',
    async (id) => {
      for (const [method, rest, body] of [
        ['GET', ''],
        ['PATCH', '', {}],
        ['DELETE', ''],
        ['GET', '/conversations'],
        ['GET', '/conversations/conv_01k8v3m9e5f7rsm6z4n0q2x1af/messages'],
        ['GET', '/export'],
        ['PUT', '/consent/whatsapp', { status: 'opted_in' }],
      ] as const) {
        const answer = await call(method, `${people}/${id}${rest}`, body);
        expect([method, rest, answer.status, answer.body.code]).toEqual([method, rest, 404, 'end_user_not_found']);
      }
    },
  );

  test("another organization's person is not found", async () => {
    const other = await givenOrganization(parley.db);
    const theirs = (await parley.key(other, { permissions: ['end_users'] })).value;
    const { body: person } = await call('POST', people, { name: 'Mine' });
    for (const [method, rest] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/conversations'],
      ['GET', '/export'],
    ] as const)
      expect((await parley.call(method, `${people}/${person.id}${rest}`, { key: theirs })).status).toBe(404);
    expect((await parley.call('PATCH', `${people}/${person.id}`, { key: theirs, body: { name: 'x' } })).status).toBe(
      404,
    );
    expect((await parley.call('GET', people, { key: theirs })).body.data).toEqual([]);
    expect((await parley.call('PUT', `${people}/external/c-1`, { key: theirs, body: {} })).status).toBe(201);
    expect((await call('GET', `${people}/${person.id}`)).body.name).toBe('Mine');
  });
});

describe('403', () => {
  test('the family requires its permission on every path', async () => {
    const { value } = await parley.key(orgId, { permissions: ['triggers', 'channels'] });
    for (const [method, path] of [
      ['POST', people],
      ['GET', people],
      ['PUT', `${people}/external/x`],
      ['POST', `${people}/search`],
      ['POST', `${people}/bulk`],
      ['DELETE', `${people}/x`],
      ['GET', `${people}/x/export`],
    ] as const) {
      const answer = await parley.call(method, path, { key: value });
      expect([path, answer.status, answer.body.code]).toEqual([path, 403, 'permission_missing']);
      expect(answer.body.required_permission).toBe('end_users');
    }
  });
});

describe('401', () => {
  test('a key that is revoked after the check writes nothing', async () => {
    const { id, value } = await parley.key(orgId, { permissions: ['end_users'] });
    await parley.call('GET', people, { key: value });
    // Bypasses the directory, as for a node that was paused between check and write.
    await parley.db.execute(sql`UPDATE api_key SET revoked_at = now() WHERE id = ${id}`);
    const answers = await Promise.all([
      parley.call('POST', people, { key: value, body: { external_id: 'ghost' } }),
      parley.call('PUT', `${people}/external/ghost`, { key: value, body: {} }),
      parley.call('POST', `${people}/bulk`, { key: value, body: { end_users: [{ external_id: 'ghost' }] } }),
    ]);
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
      Array.from({ length: 3 }, () => [401, 'key_revoked']),
    );
    expect((await call('GET', `${people}?external_id=ghost`)).body.data).toEqual([]);
  });
});

describe('idempotency', () => {
  test('a repeated POST creates one person and gives the same answer', async () => {
    const headers = { 'idempotency-key': 'make-1' };
    const first = await call('POST', people, { external_id: 'i-1' }, headers);
    const second = await call('POST', people, { external_id: 'i-1' }, headers);
    expect([second.status, second.body]).toEqual([201, first.body]);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    const other = await call('POST', people, { external_id: 'i-2' }, headers);
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_mismatch']);
  });

  test('so does a bulk call, even an empty one', async () => {
    for (const [name, rows] of [
      ['bulk-1', [{ external_id: 'i-b' }]],
      ['bulk-2', [{ name: 'nobody' }]],
    ] as const) {
      const headers = { 'idempotency-key': name };
      const first = await call('POST', `${people}/bulk`, { end_users: rows }, headers);
      const second = await call('POST', `${people}/bulk`, { end_users: rows }, headers);
      expect([second.headers.get('idempotent-replayed'), second.body]).toEqual(['true', first.body]);
    }
  });
});

describe('bulk', () => {
  test('results are in order, wrong rows fail alone, rows may name the same person', async () => {
    const { body: holder } = await call('POST', people, { external_id: 'b-holder', phone: '+97430000077' });
    const answer = await call('POST', `${people}/bulk`, {
      end_users: [
        { external_id: 'b-1', name: 'One' },
        { external_id: 'b-2', phone: 'wrong' },
        { name: 'Nobody' },
        7,
        { external_id: 'b-1', attributes: { again: true } },
        { external_id: 'b-3', phone: '+97430000077' },
        { external_id: 'b-holder', name: 'Holder' },
      ],
    });
    expect(answer.status).toBe(422);
    const right = await call('POST', `${people}/bulk`, {
      end_users: [
        { external_id: 'b-1', name: 'One' },
        { external_id: 'b-2', phone: 'wrong' },
        { name: 'Nobody' },
        { external_id: 'b-1', attributes: { again: true } },
        { external_id: 'b-3', phone: '+97430000077' },
        { external_id: 'b-holder', name: 'Holder' },
      ],
    });
    expect(right.status).toBe(200);
    const { results } = right.body;
    expect(results.map(({ index, status }: { index: number; status: string }) => [index, status])).toEqual([
      [0, 'created'],
      [1, 'invalid'],
      [2, 'invalid'],
      [3, 'updated'],
      [4, 'invalid'],
      [5, 'updated'],
    ]);
    expect(results[1].errors).toMatchObject([{ pointer: '/phone', code: 'format' }]);
    expect(results[4].errors[0].code).toBe('already_exists');
    expect([results[3].id, results[5].id]).toEqual([results[0].id, holder.id]);
    const one = await call('GET', `${people}/${results[0].id}`);
    expect(one.body).toMatchObject({ name: 'One', attributes: { again: true } });
  });

  test('accepts 500 rows with more keys than another body may have', async () => {
    const rows = Array.from({ length: 500 }, (_, n) => ({
      external_id: `k-${n}`,
      name: 'N',
      attributes: { a: 1, b: 2 },
    }));
    const answer = await call('POST', `${people}/bulk`, { end_users: rows });
    expect(answer.body.results.filter((row: { status: string }) => row.status === 'created')).toHaveLength(500);
    const more = await call('POST', `${people}/bulk`, { end_users: [...rows, { external_id: 'k-500' }] });
    expect(more.status).toBe(422);
  });
});

const namesOf = (answer: { body: { data: { external_id: string }[] } }) =>
  answer.body.data.map((person) => person.external_id);

describe('lists and search', () => {
  let org: string;
  let ours: string;
  const ask = (method: string, path: string, body?: unknown) => parley.call(method, path, { key: ours, body });

  beforeAll(async () => {
    org = await givenOrganization(parley.db);
    ours = (await parley.key(org, { permissions: ['end_users'] })).value;
    for (const person of [
      { external_id: 's-1', name: 'Asha Khan', email: 'asha@example.qa', phone: '+97430000100', tags: ['vip'] },
      { external_id: 's-2', name: 'Omar Ashraf', attributes: { plan: 'gold', seats: 3 }, tags: ['vip', 'new'] },
      { external_id: 's-3', name: 'ليلى حسن', email: 'layla@example.qa', attributes: { plan: 'free' } },
      { external_id: 'ash-4', attributes: { plan: 'gold' } },
    ])
      await ask('POST', people, person);
  });

  test('pages follow one another, newest first, and the cursor is valid for this list only', async () => {
    const first = await ask('GET', `${people}?limit=3`);
    expect([namesOf(first), first.body.has_more]).toEqual([['ash-4', 's-3', 's-2'], true]);
    const second = await ask('GET', `${people}?limit=3&cursor=${first.body.next_cursor}`);
    expect([namesOf(second), second.body]).toMatchObject([['s-1'], { has_more: false, next_cursor: null }]);
    const foreign = await ask('GET', `${people}?limit=3&tag=vip&cursor=${first.body.next_cursor}`);
    expect([foreign.status, foreign.body.code]).toEqual([400, 'cursor_invalid']);
  });

  test.each([
    ['external_id=s-1', ['s-1']],
    ['email=ASHA@example.qa', ['s-1']],
    ['phone=%2B97430000100', ['s-1']],
    ['tag=vip', ['s-2', 's-1']],
    ['tag=vip&external_id=s-2', ['s-2']],
    ['tag=nobody', []],
    ['updated_after=2020-01-01T00:00:00Z', ['ash-4', 's-3', 's-2', 's-1']],
    [`updated_after=2100-01-01T00:00:00Z`, []],
  ])('filters by %s', async (query, expected) => {
    expect(namesOf(await ask('GET', `${people}?${query}`))).toEqual(expected);
  });

  test('updated_after finds people who changed long after they were created', async () => {
    await parley.db.execute(sql`UPDATE end_user SET created_at = '2026-01-01', updated_at = '2026-01-01',
      id = 'enduser_01kdvr0000' || right(id, 16) WHERE org_id = ${org} AND external_id IN ('s-1', 's-3')`);
    const since = new Date(Date.now() - 3_600_000).toISOString();
    expect(namesOf(await ask('GET', `${people}?updated_after=${since}`))).toEqual(['ash-4', 's-2']);
    await ask('PUT', `${people}/external/s-3`, { attributes: { seen: true } });
    expect(namesOf(await ask('GET', `${people}?updated_after=${since}`))).toEqual(['ash-4', 's-2', 's-3']);
  });

  test.each([
    [{ query: 'ash' }, ['ash-4', 's-2', 's-1']],
    [{ query: 'Khan ash' }, ['s-1']],
    [{ query: 'ليلى' }, ['s-3']],
    [{ query: 'LAYLA@' }, ['s-3']],
    [{ query: '+974 3000 0100' }, ['s-1']],
    [{ query: '%' }, []],
    [{ query: "a'b | !c" }, []],
    [{ filter: { attributes: { plan: 'gold' } } }, ['ash-4', 's-2']],
    [{ filter: { attributes: { plan: 'gold', seats: 3 } } }, ['s-2']],
    [{ filter: { tags: ['vip', 'new'] } }, ['s-2']],
    [{ query: 'om', filter: { tags: ['vip'], attributes: { plan: 'gold' } } }, ['s-2']],
    [{ filter: { blocked: true } }, []],
    [{ filter: { email: 'Layla@example.qa' } }, ['s-3']],
    [{}, ['ash-4', 's-2', 's-3', 's-1']],
  ])('finds %j', async (body, expected) => {
    const answer = await ask('POST', `${people}/search`, body);
    expect([answer.status, new Set(namesOf(answer))]).toEqual([200, new Set(expected)]);
  });
});

describe('consent', () => {
  test('a trigger obeys an opt-out immediately', async () => {
    const { body: person } = await call('POST', people, { external_id: 'consent-1' });
    const answer = await call('PUT', `${people}/${person.id}/consent/sandbox`, { status: 'opted_out', source: 'form' });
    expect([answer.status, answer.body.consent.sandbox]).toMatchObject([200, { status: 'opted_out', source: 'form' }]);
    expect(answer.body.consent.sandbox.at).toBe(new Date(answer.body.consent.sandbox.at).toISOString());
    const run = await call('POST', triggerPath, { end_user: { id: person.id } }, { prefer: 'wait=20' });
    const read = await call('GET', `${triggerPath}/runs/${run.body.id}`);
    expect(read.body).toMatchObject({ status: 'skipped', reason: 'opted_out' });
  });

  test.each(['No%20Kind', 'watsapp', 'web-chat', 'constructor'])(
    'of a kind that no channel has (%s) is refused: it would have no effect',
    async (kind) => {
      const { body: person } = await call('PUT', `${people}/external/consent-2`, {});
      const answer = await call('PUT', `${people}/${person.id}/consent/${kind}`, { status: 'opted_out' });
      expect([answer.status, answer.body.errors[0].pointer]).toEqual([422, '/channel_kind']);
      expect(answer.body.errors[0].detail).toContain('web_chat, webhook');
    },
  );
});

describe('conversations', () => {
  test('of a person, their messages, and everything in one export', async () => {
    const { body: run } = await call(
      'POST',
      triggerPath,
      { end_user: { external_id: 'talk-1', name: 'Talker' }, message: 'Hello there', metadata: { source: 'crm' } },
      { prefer: 'wait=20' },
    );
    const at = `${people}/${run.end_user_id}`;
    const conversations = await call('GET', `${at}/conversations`);
    expect(conversations.body.data).toMatchObject([
      { id: run.conversation_id, channel_kind: 'sandbox', status: 'open' },
    ]);
    const messages = await call('GET', `${at}/conversations/${run.conversation_id}/messages?limit=1`);
    expect(messages.body).toMatchObject({ data: [{ role: 'agent' }], has_more: true });
    const more = await call(
      'GET',
      `${at}/conversations/${run.conversation_id}/messages?cursor=${messages.body.next_cursor}`,
    );
    expect(more.body.data.at(-1)).toMatchObject({ role: 'end_user', content: { type: 'text', text: 'Hello there' } });
    const { body: other } = await call('POST', people, {});
    const foreign = await call('GET', `${people}/${other.id}/conversations/${run.conversation_id}/messages`);
    expect([foreign.status, foreign.body.code]).toEqual([404, 'conversation_not_found']);
    const everything = await call('GET', `${at}/export`);
    expect(everything.headers.get('content-disposition')).toContain(run.end_user_id);
    expect(everything.body).toMatchObject({
      end_user: { name: 'Talker' },
      conversations: [{ id: run.conversation_id }],
      messages: [{ role: 'end_user', content: { text: 'Hello there' } }, { role: 'agent' }],
      runs: [{ id: run.id, input: { metadata: { source: 'crm' } } }],
      recipients: [],
    });
  });
});

describe('429', () => {
  test('the family has its own rate limit', async () => {
    const limited = await startTestApp({ PARLEY_LIMITS: '{"end_users":{"key":2,"organization":10}}' });
    const org = await givenOrganization(limited.db);
    const { value } = await limited.key(org, { permissions: ['end_users'] });
    const statuses = [];
    for (const path of [people, `${people}/x`, people]) {
      const answer = await limited.call('GET', path, { key: value });
      statuses.push([answer.status, answer.headers.get('retry-after')]);
    }
    await limited.stop();
    expect(statuses).toEqual([
      [200, null],
      [404, null],
      [429, '60'],
    ]);
  });
});
