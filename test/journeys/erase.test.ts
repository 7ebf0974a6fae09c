import { createHash, createHmac, randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestApp, startTestApp } from '../app.ts';
import { newId } from '../../src/kernel/ids.ts';
import { signWebhook } from '../../src/kernel/standard-webhooks.ts';
import { givenAgent, givenApproval, givenChannel, givenTrigger } from '../factories.ts';
import { type Receiver, startReceiver } from '../fakes/receiver.ts';
import { givenOwner, type Owner } from '../owner.ts';

/** The test walks through many steps, which take 20 s, or 45 s on a busy machine. */
const LONG_MS = 90_000;

/**
 * Proves that a person is erased. A unique word is planted in every place that can contain personal data. Then every
 * column of every table and every log line is read as text and must not contain the word. A new table is scanned
 * automatically. It must also be planted, or be listed below as a table without personal data.
 */
const NOT_ABOUT_PEOPLE = [
  'user', 'session', 'account', 'verification', 'organization', 'member', 'invitation', 'mail', 'weekly_mail', // members
  'second_factor', 'recovery_code', 'passkey',
  'agent', 'agent_version', 'agent_rollout', 'agent_suite', 'agent_test_pass', 'document', 'document_source', 'document_page', 'document_embedding', 'passage_embedding', 'document_question', 'passage_question', 'model_provider', 'tool_secret', 'saved_reply', 'segment', 'conversation_view', 'conversation_mention', 'data_key', 'trigger', 'campaign', // their own records
  'api_key', 'api_key_digest', 'api_key_use', 'refused_origin', 'access_token', 'access_token_digest', 'audit', 'key_usage', 'request_log', 'webhook_endpoint', 'event_tail',
  'installation', 'past_secret', 'running_process', 'cell', 'organization_move', 'authz_clock', 'authz_change', 'node_lease', '__drizzle_migrations',
  'sign_in_provider', 'sign_in_domain', 'sign_in_link', 'proven_domain', 'former_member', 'used_sign_in',
  'suppression', // only digests
  'inbound_event', 'blob_deletion', // only hashes
  'conversation_presence', // ids and moments, for seconds
  'conversation_seen', // ids and moments, deleted with the conversation
  'end_user_import', 'retention', 'campaign_schedule', // counts and columns
  'hand_off_rule', 'member_attendance', // of members
  'attribute_order', 'member_help', // names of columns, switches
  'hand_off', 'numbers_day', 'analytics_day', 'mcp_change', // moments and counts
  'model_turn', 'model_usage', 'model_price', 'model_gate', 'budget', 'budget_reservation', // counts and money
]; // prettier-ignore

const WORD = 'zzplantedzz';
const PHONE = '+97430004242';
const SECRET = `whsec_${createHash('sha256').update('erase').digest('base64')}`;
const SHOP = 'https://shop.example';

let parley: TestApp;
let owner: Owner;
let orgId: string;
let key: string;
let path: string;
let agentId: string;
let channelId: string;
let webhookId: string;
let chatId: string;
let receiver: Receiver;
const lines: object[] = [];

beforeAll(async () => {
  // An endpoint's response may repeat received data, so the responses to events are deleted as well.
  receiver = await startReceiver(({ path: at, body }) => ({
    status: at === '/events' ? 500 : 200,
    text: body.toString(),
  }));
  parley = await startTestApp({ PARLEY_EGRESS_ALLOW: '127.0.0.1', LOG_LEVEL: 'trace' }, { lines });
  owner = await givenOwner(parley);
  ({ orgId } = owner);
  ({ agentId, channelId } = await givenAgent(parley.db, orgId, {
    definition: { opening: { default: 'Hello {{end_user.name}}, {{order}}' } },
  }));
  const connected = { secrets: { secret: SECRET }, sealingKey: parley.secrets.sealingKey };
  const settings = { url: `${receiver.url}/channel` };
  webhookId = await givenChannel(parley.db, orgId, agentId, { kind: 'webhook', settings, ...connected });
  const origins = { allowed_origins: [SHOP] };
  chatId = await givenChannel(parley.db, orgId, agentId, { kind: 'web_chat', settings: origins, ...connected });
  const triggerId = await givenTrigger(parley.db, orgId, agentId, {
    variables: [{ name: 'order', type: 'string' }],
  });
  path = `/api/triggers/${agentId}/${triggerId}`;
  key = (await parley.key(orgId, { permissions: ['end_users', 'triggers', 'channels'] })).value;
  await owner.call('POST /webhooks', { url: `${receiver.url}/events` });
});
afterAll(async () => {
  await parley.stop();
  await receiver.stop();
});

const call = (method: string, at: string, body?: unknown, headers: Record<string, string> = {}) =>
  parley.call(method, at, { key, body, headers });

async function tables(): Promise<{ table: string; column: string; type: string }[]> {
  const { rows } = await parley.db.execute<{ table: string; column: string; type: string }>(sql`
    SELECT quote_ident(n.nspname) || '.' || quote_ident(c.relname) AS table, a.attname AS column,
      format_type(a.atttypid, a.atttypmod) AS type
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'm') AND n.nspname NOT IN ('pg_catalog', 'information_schema')`);
  expect(rows.length).toBeGreaterThan(150);
  return rows;
}

/** Every place (table.column) that contains the word, of any type; bytes are read as text. */
async function placesOf(word: string): Promise<string[]> {
  const places: string[] = [];
  for (const { table, column, type } of await tables()) {
    const text = type === 'bytea' ? `encode("${column}", 'escape')` : `"${column}"::text`;
    const found = await parley.db.execute<{ n: string }>(
      sql.raw(`SELECT count(*) AS n FROM ${table} WHERE ${text} ILIKE '%${word}%'`),
    );
    if (Number(found.rows[0]!.n) > 0) places.push(`${table.replace(/^public\./, '')}.${column}`);
  }
  return places;
}

/** Uploads a file like the dashboard. */
async function importFile(csv: string, dryRun: boolean): Promise<string> {
  const { body: made } = await owner.call('POST /end-user-imports', {
    name: 'people.csv',
    bytes: Buffer.byteLength(csv),
  });
  const at = `/dashboard/api/organizations/${orgId}/end-user-imports/${made.id}/pieces/0`;
  const sent = await fetch(parley.url + at, {
    method: 'PUT',
    headers: { cookie: owner.cookie, 'content-type': 'application/octet-stream' },
    body: csv,
  });
  expect(sent.status).toBe(204);
  const columns = ['external_id', 'name', 'phone', 'time_zone'];
  const settings = { columns, delimiter: ',', encoding: 'utf-8', dry_run: dryRun };
  expect((await owner.call(`POST /end-user-imports/${made.id}/run`, settings)).status).toBe(202);
  const read = async () => (await owner.call(`GET /end-user-imports/${made.id}`)).body;
  await expect.poll(async () => (await read()).state).toBe('done');
  return made.id;
}

/** A signed-in person of the website writes in the web chat. */
async function chat(externalId: string, text: string): Promise<void> {
  const headers = { origin: SHOP };
  const user_hash = createHmac('sha256', SECRET).update(externalId).digest('hex');
  const body = { external_id: externalId, user_hash, name: `Asha ${WORD}` };
  const session = await parley.call('POST', `/chat/${chatId}/sessions`, { body, headers });
  const chatMessage = await parley.call('POST', `/chat/${chatId}/messages`, {
    body: { client_id: randomUUID(), text },
    headers: { ...headers, authorization: `Bearer ${session.body.token}` },
  });
  expect(chatMessage.status).toBe(201);
}

/** A signed call from the customer's own channel. */
async function fromChannel(body: unknown, id: string = randomUUID()): Promise<void> {
  const text = JSON.stringify(body);
  const answer = await fetch(`${parley.url}/inbound/webhook/${webhookId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...signWebhook(SECRET, id, new Date(), text) },
    body: text,
  });
  expect(answer.status).toBe(200);
}

test('no table and no log line has data of an erased person, but the opt-out stays', { timeout: LONG_MS }, async () => {
  const person = {
    external_id: `crm-${WORD}`,
    name: `Asha ${WORD}`,
    email: `${WORD}@example.qa`,
    phone: PHONE,
    attributes: { [WORD]: 'a', note: WORD },
    tags: [WORD],
  };
  const named = { external_id: person.external_id };
  const { body: made } = await call('POST', '/api/end-users', person, { 'idempotency-key': 'erase-1' });
  await call('POST', '/api/end-users/bulk', { end_users: [person] }, { 'idempotency-key': 'erase-2' });
  await call('PUT', `/api/end-users/external/crm-${WORD}`, { name: person.name });
  await call('GET', `/api/end-users?external_id=crm-${WORD}`);
  // Refused calls are logged too.
  await call('POST', '/api/end-users', { ...person, wrong: WORD });
  await call('POST', '/api/end-users', person);

  // A trigger: with a wait, without a wait, scheduled.
  const run = await call(
    'POST',
    path,
    {
      end_user: named,
      variables: { order: WORD },
      message: `I am ${WORD}, call ${PHONE}`,
      metadata: { who: WORD },
      conversation: { key: `order-${WORD}` },
    },
    { prefer: 'wait=10', 'idempotency-key': 'erase-3' },
  );
  expect(run.status).toBe(200);
  await call('POST', path, { end_user: named, variables: { order: WORD } });
  const later = await call('POST', path, {
    end_user: { id: made.id },
    variables: { order: WORD },
    send_at: new Date(Date.now() + 3_600_000).toISOString(),
  });

  // A question of the person that a member taught the agent.
  const agent = `/agents/${agentId}`;
  await owner.call(`POST ${agent}/documents`, { name: 'Guide', text: 'We open at nine.' });
  const { body: read } = await owner.call(`GET ${agent}/wordings/passages?question=open`);
  const [{ document_id, passage }] = read.passages;
  const taught = { question: `Is ${WORD} open?`, document_id, passage, from: made.id };
  expect((await owner.call(`POST ${agent}/wordings`, taught)).status).toBe(201);

  // Channels: outgoing messages, incoming messages, and provider reports of both.
  const send = (to: object, headers = {}) =>
    call(
      'POST',
      `/api/channels/${agentId}/${webhookId}/messages`,
      { to, content: { type: 'text', text: `For ${WORD}` }, metadata: { who: WORD } },
      headers,
    );
  const sent = await send({ end_user: named }, { 'idempotency-key': 'erase-4' });
  expect(sent.status).toBe(202);
  await expect.poll(() => receiver.calls.some(({ body }) => body.includes(sent.body.id))).toBe(true);
  await fromChannel({ type: 'receipt', message_id: sent.body.id, status: 'failed', detail: `${WORD} is away` });
  await fromChannel(
    { type: 'message', address: person.external_id, person: { name: person.name }, text: `It is ${WORD}` },
    `from-${WORD}`,
  );
  await chat(person.external_id, `${WORD} asks`);
  const tagged = await owner.call(`PUT /conversations/${run.body.conversation_id}/tags`, { tags: [`${WORD} tag`] });
  expect(tagged.status).toBe(200);
  const noted = await owner.call(`POST /conversations/${run.body.conversation_id}/notes`, { text: `${WORD} is upset` });
  expect(noted.status).toBe(201);
  const files = `/dashboard/api/organizations/${orgId}/conversations/${run.body.conversation_id}/files`;
  const sentFile = await fetch(`${parley.url}${files}?name=${WORD}.txt`, {
    method: 'POST',
    headers: { cookie: owner.cookie, 'content-type': 'application/octet-stream' },
    body: `An invoice for ${WORD}`,
  });
  expect(sentFile.status).toBe(201);
  await parley.db.execute(sql`UPDATE conversation SET tags = ARRAY[${WORD}], state = ${`{"slot":"${WORD}"}`}::jsonb
    WHERE org_id = ${orgId} AND id = ${run.body.conversation_id}`);
  await parley.db.execute(sql`UPDATE channel SET status = 'broken', status_detail = ${`No way to reach CRM-${WORD}`}
    WHERE org_id = ${orgId} AND id = ${channelId}`);

  // A tool call that waited for an approval.
  const approval = await givenApproval(parley.db, orgId, run.body, { who: WORD });
  const decision = { decision: 'deny', reason: `Not for ${WORD}` };
  const decided = await call('POST', `/api/approvals/${approval}`, decision, { 'idempotency-key': 'erase-6' });
  expect(decided.status).toBe(200);

  // A campaign: one recipient is messaged, and one waits.
  const campaign = { name: 'Back', agent_id: agentId, channel_id: webhookId };
  const { body: back } = await owner.call('POST /campaigns', campaign);
  expect((await owner.call(`POST /campaigns/${back.id}/start`)).status).toBe(200);
  const { value: campaignKey } = await parley.key(orgId, {
    scope: 'campaign',
    campaignId: back.id,
    permissions: ['campaigns'],
  });
  const recipient = { end_user: named, variables: { order: WORD }, ref: `row-${WORD}` };
  const pushed = await parley.call('POST', `/api/campaigns/${back.id}/recipients`, {
    key: campaignKey,
    headers: { 'idempotency-key': 'erase-5' },
    body: {
      recipients: [recipient, recipient, { ...recipient, send_at: new Date(Date.now() + 3_600_000).toISOString() }],
      dedupe: 'none',
    },
  });
  expect(pushed.body).toMatchObject({ accepted: 3 });

  // An audience that waits for the campaign to be resumed, and another one with an invalid row.
  const additionId = newId('push');
  await parley.db
    .execute(sql`INSERT INTO campaign_push (org_id, campaign_id, id, source, file, faults, created_by, due_at)
    VALUES (${orgId}, ${back.id}, ${additionId}, 'file', ${`id,name\nCRM-${WORD},${WORD}\n`}, '[]', 'user_x', 'infinity'),
      (${orgId}, ${back.id}, ${newId('push')}, 'file', NULL, ${`[{"row":1,"detail":"CRM-${WORD}?"}]`}::jsonb, 'user_x', NULL)`);

  // Files: one with failed rows, and one that waits after a dry run.
  const row = `CRM-${WORD},${WORD} again,00974 3000-4242`;
  const failed = await importFile(
    `external_id,name,phone,time_zone\n${person.external_id},${WORD} again,,Mars/Base\n`,
    false,
  );
  const waiting = await importFile(`external_id,name,phone,time_zone\nother,,,\n${row},\n`, true);
  const unrelated = await importFile('external_id,name,phone,time_zone\nother,Omar,+97430001111,\n', true);
  await call('PUT', `/api/end-users/${made.id}/consent/sandbox`, { status: 'opted_out', source: `said ${WORD}` });
  await expect
    .poll(() => receiver.calls.filter(({ path: at, body }) => at === '/events' && body.includes(WORD)).length)
    .toBeGreaterThan(5);
  await parley.db.execute(sql`INSERT INTO conversation_summary (org_id, conversation_id, text, model, handed_off_at)
    SELECT org_id, id, ${`Asks about ${WORD}`}, 'openai/m', now() FROM conversation
    WHERE org_id = ${orgId} AND end_user_id = ${made.id} LIMIT 1`);
  await parley.db
    .execute(sql`INSERT INTO rating (org_id, conversation_id, subject, kind, agent_id, channel_id, score, comment, rated_at)
    SELECT org_id, id, 'survey', 'survey', agent_id, channel_id, 2, ${`Not for ${WORD}`}, now() FROM conversation
    WHERE org_id = ${orgId} AND end_user_id = ${made.id} LIMIT 1`);
  // Attempts are stored a moment after they happen.
  await expect.poll(() => placesOf(WORD)).toContain('event_delivery.history');

  const planted = await placesOf(WORD);
  const about = new Set(planted.map((place) => place.split('.')[0]!));
  const others = (await tables())
    .map(({ table }) => table.split('.')[1]!.replaceAll('"', ''))
    .filter((table) => !about.has(table) && !NOT_ABOUT_PEOPLE.includes(table));
  expect([...new Set(others)]).toEqual([]);
  expect(planted.filter((place) => NOT_ABOUT_PEOPLE.includes(place.split('.')[0]!))).toEqual([]);
  for (const place of [
    'approval.call',
    'approval.reason',
    'attachment.bytes',
    'attachment.name',
    'campaign_push.faults',
    'campaign_push.file',
    'channel.status_detail',
    'conversation.key',
    'conversation_note.text',
    'conversation_summary.text',
    'end_user.consent',
    'end_user_import_fault.cells',
    'end_user_import_piece.bytes',
    'event.data',
    'idempotency.body',
    'message.content',
    'message.error',
    'passage_wording.question',
    'rating.comment',
    'recipient.ref',
    'recipient.variables',
    'run.input',
  ])
    expect(planted).toContain(place);

  const erased = await call('DELETE', `/api/end-users/${made.id}`);
  expect([erased.status, erased.text]).toEqual([204, '']);

  expect(await placesOf(WORD)).toEqual([]);
  expect(await placesOf(PHONE.slice(1))).toEqual([]);
  const events = await parley.db.execute(sql`SELECT data FROM event WHERE type = 'end_user.deleted'`);
  expect(events.rows).toEqual([{ data: { id: made.id } }]);
  expect((await call('GET', `/api/end-users/${made.id}`)).status).toBe(404);
  expect((await call('DELETE', `/api/end-users/${made.id}`)).status).toBe(404);
  expect((await call('GET', `${path}/runs/${later.body.id}`)).body.code).toBe('run_not_found');
  // The idempotency key still works: the call is not executed again, and its response contains only the record's ID.
  const replayed = await call('POST', '/api/end-users', person, { 'idempotency-key': 'erase-1' });
  expect([replayed.status, replayed.body]).toEqual([201, { id: made.id, erased: true }]);
  expect((await send({ end_user: named }, { 'idempotency-key': 'erase-4' })).body).toEqual({
    id: sent.body.id,
    erased: true,
  });
  const { body: stopped } = await owner.call(`GET /campaigns/${back.id}/pushes/${additionId}`);
  expect(stopped).toMatchObject({ state: 'cancelled', fault: { code: 'person_erased' } });
  // The campaign keeps its counts. The waiting file is deleted with a reason, and others are not.
  const { body: storedCampaign } = await parley.call('GET', `/api/campaigns/${back.id}`, { key: campaignKey });
  expect(storedCampaign).toMatchObject({ total: 3 });
  const imports = await Promise.all(
    [failed, waiting, unrelated].map(async (id) => (await owner.call(`GET /end-user-imports/${id}`)).body),
  );
  expect(imports.map(({ state, file_kept, fault }) => [state, file_kept, fault?.code])).toEqual([
    ['done', false, undefined],
    ['cancelled', false, 'person_erased'],
    ['done', true, undefined],
  ]);
  // Neither a late report about a message nor a late duplicate from a provider brings data of the person back.
  const late = { type: 'receipt', message_id: sent.body.id, status: 'failed', detail: `${WORD} has moved` };
  await fromChannel(late);
  expect(await placesOf(WORD)).toEqual([]);
  await fromChannel({ type: 'message', address: person.external_id, text: `It is ${WORD}` }, `from-${WORD}`);
  expect(await placesOf(WORD)).toEqual([]);

  for (const one of [named, { email: person.email.toUpperCase() }, { phone: PHONE }]) {
    const again = await call('POST', path, { end_user: one }, { prefer: 'wait=10' });
    const read = await call('GET', `${path}/runs/${again.body.id}`);
    expect([one, read.body.status, read.body.reason]).toEqual([one, 'skipped', 'opted_out']);
    const { body: reborn } = await call('GET', `/api/end-users/${again.body.end_user_id}`);
    expect(reborn.consent.sandbox).toMatchObject({ status: 'opted_out', source: 'kept' });
    await call('DELETE', `/api/end-users/${reborn.id}`);
  }
  expect(await placesOf(WORD)).toEqual([]);
  expect(lines.length).toBeGreaterThan(20);
  expect(lines.map((line) => JSON.stringify(line)).filter((line) => /zzplantedzz|97430004242/i.test(line))).toEqual([]);
});

test('erasing a person who has opted in again leaves no opt-out', async () => {
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

test('an opt-out of an address applies to a person who gets the address later', async () => {
  const { body: made } = await call('POST', '/api/end-users', { phone: '+97430005555' });
  await call('PUT', `/api/end-users/${made.id}/consent/whatsapp`, { status: 'opted_out' });
  await call('DELETE', `/api/end-users/${made.id}`);
  const { body: other } = await call('POST', '/api/end-users', { external_id: 'late' });
  const { body: changed } = await call('PATCH', `/api/end-users/${other.id}`, { phone: '+97430005555' });
  expect(changed.consent.whatsapp.status).toBe('opted_out');
});

test('calls for a person who is being erased create a new person and never fail', async () => {
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
