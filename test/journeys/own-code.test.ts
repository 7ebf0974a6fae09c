import { createHmac } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { AgentDefinition } from '../../contract/agents.ts';
import type { TurnRequested } from '../../contract/turns.ts';
import { verifyWebhook } from '../../src/kernel/standard-webhooks.ts';
import { startTestApp, type TestApp } from '../app.ts';
import { listen } from '../event-stream.ts';
import { givenTrigger } from '../factories.ts';
import { accepts, json, type OwnCode, says, startOwnCode } from '../fakes/own-code.ts';
import { type SignedIn, signedInOwner } from '../signed-in.ts';

/** An agent whose turns the customer's own server answers: trigger, worker, egress and a real socket. */
let parley: TestApp;
let code: OwnCode;
let call: SignedIn;
let orgId: string;
let agentId: string;
let path: string;
let key: string;
let secret: string;

const definition = (more: Partial<AgentDefinition> = {}): AgentDefinition => ({
  provider: 'http',
  url: code.url,
  time_limit_seconds: 20,
  end_user_fields: ['name', 'tier'],
  ...more,
});

beforeAll(async () => {
  code = await startOwnCode();
  parley = await startTestApp({ PARLEY_EGRESS_ALLOW: '127.0.0.1' });
  const owner = await signedInOwner(parley);
  ({ orgId } = owner);
  call = (wanted, body) => owner.call(wanted.replace(' ', ` /organizations/${orgId}`), body);
  const made = await call('POST /agents', { name: 'Concierge', definition: definition() });
  agentId = made.body.id;
  ({ secret } = (await call(`POST /agents/${agentId}/secret`)).body);
  const variables = [{ name: 'order_id', type: 'string' as const }];
  path = `/api/triggers/${agentId}/${await givenTrigger(parley.db, orgId, agentId, { variables })}`;
  key = (await parley.key(orgId)).value;
});

beforeEach(async () => {
  await publish({});
  await parley.db.execute(sql`DELETE FROM model_gate`);
});

afterAll(async () => {
  await parley.stop();
  await code.close();
});

const publish = (more: Partial<AgentDefinition>) =>
  call(`PATCH /agents/${agentId}`, { definition: definition(more) }).then(({ status }) => expect(status).toBe(200));

let people = 0;
const ask = (message: string | undefined, more: Record<string, unknown> = {}, prefer = 'wait=15') =>
  parley.call('POST', path, {
    key,
    headers: { prefer },
    body: {
      ...(message !== undefined && { message }),
      end_user: {
        external_id: `crm-${++people}`,
        name: 'Asha',
        email: `a${people}@example.com`,
        attributes: { tier: 'gold' },
      },
      ...more,
    },
  });
const run = async (id: string) => (await parley.call('GET', `${path}/runs/${id}?include=messages`, { key })).body;
const textsOf = async (id: string) => {
  const { messages } = await run(id);
  return messages.filter(({ role }: { role: string }) => role === 'agent').map((one: never) => one['content']['text']);
};

const reply = ({ turn }: TurnRequested, body: unknown, more: Record<string, string> = {}) =>
  parley.call('POST', new URL(turn.reply_url).pathname, {
    headers: { authorization: `Bearer ${turn.reply_token}`, 'content-type': 'application/json', ...more },
    body,
  });
const waiting = async (id: string): Promise<TurnRequested> => {
  await expect.poll(async () => dueOf(id)).toMatchObject({ lease: null, accepted: 'true' });
  return code.received.findLast(({ body }) => body.run.id === id)!.body;
};
const dueOf = async (id: string) =>
  (
    await parley.db.execute(sql`SELECT lease, due_at > now() AS waits, attempts, error, status,
    code_turn ->> 'waits' AS accepted FROM run WHERE id = ${id}`)
  ).rows[0]!;

describe('a direct answer', () => {
  test('own code gets a signed request with the run and the allowed fields of the person, and its answer is sent', async () => {
    code.script(json(says('On Monday.', { tags: ['shipping'] })));
    const { status, body } = await ask('When does it ship?', {
      variables: { order_id: 'A-1' },
      metadata: { source: 'crm' },
      conversation: { key: `order-${people}` },
    });
    expect(status).toBe(200);
    expect(body.messages.at(-1)).toMatchObject({ role: 'agent', content: { text: 'On Monday.' } });
    const [{ headers, raw, body: turn }] = code.received as [(typeof code.received)[number]];
    expect(verifyWebhook(secret, headers as Record<string, string>, Buffer.from(raw), Date.now())).toBe(true);
    expect(headers['webhook-id']).toBe(turn.turn.id);
    expect(turn).toMatchObject({
      type: 'turn.requested',
      turn: { attempt: 1, id: expect.stringMatching(/^turn_/) },
      run: { id: body.id, variables: { order_id: 'A-1' }, metadata: { source: 'crm' } },
      conversation: { id: body.conversation_id, key: expect.stringMatching(/^order-/), channel_kind: 'sandbox' },
      messages: [{ role: 'end_user', content: { type: 'text', text: 'When does it ship?' }, sources: [] }],
    });
    expect(turn.end_user).toStrictEqual({
      id: body.end_user_id,
      external_id: expect.any(String),
      name: 'Asha',
      tier: 'gold',
    });
    const { rows } = await parley.db.execute(sql`SELECT tags FROM conversation WHERE id = ${body.conversation_id}`);
    expect(rows[0]).toStrictEqual({ tags: ['shipping'] });
  });

  test('a direct answer fills the result and completes the conversation', async () => {
    await publish({
      result: {
        fields: [{ name: 'day', type: 'choice', description: 'Day', choices: ['mon', 'tue'], required: true }],
      },
    });
    code.script(json(says('Done.', { next: 'complete', result: { day: 'mon' } })));
    const { body } = await ask('Monday please');
    expect(await run(body.id)).toMatchObject({
      status: 'completed',
      result: { status: 'complete', data: { day: 'mon' } },
    });
  });

  test('an answer can hand over the conversation', async () => {
    code.script(json(says('A colleague answers.', { next: 'hand_off' })));
    const { body } = await ask('Hello');
    expect(await run(body.id)).toMatchObject({ status: 'handed_off' });
  });

  test('a streamed answer is shown while it arrives', async () => {
    let finish = (): void => {};
    code.script((_turn, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('event: delta\ndata: {"text":"On Mon"}\n\n');
      finish = () => response.write(`event: answer\ndata: ${JSON.stringify(says('On Monday.'))}\n\n`);
    });
    const { body } = await ask('When?', {}, 'wait=0');
    const stream = await listen(`${parley.url}${path}/runs/${body.id}/events`, { authorization: `Bearer ${key}` });
    // A reader that connects after the first words gets them with `replace`.
    await expect
      .poll(() => JSON.stringify(stream.events.filter(({ event }) => event === 'delta' || event === 'replace')))
      .toContain('On Mon');
    finish();
    await expect.poll(() => textsOf(body.id)).toEqual(['On Monday.']);
    stream.close();
  });

  test.each([
    ['a text that is missing', { messages: [{ content: { type: 'text' } }] }, '/messages/0/content/text'],
    ['an unknown member', { ...says('Hi'), after: 'wait' }, '/after'],
    ['a result field that the agent does not have', says('Hi', { result: { colour: 'red' } }), '/result/colour'],
  ])('an answer with %s fails with the name of the field, and the fallback answers', async (_name, answer, pointer) => {
    await publish({ fallback: [{ provider: 'hand_off', when: ['failure'] }] });
    code.script(json(answer));
    const { body } = await ask('Hello');
    expect(await run(body.id)).toMatchObject({ status: 'handed_off' });
    const traces = await parley.db.execute(
      sql`SELECT trace FROM message WHERE run_id = ${body.id} AND trace IS NOT NULL`,
    );
    expect(JSON.stringify(traces.rows)).toContain(pointer);
  });

  test('own code that answers with a 500 gets the same turn again', async () => {
    code.script(json({}, 500), json(says('Now it works.')));
    const { body } = await ask('Hello');
    expect(await textsOf(body.id)).toEqual(['Now it works.']);
    const [first, second] = code.received.map((one) => one.body.turn);
    expect(second).toMatchObject({ id: first!.id, attempt: 2, reply_token: first!.reply_token });
  });
});

test('own code without a secret gets no turn, and the run explains how to create a secret', async () => {
  const made = await call('POST /agents', { name: 'Unsigned', definition: definition() });
  const its = `/api/triggers/${made.body.id}/${await givenTrigger(parley.db, orgId, made.body.id)}`;
  code.script(json(says('Never.')));
  const { body } = await parley.call('POST', its, { key, body: { message: 'Hi' }, headers: { prefer: 'wait=15' } });
  const failed = (await parley.call('GET', `${its}/runs/${body.id}`, { key })).body;
  expect(failed).toMatchObject({ status: 'failed', reason: 'provider_refused' });
  expect(failed.error.detail).toContain('./parley agents secret');
  expect(code.received).toEqual([]);
});

test('a new secret signs together with the previous one for a day', async () => {
  const before = secret;
  ({ secret } = (await call(`POST /agents/${agentId}/secret`)).body);
  expect(secret).not.toBe(before);
  code.script(json(says('Hi.')));
  await ask('Hello');
  const [{ headers, raw }] = code.received as [(typeof code.received)[number]];
  for (const one of [before, secret])
    expect(verifyWebhook(one, headers as Record<string, string>, Buffer.from(raw), Date.now())).toBe(true);
});

describe('a later answer', () => {
  test('no worker waits for a later answer, and the answer is sent when it arrives', async () => {
    code.script(accepts);
    const { body } = await ask('When?', {}, 'wait=0');
    const turn = await waiting(body.id);
    expect(await dueOf(body.id)).toMatchObject({ lease: null, waits: true, attempts: 0 });
    expect(await reply(turn, says('On Tuesday.'))).toMatchObject({ status: 200, body: { turn_id: turn.turn.id } });
    await expect.poll(() => textsOf(body.id)).toEqual(['On Tuesday.']);
    expect(code.received).toHaveLength(1);
  });

  test('a repeated later answer has no further effect, and a different one is refused', async () => {
    code.script(accepts);
    const { body } = await ask('When?', {}, 'wait=0');
    const turn = await waiting(body.id);
    const first = await reply(turn, says('On Tuesday.', { tags: ['a'], next: 'wait' }));
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    const { messages, ...rest } = says('On Tuesday.', { tags: ['a'], next: 'wait' });
    const again = await reply(turn, { ...rest, messages });
    expect(again).toMatchObject({ status: 200, body: { turn_id: turn.turn.id } });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await reply(turn, says('On Friday.'))).toMatchObject({ status: 409, body: { code: 'turn_superseded' } });
    await expect.poll(() => textsOf(body.id)).toEqual(['On Tuesday.']);
  });

  test('a repeated answer stays accepted without effect after the person has written again', async () => {
    code.script(accepts);
    const { body } = await ask('When?', { conversation: { key: 'replay' } }, 'wait=0');
    const turn = await waiting(body.id);
    await reply(turn, says('On Tuesday.'));
    await expect.poll(() => textsOf(body.id)).toEqual(['On Tuesday.']);
    const sending = call(`POST /conversations/${body.conversation_id}/say`, { text: 'And the other?' });
    await expect.poll(() => code.received.length).toBe(2);
    const again = await reply(turn, says('On Tuesday.'));
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    await reply(code.received.at(-1)!.body, says('On Friday.'));
    await sending;
  });

  test('a new message of the person makes a later answer invalid, and the next turn contains both messages', async () => {
    code.script(accepts);
    const { body } = await ask('When?', {}, 'wait=0');
    const turn = await waiting(body.id);
    const sending = call(`POST /conversations/${body.conversation_id}/say`, { text: 'I mean order A-2' });
    await expect.poll(() => code.received.length).toBe(2);
    expect(await reply(turn, says('Old.'))).toMatchObject({ status: 409, body: { code: 'turn_superseded' } });
    const next = code.received.at(-1)!.body;
    expect(next.turn.id).not.toBe(turn.turn.id);
    expect(next.messages.map(({ content }) => 'text' in content && content.text)).toEqual([
      'When?',
      'I mean order A-2',
    ]);
    await waiting(body.id);
    expect((await reply(next, says('A-2 ships on Friday.'))).status).toBe(200);
    await expect.poll(() => textsOf(next.run.id!)).toEqual(['A-2 ships on Friday.']);
    await sending;
  });

  test('a change of tags keeps a later answer valid', async () => {
    code.script(accepts);
    const { body } = await ask('When?', {}, 'wait=0');
    const turn = await waiting(body.id);
    await call(`PUT /conversations/${body.conversation_id}/tags`, { tags: ['vip'] });
    expect((await reply(turn, says('On Tuesday.'))).status).toBe(200);
    await expect.poll(() => textsOf(body.id)).toEqual(['On Tuesday.']);
  });

  test('a later answer is refused after the run was cancelled, and after a member took over', async () => {
    code.script(accepts);
    const cancelled = await ask('When?', {}, 'wait=0');
    const turn = await waiting(cancelled.body.id);
    await parley.call('POST', `${path}/runs/${cancelled.body.id}/cancel`, { key });
    expect(await reply(turn, says('Late.'))).toMatchObject({ status: 409, body: { code: 'turn_superseded' } });

    const taken = await ask('When?', {}, 'wait=0');
    const other = await waiting(taken.body.id);
    await call(`POST /conversations/${taken.body.conversation_id}/take-over`);
    expect(await reply(other, says('Late.'))).toMatchObject({ status: 409, body: { code: 'turn_superseded' } });
    expect(await textsOf(taken.body.id)).toEqual([]);
  });

  test('an answer after the deadline is refused, because the fallback has answered', async () => {
    await publish({ time_limit_seconds: 1, fallback: [{ provider: 'hand_off', when: ['slow'] }] });
    code.script(accepts);
    const { body } = await ask('When?', {}, 'wait=0');
    const turn = await waiting(body.id);
    await expect.poll(async () => (await run(body.id)).status, { timeout: 10_000 }).toBe('handed_off');
    expect(await reply(turn, says('Late.'))).toMatchObject({ status: 409, body: { code: 'turn_superseded' } });
  });

  test('an answer to reply_url during the call is used, and the later response of the call is dropped', async () => {
    let respond = (): void => {};
    code.script((_turn, response) => {
      respond = () => void response.writeHead(200).end(JSON.stringify(says('From the response.')));
    });
    const { body } = await ask('When?', {}, 'wait=0');
    await expect.poll(() => code.received.length).toBe(1);
    expect((await reply(code.received[0]!.body, says('From the reply.'))).status).toBe(200);
    respond();
    await expect.poll(() => textsOf(body.id)).toEqual(['From the reply.']);
  });
});

describe('the order of checks of reply_url', () => {
  const code401 = (code: string) => ({ status: 401, body: { code } });

  test('token, body and state of an answer are checked in this order', async () => {
    code.script(accepts);
    const first = await ask('When?', {}, 'wait=0');
    const turn = await waiting(first.body.id);
    const second = await ask('When?', {}, 'wait=0');
    const other = await waiting(second.body.id);
    const at = new URL(turn.turn.reply_url).pathname;
    const post = (headers: Record<string, string>, body: unknown = {}) =>
      parley.call('POST', at, { headers: { 'content-type': 'application/json', ...headers }, body });
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
    const token = turn.turn.reply_token;

    expect(await post({})).toMatchObject(code401('authorization_missing'));
    expect(await post({ authorization: `Basic ${token}` })).toMatchObject(code401('authorization_missing'));
    expect(await post(bearer(`${token.slice(0, -2)}AA`))).toMatchObject(code401('reply_token_invalid'));
    expect(await post(bearer(key))).toMatchObject(code401('reply_token_invalid'));
    expect(await post(bearer(other.turn.reply_token))).toMatchObject(code401('reply_token_invalid'));
    const forged = createHmac('sha256', 'x').update('y').digest('base64url');
    expect(await post(bearer(forged))).toMatchObject(code401('reply_token_invalid'));

    expect(await post({ ...bearer(token), 'content-type': 'text/plain' })).toMatchObject({ status: 415 });
    expect(await post(bearer(token), { messages: 'Hi' })).toMatchObject({
      status: 422,
      body: { code: 'validation_failed', errors: [{ pointer: '/messages' }] },
    });
    expect(await post(bearer(token), says('Hi', { result: { colour: 'red' } }))).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/result/colour' }] },
    });
    await parley.call('POST', `${path}/runs/${first.body.id}/cancel`, { key });
    expect(await post(bearer(token), { messages: 'Hi' })).toMatchObject({ status: 422 });
    expect(await post(bearer(token), says('Hi'))).toMatchObject({ status: 409, body: { code: 'turn_superseded' } });
  });
});

describe('without a conversation', () => {
  const tryBody = { messages: [{ role: 'end_user', text: 'Hello' }] };

  test('the playground calls own code and stores nothing', async () => {
    code.script(json(says('Hi there.')));
    const { status, body } = await call(`POST /agents/${agentId}/playground`, tryBody);
    expect([status, body.messages?.[0]?.content.text]).toEqual([200, 'Hi there.']);
    expect(code.received[0]!.body).toMatchObject({ run: { id: null }, messages: [{ content: { text: 'Hello' } }] });
  });

  test('a recorded test is replayed without a call of own code', async () => {
    code.script(json(says('Hi there.')));
    const one = { name: 'greets', turns: [{ say: 'Hello', expect: { says: ['Hi there'] } }] };
    const recorded = await call(`POST /agents/${agentId}/test`, { case: one, record: true });
    expect(recorded.body).toMatchObject({ passed: true });
    code.script(json({}, 500));
    const replayed = await call(`POST /agents/${agentId}/test`, { case: one, recorded: recorded.body.recorded });
    expect(replayed.body).toMatchObject({ passed: true });
    expect(code.received).toEqual([]);
  });
});

describe('a budget', () => {
  const budget = async (unit: string, amount: number) => {
    const body = { subject: 'agent', subject_id: agentId, period: 'month', unit, amount };
    const set = await call('PUT /budgets', body);
    expect(set.status).toBe(200);
    return set.body;
  };
  const read = async (unit: string) =>
    (await call('GET /budgets')).body.data.find((one: { unit: string }) => one.unit === unit);

  afterEach(async () => {
    await parley.db.execute(sql`DELETE FROM budget`);
    await parley.db.execute(sql`DELETE FROM model_usage`);
    await call(`PATCH /agents/${agentId}`, { definition: definition() });
  });

  test('the fallback answers when a budget of calls is used up, and the costs show both', async () => {
    await publish({ fallback: [{ provider: 'hand_off', when: ['budget'] }] });
    await parley.db.execute(sql`DELETE FROM model_usage`);
    await budget('calls', 2);
    await budget('tokens', 0);
    code.script(json({}, 500), json(says('Second attempt.')));
    expect(await textsOf((await ask('Hello')).body.id)).toEqual(['Second attempt.']);
    const { body } = await ask('Hello again');
    expect(await run(body.id)).toMatchObject({ status: 'handed_off' });
    expect(code.received).toHaveLength(2);
    expect(await read('calls')).toMatchObject({ spent: 2, reserved: 0, told_percent: 100 });
    const used = (await parley.call('GET', `${path}/runs/${body.id}?include=models`, { key })).body.models;
    expect(used).toMatchObject([{ provider: 'hand_off', instead_of: [{ provider: 'http', code: 'budget_spent' }] }]);
    const { total } = (await call('GET /usage?by=model')).body;
    expect(total).toMatchObject({ calls: 2, seconds: expect.any(Number) });
  });

  test('a run without a fallback ends with the reason when a budget of calls is used up', async () => {
    await budget('calls', 0);
    code.script(json(says('Never.')));
    const { body } = await ask('Hello');
    const failed = await run(body.id);
    expect(failed).toMatchObject({ status: 'failed', reason: 'budget_spent' });
    expect(failed.error.detail).toContain('for this month in calls is spent');
    expect(code.received).toEqual([]);
  });

  test('a budget of time reserves the time limit of a call, and a later answer costs the whole limit', async () => {
    await budget('seconds', 50);
    code.script(json(says('At once.')));
    await ask('Hello');
    const { spent } = await read('seconds');
    expect(spent).toBeGreaterThan(0);
    expect(spent).toBeLessThan(20);
    code.script(accepts);
    const { body } = await ask('When?', {}, 'wait=0');
    await reply(await waiting(body.id), says('Later.'));
    await expect.poll(() => textsOf(body.id)).toEqual(['Later.']);
    expect(await read('seconds')).toMatchObject({ spent: spent + 20, reserved: 0 });
    await publish({ time_limit_seconds: 40, fallback: [{ provider: 'hand_off', when: ['budget'] }] });
    expect(await run((await ask('Again')).body.id)).toMatchObject({ status: 'handed_off' });
    expect(code.received).toHaveLength(1);
  });
});

test('each fault in the settings of own code is reported', async () => {
  const faults = async (more: object) => {
    const { body } = await call('POST /agents', { name: 'X', definition: { provider: 'http', ...more } });
    return body.errors?.map(({ pointer }: { pointer: string }) => pointer);
  };
  expect(await faults({})).toEqual(['/definition/url']);
  expect(await faults({ url: code.url, model: 'x' })).toEqual(['/definition/model']);
  expect(await faults({ url: 'http://10.0.0.1/' })).toEqual(['/definition/url']);
  expect(await faults({ url: code.url, time_limit_seconds: 901 })).toEqual(['/definition/time_limit_seconds']);
  expect(await faults({ provider: 'openai', model: 'x', time_limit_seconds: 31 })).toEqual([
    '/definition/time_limit_seconds',
  ]);
  expect(await faults({ provider: 'embedded', url: code.url })).toEqual(['/definition/url']);
});
