import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestApp, startTestApp } from '../../../../test/app.ts';
import { givenAgent, givenChannel, givenOrganization, givenTrigger } from '../../../../test/factories.ts';

let parley: TestApp;
let orgId: string;
let agentId: string;
let path: string;
let key: string;

beforeAll(async () => {
  parley = await startTestApp();
  orgId = await givenOrganization(parley.db);
  ({ agentId } = await givenAgent(parley.db, orgId, {
    definition: { opening: { default: 'Hello {{end_user.name}}, order {{order_id}}', ar: 'مرحبا {{end_user.name}}' } },
  }));
  const triggerId = await givenTrigger(parley.db, orgId, agentId, {
    variables: [
      { name: 'order_id', type: 'string', default: 'A-0' },
      { name: 'items', type: 'integer' },
      { name: 'due', type: 'date' },
    ],
  });
  path = `/api/triggers/${agentId}/${triggerId}`;
  key = (await parley.key(orgId)).value;
});

afterAll(() => parley.stop());

const post = (body?: unknown, headers: Record<string, string> = {}, at = path) =>
  parley.call('POST', at, { key, body, headers });

const count = async (table: string) =>
  Number((await parley.db.execute<{ n: string }>(sql.raw(`SELECT count(*) AS n FROM ${table}`))).rows[0]!.n);

describe('202', () => {
  test.each([
    ['no body', undefined],
    ['an empty object', {}],
  ])('a call with %s is accepted', async (_, body) => {
    const answer = await post(body);
    expect(answer.status).toBe(202);
    expect(answer.body).toMatchObject({ status: 'queued', agent_id: agentId });
    expect(answer.headers.get('location')).toBe(`${parley.config.baseUrl}${path}/runs/${answer.body.id}`);
  });

  test('the first message of the agent contains the variables and the name of the person', async () => {
    const call = { end_user: { external_id: 'o-1', name: 'Asha' }, variables: { order_id: 'A-1043' } };
    const answer = await post(call, { prefer: 'wait=10' });
    expect(answer.status).toBe(200);
    expect(answer.body.messages[0].content).toEqual({ type: 'text', text: 'Hello Asha, order A-1043' });
    expect(answer.body.status).toBe('waiting_for_user');
  });

  test('the first message is in the language of the end user', async () => {
    const answer = await post(
      { end_user: { external_id: 'o-2', name: 'ليلى', locale: 'ar-QA' } },
      { prefer: 'wait=10' },
    );
    expect(answer.body.messages[0].content.text).toBe('مرحبا ليلى');
  });

  test('a scheduled call waits until its time', async () => {
    const answer = await post({ send_at: new Date(Date.now() + 3_600_000).toISOString() }, { prefer: 'wait=1' });
    expect(answer.status).toBe(202);
    expect(answer.body.status).toBe('scheduled');
    const run = await parley.call('GET', `${path}/runs/${answer.body.id}?include=messages`, { key });
    expect(run.body).toMatchObject({ status: 'scheduled', messages: [] });
  });
});

describe('200', () => {
  test('a dry run reports everything and stores nothing', async () => {
    const before = [await count('run'), await count('end_user'), await count('conversation')];
    const answer = await post({
      dry_run: true,
      end_user: { external_id: 'dry', name: 'Noor' },
      variables: { order_id: 'D-1' },
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      dry_run: true,
      recipient: { end_user_id: null, would_create: true },
      conversation: { id: null, would: 'start' },
      opening: 'Hello Noor, order D-1',
      skip_reason: null,
    });
    expect([await count('run'), await count('end_user'), await count('conversation')]).toEqual(before);
  });
});

describe('a dry run has the refusals of the call', () => {
  const refused = async (call: object) => {
    const [dry, real] = [await post({ ...call, dry_run: true }), await post(call)];
    expect([dry.status, dry.body.code, dry.body.detail]).toEqual([real.status, real.body.code, real.body.detail]);
    return dry.body.code;
  };

  test('for a conversation on another channel, and of another person', async () => {
    const conversation = { key: 'dry-conflict' };
    const started = await post({ conversation, end_user: { external_id: 'dry-holder' } });
    expect(started.status).toBe(202);
    const id = await givenChannel(parley.db, orgId, agentId, { kind: 'sms' });
    expect(await refused({ conversation, channel: { id } })).toBe('already_exists');
    expect(await refused({ conversation, end_user: { external_id: 'dry-other' } })).toBe('already_exists');
  });
});

describe('the reason why a dry run sends nothing', () => {
  const dry = async (call: object) => (await post({ ...call, dry_run: true })).body;

  test('is a missing address, unless the person has one', async () => {
    const channel = { id: await givenChannel(parley.db, orgId, agentId, { kind: 'sms' }) };
    expect(await dry({ channel })).toMatchObject({ skip_reason: 'no_address', recipient: { address: null } });
    const person = { external_id: 'has-phone', phone: '+97430000077' };
    await post({ end_user: person });
    expect(await dry({ channel, end_user: { external_id: 'has-phone' } })).toMatchObject({
      skip_reason: null,
      recipient: { address: person.phone, would_create: false },
    });
  });

  test('is the opt-out of the address, even if the call would create the person', async () => {
    const id = await givenChannel(parley.db, orgId, agentId, { kind: 'sms' });
    const channel = { id, address: '+97430000078' };
    const { end_user_id: holder } = (await post({ channel })).body;
    await parley.db.execute(sql`UPDATE end_user SET consent = '{"sms": {"status": "opted_out"}}' WHERE id = ${holder}`);
    expect(await dry({ channel })).toMatchObject({ skip_reason: 'opted_out', recipient: { end_user_id: holder } });
    expect(await dry({ channel, end_user: { external_id: 'dry-new' } })).toMatchObject({
      skip_reason: 'opted_out',
      recipient: { would_create: true },
    });
  });
});

test('dry_run in the query is refused and starts nothing', async () => {
  const before = await count('run');
  const answer = await post({}, {}, `${path}?dry_run=true`);
  expect(answer.status).toBe(422);
  expect(answer.body.errors).toEqual([
    { pointer: '/dry_run', code: 'unknown_field', detail: 'Send this field in the body, not in the query.' },
  ]);
  expect(await count('run')).toBe(before);
});

describe('the address', () => {
  const on = async (kind: string) => ({ id: await givenChannel(parley.db, orgId, agentId, { kind }) });

  test('a call whose address does not fit the channel is refused, because no other person may be messaged', async () => {
    const answer = await post({ channel: { ...(await on('whatsapp')), address: '97430000000' } });
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toMatchObject([{ pointer: '/channel/address', code: 'format' }]);
  });

  test('an address is normalized, so that a message from it belongs to this conversation', async () => {
    const channel = await on('email');
    const named = await post({ channel: { ...channel, address: 'Asha@Example.QA' }, dry_run: true });
    expect(named.body.recipient.address).toBe('asha@example.qa');
    const known = await post({ channel, end_user: { email: 'Asha@Example.QA' }, dry_run: true });
    expect(known.body.recipient.address).toBe('asha@example.qa');
  });
});

describe('idempotency', () => {
  test('a repeated call gets the same status and body, even if a record was disabled in the meantime', async () => {
    const headers = { 'idempotency-key': 'order-1', prefer: 'wait=10' };
    const first = await post({ variables: { order_id: 'I-1' } }, headers);
    expect(first.status).toBe(200);
    await parley.db.execute(sql`UPDATE agent SET enabled = false WHERE id = ${agentId}`);
    const second = await post({ variables: { order_id: 'I-1' } }, headers);
    await parley.db.execute(sql`UPDATE agent SET enabled = true WHERE id = ${agentId}`);
    expect(second.status).toBe(200);
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(first.headers.get('idempotent-replayed')).toBeNull();
  });

  test('a repeated key with another body is refused', async () => {
    const headers = { 'idempotency-key': 'order-2' };
    await post({ variables: { order_id: 'I-2' } }, headers);
    const second = await post({ variables: { order_id: 'I-3' } }, headers);
    expect([second.status, second.body.code]).toEqual([422, 'idempotency_mismatch']);
  });

  test('many simultaneous calls create one run', async () => {
    const before = await count('run');
    const answers = await Promise.all(Array.from({ length: 20 }, () => post({}, { 'idempotency-key': 'order-3' })));
    const codes = new Set(answers.map((answer) => answer.status));
    expect([...codes].every((code) => code === 202 || code === 409)).toBe(true);
    expect(await count('run')).toBe(before + 1);
  });
});

describe('422', () => {
  test('each fault has its own entry in `errors`', async () => {
    const answer = await post({
      variables: { items: '3', due: '2026-02-30', nonsense: 1 },
      end_user: { name: 'Nobody' },
    });
    expect([answer.status, answer.body.code]).toEqual([422, 'validation_failed']);
    expect(answer.body.errors.map((fault: { pointer: string; code: string }) => [fault.pointer, fault.code])).toEqual([
      ['/variables/nonsense', 'unknown_field'],
      ['/variables/items', 'type'],
      ['/variables/due', 'type'],
      ['/end_user', 'required'],
    ]);
  });

  test('a missing required variable is refused', async () => {
    const strict = await givenTrigger(parley.db, orgId, agentId, {
      variables: [{ name: 'order_id', type: 'string', required: true }],
    });
    const answer = await post({}, {}, `/api/triggers/${agentId}/${strict}`);
    expect(answer.body.errors).toEqual([
      { pointer: '/variables/order_id', code: 'required', detail: 'The trigger requires this variable.' },
    ]);
  });
});

describe('409', () => {
  test('a disabled trigger is reported', async () => {
    const disabled = await givenTrigger(parley.db, orgId, agentId, { enabled: false });
    const answer = await post({}, {}, `/api/triggers/${agentId}/${disabled}`);
    expect([answer.status, answer.body.code]).toEqual([409, 'trigger_disabled']);
  });
});
