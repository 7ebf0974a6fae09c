import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestApp, startTestApp } from '../app.ts';
import { newId } from '../../src/kernel/ids.ts';
import { givenAgent, givenOrganization, givenTrigger } from '../factories.ts';

/**
 * Erasing a person, proven by a scan: a word is planted everywhere a person's data can come in, then every column of
 * every table is read as text and must not hold it any more. A table that is added later is scanned without being named.
 */
let parley: TestApp;
let orgId: string;
let key: string;
let path: string;
let channelId: string;

beforeAll(async () => {
  parley = await startTestApp();
  orgId = await givenOrganization(parley.db);
  const made = await givenAgent(parley.db, orgId, {
    definition: { opening: { default: 'Hello {{end_user.name}}, {{order}}' } },
  });
  channelId = made.channelId;
  const triggerId = await givenTrigger(parley.db, orgId, made.agentId, {
    variables: [{ name: 'order', type: 'string' }],
  });
  path = `/api/triggers/${made.agentId}/${triggerId}`;
  key = (await parley.key(orgId, { permissions: ['end_users', 'triggers', 'channels'] })).value;
  // Somebody listens, so that events are written too; nobody answers at this address.
  await parley.db.execute(sql`INSERT INTO webhook_endpoint (org_id, id, url, sealed)
    VALUES (${orgId}, ${newId('whk')}, 'https://127.0.0.1:9', '')`);
});
afterAll(() => parley.stop());

const call = (method: string, at: string, body?: unknown, headers: Record<string, string> = {}) =>
  parley.call(method, at, { key, body, headers });

/** Every place (table.column) that holds the word, whatever its type; bytes are read both as text and as hex. */
async function placesOf(word: string): Promise<string[]> {
  const { rows: columns } = await parley.db.execute<{ table: string; column: string; type: string }>(sql`
    SELECT c.relname AS table, a.attname AS column, format_type(a.atttypid, a.atttypmod) AS type
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'`);
  expect(columns.length).toBeGreaterThan(150);
  const places: string[] = [];
  for (const { table, column, type } of columns) {
    const text = type === 'bytea' ? `encode("${column}", 'escape')` : `"${column}"::text`;
    const found = await parley.db.execute<{ n: string }>(
      sql.raw(`SELECT count(*) AS n FROM public."${table}" WHERE ${text} ILIKE '%${word}%'`),
    );
    if (Number(found.rows[0]!.n) > 0) places.push(`${table}.${column}`);
  }
  return places;
}

test('nothing that was planted about a person is found in any column of any table, and the opt-out survives', async () => {
  const word = 'zzplantedzz';
  const phone = '+97430004242';
  const digits = '97430004242';
  const person = {
    external_id: `crm-${word}`,
    name: `Asha ${word}`,
    email: `${word}@example.qa`,
    phone,
    attributes: { [word]: 'a', note: word },
    tags: [word],
  };
  const { body: made } = await call('POST', '/api/end-users', person, { 'idempotency-key': 'erase-1' });
  await call('POST', '/api/end-users/bulk', { end_users: [person] }, { 'idempotency-key': 'erase-2' });
  const run = await call(
    'POST',
    path,
    {
      end_user: { external_id: person.external_id },
      variables: { order: word },
      message: `I am ${word}, call ${phone}`,
      metadata: { who: word },
      conversation: { key: `order-${word}` },
    },
    { prefer: 'wait=10', 'idempotency-key': 'erase-3' },
  );
  expect(run.status).toBe(200);
  await call('POST', path, { end_user: { external_id: person.external_id }, variables: { order: word } });
  const later = await call('POST', path, {
    end_user: { id: made.id },
    variables: { order: word },
    send_at: new Date(Date.now() + 3_600_000).toISOString(),
  });
  await parley.db.execute(sql`INSERT INTO identity (org_id, channel_id, address, end_user_id)
    VALUES (${orgId}, ${channelId}, ${`addr-${word}`}, ${made.id})`);
  await parley.db
    .execute(sql`UPDATE message SET provider_message_id = ${`wamid-${word}`}, error = ${`{"detail":"${word}"}`}::jsonb
    WHERE org_id = ${orgId} AND conversation_id = ${run.body.conversation_id} AND role = 'agent'`);
  await parley.db.execute(sql`INSERT INTO receipt (org_id, channel_id, provider_message_id, status)
    VALUES (${orgId}, ${channelId}, ${`wamid-${word}`}, 'delivered')`);
  await parley.db
    .execute(sql`UPDATE conversation SET address = ${`addr-${word}`}, tags = ARRAY[${word}], state = ${`{"slot":"${word}"}`}::jsonb
    WHERE org_id = ${orgId} AND id = ${run.body.conversation_id}`);
  await call('PUT', `/api/end-users/${made.id}/consent/sandbox`, { status: 'opted_out', source: `said ${word}` });
  // What an endpoint answers may repeat what it was told.
  await parley.db.execute(sql`UPDATE event_delivery d SET history = ${`[{"response":"${word}"}]`}::jsonb
    FROM event e WHERE e.org_id = d.org_id AND e.id = d.event_id AND e.end_user_id = ${made.id}`);

  const planted = await placesOf(word);
  for (const place of [
    'end_user.name',
    'end_user.consent',
    'message.content',
    'run.input',
    'conversation.key',
    'idempotency.body',
    'event.data',
    'event_delivery.history',
  ])
    expect(planted).toContain(place);
  expect(planted).toContain('identity.address');

  const erased = await call('DELETE', `/api/end-users/${made.id}`);
  expect([erased.status, erased.text]).toEqual([204, '']);

  expect(await placesOf(word)).toEqual([]);
  expect(await placesOf(digits)).toEqual([]);
  const told = await parley.db.execute(sql`SELECT data FROM event WHERE type = 'end_user.deleted'`);
  expect(told.rows).toEqual([{ data: { id: made.id } }]);
  expect((await call('GET', `/api/end-users/${made.id}`)).status).toBe(404);
  expect((await call('DELETE', `/api/end-users/${made.id}`)).status).toBe(404);
  expect((await call('GET', `${path}/runs/${later.body.id}`)).body.code).toBe('run_not_found');
  // The key still acts once: the call is not made anew, and says no more than which record it was.
  const replayed = await call('POST', '/api/end-users', person, { 'idempotency-key': 'erase-1' });
  expect([replayed.status, replayed.body]).toEqual([201, { id: made.id, erased: true }]);

  for (const named of [{ external_id: person.external_id }, { email: person.email.toUpperCase() }, { phone }]) {
    const again = await call('POST', path, { end_user: named }, { prefer: 'wait=10' });
    const read = await call('GET', `${path}/runs/${again.body.id}`);
    expect([named, read.body.status, read.body.reason]).toEqual([named, 'skipped', 'opted_out']);
    const { body: reborn } = await call('GET', `/api/end-users/${again.body.end_user_id}`);
    expect(reborn.consent.sandbox).toMatchObject({ status: 'opted_out', source: 'kept' });
    await call('DELETE', `/api/end-users/${reborn.id}`);
  }
  expect(await placesOf(word)).toEqual([]);
});

test('a person who opts in again and is erased leaves no opt-out behind', async () => {
  const { body: made } = await call('POST', '/api/end-users', { email: 'back@example.qa' });
  await call('PUT', `/api/end-users/${made.id}/consent/sandbox`, { status: 'opted_out' });
  await call('DELETE', `/api/end-users/${made.id}`);
  const { body: again } = await call('POST', '/api/end-users', { email: 'back@example.qa' });
  expect(again.consent.sandbox.status).toBe('opted_out');
  await call('PUT', `/api/end-users/${again.id}/consent/sandbox`, { status: 'opted_in' });
  await call('DELETE', `/api/end-users/${again.id}`);
  const { body: last } = await call('POST', '/api/end-users', { email: 'back@example.qa' });
  expect(last.consent).toEqual({});
});

test('an opt-out comes along when an identifier is added later', async () => {
  const { body: made } = await call('POST', '/api/end-users', { phone: '+97430005555' });
  await call('PUT', `/api/end-users/${made.id}/consent/whatsapp`, { status: 'opted_out' });
  await call('DELETE', `/api/end-users/${made.id}`);
  const { body: other } = await call('POST', '/api/end-users', { external_id: 'late' });
  const { body: changed } = await call('PATCH', `/api/end-users/${other.id}`, { phone: '+97430005555' });
  expect(changed.consent.whatsapp.status).toBe('opted_out');
});

test('calls for a person who is being erased make a new person and never fail', async () => {
  const named = { external_id: 'racer' };
  const { body: first } = await call('POST', '/api/end-users', named);
  const calls = Array.from({ length: 60 }, (_, n) =>
    call('POST', path, { end_user: named, variables: { order: `n${n}` } }),
  );
  const erasures = [call('DELETE', `/api/end-users/${first.id}`)];
  const answers = await Promise.all([...calls, ...erasures]);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202, 204]));
  const left = await parley.db.execute<{ n: string }>(
    sql`SELECT count(*) AS n FROM conversation WHERE org_id = ${orgId} AND end_user_id = ${first.id}`,
  );
  expect(Number(left.rows[0]!.n)).toBe(0);
});
