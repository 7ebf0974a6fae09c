import { createHash, randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Tool } from '../../contract/agents.ts';
import { signWebhook, verifyWebhook } from '../../src/kernel/standard-webhooks.ts';
import { startTestApp, type TestApp } from '../app.ts';
import { givenAgent, givenChannel, givenTrigger } from '../factories.ts';
import { FAKE_MODEL_KEY, type FakeModel, startFakeModel } from '../fakes/model.ts';
import { type ReceivedCall, type Receiver, startReceiver } from '../fakes/receiver.ts';
import { givenOwner, type Owner } from '../owner.ts';

/** Tools: a model decides, the worker calls a real receiver, and the receiver can verify the data. */
let parley: TestApp;
let owner: Owner;
let model: FakeModel;
let shop: Receiver;
let stranger: Receiver;
/** The text that people on the channel read. */
let phone: Receiver;
let key: string;
let agentId: string;
let path: string;
let channelId: string;
const CHANNEL_SECRET = `whsec_${createHash('sha256').update('tools').digest('base64')}`;

beforeAll(async () => {
  model = await startFakeModel();
  [shop, stranger, phone] = await Promise.all([startReceiver(), startReceiver(), startReceiver()]);
  parley = await startTestApp({ PARLEY_EGRESS_ALLOW: '127.0.0.1' });
  owner = await givenOwner(parley);
  await owner.call('PUT /models/openai_compatible', {
    base_url: model.baseUrl('openai_compatible'),
    key: FAKE_MODEL_KEY,
  });
  key = (await parley.key(owner.orgId)).value;
});
afterAll(async () => {
  await parley.stop();
  await Promise.all([model.close(), shop.stop(), stranger.stop(), phone.stop()]);
});

const tool = (more: Partial<Tool> = {}): Tool => ({
  name: 'order_status',
  description: 'Looks an order up.',
  parameters: { type: 'object', properties: { order_id: { type: 'string' } }, additionalProperties: true },
  url: `${shop.url}/orders`,
  ...more,
});
const definition = (...tools: Tool[]) => ({ provider: 'openai_compatible' as const, model: 'local', tools });
const publish = (...tools: Tool[]) => owner.call(`PATCH /agents/${agentId}`, { definition: definition(...tools) });
const sign = async (url = shop.url) =>
  (await owner.call(`POST /agents/${agentId}/tool-secrets`, { tool: 'order_status', url })).body;

beforeEach(async () => {
  shop.answer = () => ({ json: { status: 'shipped' } });
  shop.calls.splice(0);
  stranger.calls.splice(0);
  const { db, secrets } = parley;
  ({ agentId } = await givenAgent(db, owner.orgId, { definition: definition(tool()) }));
  path = `/api/triggers/${agentId}/${await givenTrigger(db, owner.orgId, agentId)}`;
  channelId = await givenChannel(db, owner.orgId, agentId, {
    kind: 'webhook',
    settings: { url: `${phone.url}/channel` },
    secrets: { secret: CHANNEL_SECRET },
    sealingKey: secrets.sealingKey,
  });
});

/** Runs a turn in which the model calls the tool. Returns the agent's message and the trace of the turn. */
async function turn(args: Record<string, unknown> = { order_id: 'A-1043' }) {
  model.script({ tool: 'order_status', args }, { text: 'It has shipped.' });
  const body = { end_user: { external_id: 'crm-7' }, message: 'Where is my order?' };
  const answer = await parley.call('POST', path, { key, body, headers: { prefer: 'wait=15' } });
  expect(answer.body.messages[0].content.text).toBe('It has shipped.');
  return { run: answer.body, step: await stepOf(answer.body.conversation_id) };
}
async function stepOf(conversationId: string) {
  const { rows } = await parley.db.execute<{ steps: Record<string, unknown>[] }>(
    sql`SELECT trace->'steps' AS steps FROM message WHERE conversation_id = ${conversationId} AND trace IS NOT NULL`,
  );
  return rows.flatMap(({ steps }) => steps).find(({ kind }) => String(kind).startsWith('tool'))!;
}
const bodyOf = (call: ReceivedCall) => JSON.parse(call.body.toString());
const isSigned = (call: ReceivedCall, secret: string): boolean =>
  verifyWebhook(secret, call.headers as Record<string, string>, call.body, Date.now());

describe('a call of a tool', () => {
  test('a call is signed and identifies its person', async () => {
    const { secret } = await sign();
    const { run, step } = await turn();
    const [call] = shop.calls;
    expect(isSigned(call!, secret)).toBe(true);
    expect(bodyOf(call!)).toEqual({
      tool: 'order_status',
      arguments: { order_id: 'A-1043' },
      context: {
        organization_id: owner.orgId,
        agent_id: agentId,
        agent_version: 1,
        conversation_id: run.conversation_id,
        run_id: run.id,
        channel: { id: expect.stringMatching(/^channel_/), kind: 'sandbox' },
        end_user: { id: run.end_user_id, external_id: 'crm-7', address: null, address_verified: false },
        idempotency_key: call!.headers['idempotency-key'],
        attempt: 1,
        try: false,
      },
    });
    expect(call!.headers['webhook-id']).toBe(call!.headers['idempotency-key']);
    expect(step).toMatchObject({ kind: 'tool', signed: true, attempts: 1, status: 200, sent: call!.body.toString() });
    const { body } = await owner.call(`GET /conversations/${run.conversation_id}`);
    const { steps } = body.messages.find(({ why }: { why: unknown }) => why !== null).why;
    const shown = { kind: 'tool', detail: 'order_status', sent: call!.body.toString(), output: '{"status":"shipped"}' };
    expect(steps).toContainEqual(shown);
  });

  test('a call is not signed while the tool has no secret, and has the same context', async () => {
    await turn();
    expect(shop.calls[0]!.headers).not.toHaveProperty('webhook-signature');
    expect(bodyOf(shop.calls[0]!).context.agent_id).toBe(agentId);
  });

  test('a response may contain text that JSON in the database cannot store', async () => {
    // The trace is cut between the two halves of the last character.
    shop.answer = () => ({ text: `\0${'x'.repeat(998)}😀` });
    expect((await turn({ order_id: 'A\0', 'odd\0name': '\ud83d' })).step).toMatchObject({ kind: 'tool', attempts: 1 });
  });

  test('a response whose JSON is too deep to be written again is passed to the model as text', async () => {
    const deep = '['.repeat(30_000);
    shop.answer = () => ({ text: deep + ']'.repeat(30_000) });
    const { step } = await turn();
    expect(step).toMatchObject({ kind: 'tool', status: 200, output: deep.slice(0, 1_000) });
    expect(shop.calls).toHaveLength(1);
  });

  test('arguments of the model cannot replace the trusted context', async () => {
    await turn({ order_id: 'A-1', context: { end_user: { external_id: 'somebody-else' } } });
    expect(bodyOf(shop.calls[0]!).context.end_user.external_id).toBe('crm-7');
  });

  test('the context confirms the address of a person who has written from it', async () => {
    model.script({ tool: 'order_status', args: {} }, { text: 'It has shipped.' });
    const text = JSON.stringify({ type: 'message', address: 'crm-9', text: 'And mine?' });
    const sent = await fetch(`${parley.url}/inbound/webhook/${channelId}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...signWebhook(CHANNEL_SECRET, randomUUID(), new Date(), text) },
      body: text,
    });
    expect(sent.status).toBe(200);
    const [call] = await shop.received(1);
    const person = { external_id: 'crm-9', address: 'crm-9', address_verified: true };
    expect(bodyOf(call!).context).toMatchObject({ end_user: person, channel: { id: channelId, kind: 'webhook' } });
  });

  test('the context does not confirm an address that only a backend named', async () => {
    const call = { end_user: { external_id: 'crm-11' }, channel: { id: channelId }, conversation: { key: 'order-11' } };
    const ask = (message: string) => parley.call('POST', path, { key, body: { ...call, message } });
    phone.calls.splice(0);
    model.script({ text: 'Hello.' });
    await ask('Hello');
    // From now on, the address is known, because a message was sent to it.
    await phone.received(1);
    await expect
      .poll(async () => (await parley.db.execute(sql`SELECT FROM identity WHERE address = 'crm-11'`)).rowCount)
      .toBe(1);
    model.script({ tool: 'order_status', args: {} }, { text: 'It has shipped.' });
    await ask('Where is it?');
    const [called] = await shop.received(1);
    const person = { external_id: 'crm-11', address: 'crm-11', address_verified: false };
    expect(bodyOf(called!).context.end_user).toMatchObject(person);
  });
});

describe('the secret of a tool', () => {
  test('a secret is not used for another origin: the tool is not called, and the model is informed', async () => {
    const { secret } = await sign();
    await publish(tool({ url: `${stranger.url}/orders` }));
    const { step } = await turn();
    expect([shop.calls, stranger.calls]).toEqual([[], []]);
    expect(step).toMatchObject({ kind: 'tool_failed', error: expect.stringContaining('another address'), sent: null });
    const other = await sign(stranger.url);
    await turn();
    expect(isSigned(stranger.calls[0]!, other.secret)).toBe(true);
    expect(isSigned(stranger.calls[0]!, secret)).toBe(false);
  });

  test('a secret cannot be decrypted for an origin or a tool that was written directly into its row', async () => {
    const { id } = await sign(stranger.url);
    await parley.db.execute(sql`UPDATE tool_secret SET origin = ${shop.url} WHERE id = ${id}`);
    expect((await turn()).step).toMatchObject({ error: expect.stringContaining('cannot be opened') });
    expect(shop.calls).toEqual([]);
  });

  test('old and new secret both sign during the overlap, and then the old one is deleted', async () => {
    const one = await sign();
    const at = `/agents/${agentId}/tool-secrets/${one.id}`;
    const two = (await owner.call(`POST ${at}/rotate`, { overlap: '1h' })).body;
    expect(two.previous_secret_until).not.toBeNull();
    await turn();
    expect([one, two].map(({ secret }) => isSigned(shop.calls[0]!, secret))).toEqual([true, true]);
    const three = (await owner.call(`POST ${at}/rotate`, { overlap: 'now' })).body;
    await turn();
    expect([one, two, three].map(({ secret }) => isSigned(shop.calls[1]!, secret))).toEqual([false, false, true]);
    expect((await owner.call(`DELETE ${at}`)).status).toBe(204);
    await turn();
    expect(shop.calls[2]!.headers).not.toHaveProperty('webhook-signature');
  });

  test('a secret is listed without its value, created once per origin, and encrypted in the database', async () => {
    const { secret, ...listed } = await sign();
    expect((await owner.call(`GET /agents/${agentId}/tool-secrets`)).body).toEqual({ data: [listed] });
    expect(await sign()).toMatchObject({ code: 'already_exists' });
    const { rows } = await parley.db.execute(sql`SELECT * FROM tool_secret`);
    expect(JSON.stringify(rows)).not.toContain(secret.replace('whsec_', ''));
    expect((await owner.call(`DELETE /agents/${agentId}/tool-secrets/tsec_unknown`)).body.code).toBe(
      'tool_secret_not_found',
    );
  });
});

describe('credentials of a tool', () => {
  test('credentials go only to their origin, and are removed from responses and traces', async () => {
    const { id } = await sign();
    const at = `/agents/${agentId}/tool-secrets/${id}/credentials`;
    const credentials = { bearer: 'token-of-the-shop', headers: [{ name: 'X-Shop', value: 'second-secret' }] };
    const { body } = await owner.call(`PUT ${at}`, credentials);
    expect(body.credentials).toEqual({ authorization: 'bearer', headers: ['x-shop'] });
    expect(JSON.stringify(body)).not.toMatch(/token-of-the-shop|second-secret/);
    shop.answer = ({ headers }) => ({ json: { seen: headers } });
    const { step } = await turn();
    expect(shop.calls[0]!.headers).toMatchObject({
      authorization: 'Bearer token-of-the-shop',
      'x-shop': 'second-secret',
    });
    expect(JSON.stringify(step)).not.toMatch(/token-of-the-shop|second-secret/);
    expect(JSON.stringify(model.calls.at(-1)!.body)).not.toMatch(/token-of-the-shop|second-secret/);
    await publish(tool({ url: `${stranger.url}/orders` }));
    await turn();
    expect(stranger.calls).toEqual([]);
  });

  test('credentials are removed from a response that contains them with JSON escapes', async () => {
    const { id } = await sign();
    const bearer = 'tok/en+of=the/shop';
    const escaped = bearer.replaceAll('/', '\\/').replaceAll('+', '\\u002b').replaceAll('=', '\\u003D');
    await owner.call(`PUT /agents/${agentId}/tool-secrets/${id}/credentials`, { bearer });
    const text = `{"seen":"Bearer ${escaped}","${escaped}":1,"log":${JSON.stringify(`{"auth":"${escaped}"}`)}}`;
    shop.answer = () => ({ text });
    const { step } = await turn();
    expect(shop.calls[0]!.headers.authorization).toBe(`Bearer ${bearer}`);
    const { body: tried } = await owner.call(`POST /agents/${agentId}/tools/try`, { tool: tool(), arguments: {} });
    for (const shown of [step['output'], tried.answer]) {
      expect(JSON.parse(String(shown))).toEqual({
        seen: '[redacted]',
        '[redacted]': 1,
        log: '{"auth":"[redacted]"}',
      });
    }
    expect(JSON.stringify(model.calls.at(-1)!.body)).not.toMatch(/of=the|of\\+u003D/);
  });

  test('credentials stay after a change of the signing secret, and an empty body removes them', async () => {
    const { id } = await sign();
    const at = `/agents/${agentId}/tool-secrets/${id}`;
    await owner.call(`PUT ${at}/credentials`, { basic: { username: 'parley', password: 'pass word' } });
    await owner.call(`POST ${at}/rotate`, { overlap: 'now' });
    await turn();
    const basic = Buffer.from('parley:pass word').toString('base64');
    expect(shop.calls[0]!.headers.authorization).toBe(`Basic ${basic}`);
    await owner.call(`PUT ${at}/credentials`, {});
    await turn();
    expect(shop.calls[1]!.headers).not.toHaveProperty('authorization');
  });

  test('credentials cannot set a reserved header, or one header twice', async () => {
    const { id } = await sign();
    const { status, body } = await owner.call(`PUT /agents/${agentId}/tool-secrets/${id}/credentials`, {
      bearer: 'a',
      headers: ['Webhook-Signature', 'Authorization', 'X-A', 'x-a'].map((name) => ({ name, value: 'v' })),
    });
    expect(status).toBe(422);
    const at = (index: number) => `/headers/${index}/name`;
    expect(body.errors.map((one: { pointer: string }) => one.pointer)).toEqual([at(0), at(1), at(3)]);
  });
});

describe('attempts', () => {
  test('calls of a read-only tool are repeated with the same idempotency key and an attempt number', async () => {
    const { secret } = await sign();
    await publish(tool({ read_only: true, retries: 2 }));
    shop.answer = () => (shop.calls.length < 3 ? { status: 503 } : { json: {} });
    const { step } = await turn();
    expect(step).toMatchObject({ kind: 'tool', attempts: 3 });
    expect(shop.calls.map((call) => bodyOf(call).context.attempt)).toEqual([1, 2, 3]);
    expect(new Set(shop.calls.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(shop.calls.every((call) => isSigned(call, secret))).toBe(true);
  });

  test('a call is not repeated if it was refused or its tool is not read-only', async () => {
    shop.answer = () => ({ status: 503 });
    expect((await turn()).step).toMatchObject({ kind: 'tool_failed', attempts: 1, status: 503 });
    await publish(tool({ read_only: true, retries: 2 }));
    shop.answer = () => ({ status: 404 });
    expect((await turn()).step).toMatchObject({ attempts: 1, error: 'The tool returned 404.' });
    expect((await publish(tool({ retries: 1 }))).body.errors[0].pointer).toBe('/definition/tools/0/retries');
  });

  test('calls end after the time limit of the tool', async () => {
    await publish(tool({ timeout_seconds: 1 }));
    shop.answer = () => 'hang';
    expect((await turn()).step).toMatchObject({ kind: 'tool_failed', status: null, attempts: 1 });
  });
});

describe('a bound argument', () => {
  const bound = (expression: string): Partial<Tool> => ({
    parameters: {
      type: 'object',
      properties: { order_id: { type: 'string' }, customer: { type: 'string' } },
      required: ['order_id', 'customer'],
    },
    bound: { customer: expression },
  });

  test('Parley fills a bound argument, the model does not see it, and the model’s own value is ignored', async () => {
    expect((await publish(tool(bound('{{end_user.external_id}}')))).status).toBe(200);
    await turn({ order_id: 'A-1043', customer: 'crm-of-somebody-else' });
    expect(bodyOf(shop.calls[0]!).arguments).toEqual({ order_id: 'A-1043', customer: 'crm-7' });
    const [offered] = model.calls.at(-1)!.body.tools;
    expect(offered.function.parameters).toEqual({
      type: 'object',
      properties: { order_id: { type: 'string' } },
      required: ['order_id'],
    });
  });

  test('a bound argument without a value prevents the call, and the model is informed', async () => {
    await publish(tool(bound('{{end_user.customer_number}}')));
    const { step } = await turn({ order_id: 'A-1043', customer: '7' });
    expect(shop.calls).toEqual([]);
    expect(step).toMatchObject({ kind: 'tool_failed', error: expect.stringContaining('no value for customer') });
    expect(JSON.stringify(model.calls.at(-1)!.body.messages)).toContain('no value for customer');
  });

  test('a bound argument uses a variable of a trigger with its type', async () => {
    const at = '/definition/tools/0/bound/customer';
    const early = await publish(tool(bound('{{customer_number}}')));
    expect(early.body.errors).toMatchObject([{ pointer: at, code: 'unknown_variable' }]);
    const { db } = parley;
    const triggerId = await givenTrigger(db, owner.orgId, agentId, {
      variables: [{ name: 'customer_number', type: 'number' }],
    });
    path = `/api/triggers/${agentId}/${triggerId}`;
    expect((await publish(tool(bound('{{customer_number}}')))).status).toBe(200);
    model.script({ tool: 'order_status', args: { order_id: 'A-1' } }, { text: 'It has shipped.' });
    const body = { message: 'Where is it?', variables: { customer_number: 42 } };
    await parley.call('POST', path, { key, body, headers: { prefer: 'wait=15' } });
    expect(bodyOf(shop.calls[0]!).arguments).toEqual({ order_id: 'A-1', customer: 42 });
  });

  test('a bound argument must be in the schema, and its value must be a single variable', async () => {
    const other = await publish(tool({ ...bound('{{end_user.id}}'), bound: { person: '{{end_user.id}}' } }));
    expect(other.body.errors).toMatchObject([{ pointer: '/definition/tools/0/bound/person', code: 'conflict' }]);
    for (const expression of ['{{end_user.id}} and more', '{{#end_user}}', 'crm-7', '{{agent name}}']) {
      expect((await publish(tool(bound(expression)))).status).toBe(422);
    }
  });
});

describe('a try from the editor', () => {
  const attempt = (body: object) => owner.call(`POST /agents/${agentId}/tools/try`, body);

  test('a test in the editor uses a fictional person, and shows request, signature and response', async () => {
    const { id, secret } = await sign();
    await owner.call(`PUT /agents/${agentId}/tool-secrets/${id}/credentials`, { bearer: 'token-of-the-shop' });
    const edited = tool({
      parameters: { type: 'object', properties: { order_id: {}, customer: {} } },
      bound: { customer: '{{end_user.external_id}}' },
    });
    const variables = { end_user: { external_id: 'crm-made-up' } };
    const { status, body } = await attempt({ tool: edited, arguments: { order_id: 'A-1', customer: 'x' }, variables });
    expect(status).toBe(200);
    const [call] = shop.calls;
    expect(isSigned(call!, secret)).toBe(true);
    expect(bodyOf(call!)).toMatchObject({
      arguments: { order_id: 'A-1', customer: 'crm-made-up' },
      context: { try: true, run_id: null, agent_version: null, end_user: { external_id: 'crm-made-up' } },
    });
    expect(body).toMatchObject({ status: 200, error: null, answer: '{"status":"shipped"}' });
    expect(body.request.body).toBe(call!.body.toString());
    expect(body.request.headers['webhook-signature']).toBe(call!.headers['webhook-signature']);
    expect(JSON.stringify(body)).not.toContain('token-of-the-shop');
  });

  test('a test in the editor explains why it made no call, and refuses a tool that could not be saved', async () => {
    const bound = { order_id: '{{end_user.external_id}}' };
    expect((await attempt({ tool: tool({ bound }) })).body).toMatchObject({
      request: null,
      error: expect.stringContaining('no value for order_id'),
    });
    expect((await attempt({ tool: tool({ retries: 1 }) })).body.errors[0].pointer).toBe('/tool/retries');
    expect((await attempt({ tool: tool({ url: 'http://10.0.0.1/x' }) })).body.errors[0].pointer).toBe('/tool/url');
    shop.answer = () => ({ status: 500, text: 'Out of order' });
    expect((await attempt({ tool: tool() })).body).toMatchObject({ status: 500, answer: 'Out of order' });
  });
});

describe('a tool that asks first', () => {
  const asking = (): Tool => tool({ confirm: { default: 'Cancel order {{arguments.order_id}}?' } });
  const conversation = { key: 'order' };
  const say = async (message: string) => {
    const body = { end_user: { external_id: 'crm-7' }, message, conversation };
    const { body: run } = await parley.call('POST', path, { key, body, headers: { prefer: 'wait=15' } });
    return run.messages.at(-1).content;
  };
  const ask = async () => {
    await publish(asking());
    model.script({ tool: 'order_status', args: { order_id: 'A-1043' }, text: 'I cancel it.' });
    return say('Cancel my order');
  };
  const read = () => JSON.stringify(model.calls.at(-1)!.body.messages);

  test('a tool with a question is called only after a Yes, and the model gets its response', async () => {
    expect(await ask()).toEqual({
      type: 'choices',
      text: 'Cancel order A-1043?',
      choices: [
        { id: 'yes', label: 'Yes' },
        { id: 'no', label: 'No' },
      ],
    });
    expect(shop.calls).toEqual([]);
    model.script({ text: 'It is cancelled.' });
    expect(await say('Yes')).toMatchObject({ text: 'It is cancelled.' });
    expect(shop.calls.map((call) => bodyOf(call).arguments)).toEqual([{ order_id: 'A-1043' }]);
    expect(read()).toContain('shipped');
    // The question is answered, so another Yes causes no call.
    const { rows } = await parley.db.execute(sql`SELECT state FROM conversation WHERE agent_id = ${agentId}`);
    expect(JSON.stringify(rows)).not.toContain('pending_tool');
    model.script({ text: 'Anything else?' });
    await say('Yes');
    expect(shop.calls).toHaveLength(1);
  });

  test.each(['No', 'Yes, but the other one'])(
    'a tool with a question is not called after "%s", and the model is informed',
    async (answer) => {
      await ask();
      model.script({ text: 'As you wish.' });
      expect(await say(answer)).toMatchObject({ text: 'As you wish.' });
      expect(read()).toContain('did not agree');
      model.script({ text: 'Yes what?' });
      await say('Yes');
      expect(shop.calls).toEqual([]);
    },
  );

  test('a tool with a question keeps its key if the turn after the Yes fails and is repeated', async () => {
    await ask();
    model.script({ status: 500 }, { text: 'It is cancelled.' });
    expect(await say('Yes')).toMatchObject({ text: 'It is cancelled.' });
    expect(shop.calls).toHaveLength(2);
    expect(new Set(shop.calls.map((call) => bodyOf(call).context.idempotency_key)).size).toBe(1);
  });
});
