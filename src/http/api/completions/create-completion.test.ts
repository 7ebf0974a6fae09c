import { randomBytes } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { givenAgent, givenOrganization, givenTrigger } from '../../../../test/factories.ts';
import { newId } from '../../../kernel/ids.ts';

const PATH = '/api/openai/v1/chat/completions';
const ENV = { PARLEY_SECRET: randomBytes(48).toString('base64') };

let parley: TestApp;
let orgId: string;
let agentId: string;
let triggerId: string;
let key: string;

beforeAll(async () => {
  parley = await startTestApp(ENV);
  orgId = await givenOrganization(parley.db);
  ({ agentId } = await givenAgent(parley.db, orgId));
  triggerId = await givenTrigger(parley.db, orgId, agentId);
  key = (await parley.key(orgId)).value;
});
afterAll(() => parley?.stop());

const ask = (content: unknown = 'Hello') => [{ role: 'user', content }];
const post = (body: object = {}, headers: Record<string, string> = {}, as = key) =>
  parley.call('POST', PATH, { key: as, body: { model: agentId, messages: ask(), ...body }, headers });
const codeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }) => [status, body.error?.code];
const rows = async <Row>(query: string): Promise<Row[]> => (await parley.db.execute(sql.raw(query))).rows as Row[];
const runOf = (id: string) => parley.call('GET', `/api/triggers/${agentId}/${triggerId}/runs/${id}`, { key });
/** No turn is taken until the returned function is called. */
const pauseRuns = async () => {
  await parley.db.execute(sql`ALTER TABLE run ADD CONSTRAINT paused CHECK (status <> 'running') NOT VALID`);
  return () => parley.db.execute(sql`ALTER TABLE run DROP CONSTRAINT paused`);
};

describe('order of checks', () => {
  test('the checks follow their order, and each refusal has the format of OpenAI', async () => {
    const free = await givenOrganization(parley.db, { plan: 'free' });
    const other = await givenAgent(parley.db, orgId);
    const bound = { scope: 'agent' as const, agentId: other.agentId };
    const wrong = { model: newId('agent'), messages: [] };
    const call = async (as: string | undefined, body: unknown, headers = {}) =>
      codeOf(await parley.call('POST', PATH, { ...(as && { key: as }), body, headers }));
    expect(await call(undefined, '{')).toEqual([401, 'authorization_missing']);
    expect(await call('nonsense', '{')).toEqual([401, 'key_invalid']);
    expect(await call((await parley.key(free)).value, '{')).toEqual([403, 'plan_required']);
    const channels = (await parley.key(orgId, { permissions: ['channels'] })).value;
    expect(await call(channels, '{')).toEqual([403, 'permission_missing']);
    const slow = (await parley.key(orgId, { perMinute: 1, ...bound })).value;
    expect(await call(slow, '{')).toEqual([400, 'body_invalid']);
    expect(await call(slow, '{')).toEqual([429, 'rate_limited']);
    expect(await call(key, 'x', { 'content-type': 'text/plain' })).toEqual([415, 'unsupported_media_type']);
    const sibling = (await parley.key(orgId, bound)).value;
    expect(await call(sibling, wrong)).toEqual([422, 'validation_failed']);
    const answered = { messages: ask() };
    expect(await call(sibling, { ...answered, model: newId('agent') })).toEqual([403, 'agent_mismatch']);
    expect(await call(sibling, { ...answered, model: agentId })).toEqual([403, 'agent_mismatch']);
    expect(await call(key, { ...answered, model: newId('agent') })).toEqual([404, 'agent_not_found']);
    const stranger = (await parley.key(await givenOrganization(parley.db))).value;
    expect(await call(stranger, { ...answered, model: agentId })).toEqual([404, 'agent_not_found']);
    expect(await call(key, { ...answered, model: other.agentId })).toEqual([404, 'trigger_not_found']);
    const foreign = { conversation: 'c', trigger: newId('trigger') };
    expect(await call(key, { ...answered, model: agentId, metadata: foreign })).toEqual([404, 'trigger_not_found']);
    const disabled = await givenTrigger(parley.db, orgId, agentId, { enabled: false });
    const off = { ...answered, model: agentId, metadata: { trigger: disabled } };
    expect(await call(key, off)).toEqual([409, 'trigger_disabled']);
    expect(await rows(`SELECT 1 FROM run`)).toEqual([]);
  });

  test('the list of models follows the same order of checks', async () => {
    const list = async (as?: string) =>
      codeOf(await parley.call('GET', '/api/openai/v1/models', { ...(as && { key: as }) }));
    expect(await list()).toEqual([401, 'authorization_missing']);
    const free = await givenOrganization(parley.db, { plan: 'free' });
    expect(await list((await parley.key(free)).value)).toEqual([403, 'plan_required']);
    expect(await list((await parley.key(orgId, { permissions: ['channels'] })).value)).toEqual([
      403,
      'permission_missing',
    ]);
    const slow = (await parley.key(orgId, { perMinute: 1 })).value;
    expect(await list(slow)).toEqual([200, undefined]);
    expect(await list(slow)).toEqual([429, 'rate_limited']);
  });

  test('an error has the headers of its code, and errors of unknown paths have the same format', async () => {
    const answer = await parley.call('POST', PATH, { body: {} });
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="parley"');
    expect(answer.body.error).toEqual({
      message: expect.any(String),
      type: 'authentication_error',
      param: null,
      code: 'authorization_missing',
      doc_url: expect.stringMatching(/\/docs\/problems\/authorization_missing$/),
      request_id: answer.headers.get('x-request-id'),
    });
    expect(codeOf(await parley.call('POST', '/api/openai/v1/embeddings', { key }))).toEqual([404, 'route_not_found']);
    expect(codeOf(await parley.call('GET', PATH, { key }))).toEqual([405, 'method_not_allowed']);
    const elsewhere = await parley.call('GET', '/api/nowhere', { key });
    expect([elsewhere.headers.get('content-type'), elsewhere.body.code]).toEqual([
      'application/problem+json',
      'route_not_found',
    ]);
  });
});

describe('models', () => {
  test('the list of models has the agents that the key can call', async () => {
    const org = await givenOrganization(parley.db);
    const first = (await givenAgent(parley.db, org, { name: 'One' })).agentId;
    const second = (await givenAgent(parley.db, org, { name: 'Two' })).agentId;
    const off = (await givenAgent(parley.db, org, { enabled: false })).agentId;
    await givenAgent(parley.db, org);
    for (const id of [first, second, off]) await givenTrigger(parley.db, org, id);
    const list = async (as: string) =>
      (await parley.call('GET', '/api/openai/v1/models', { key: as })).body.data.map(({ id }: { id: string }) => id);
    expect(await list((await parley.key(org)).value)).toEqual([first, second]);
    const bound = await parley.key(org, { scope: 'agent', agentId: second });
    expect(await list(bound.value)).toEqual([second]);
  });
});

describe('parameters', () => {
  test('parameters that tune a model are ignored', async () => {
    const answer = await post({
      temperature: 0.2,
      max_tokens: 5,
      top_p: null,
      tools: [{ type: 'function', function: { name: 'f', parameters: {} } }],
      tool_choice: 'auto',
      n: 1,
      response_format: { type: 'text' },
      logprobs: false,
      modalities: ['text'],
    });
    expect([answer.status, answer.body.choices.length]).toEqual([200, 1]);
  });

  test.each([
    [{ n: 2 }, 'n'],
    [{ tool_choice: 'required' }, 'tool_choice'],
    [{ response_format: { type: 'json_object' } }, 'response_format'],
    [{ logprobs: true }, 'logprobs'],
    [{ unheard_of: 1 }, 'unheard_of'],
    [{ messages: ask([{ type: 'image_url', image_url: { url: 'https://a.example/b.png' } }]) }, 'messages[0].content'],
    [{ messages: [{ role: 'system', content: 'Only this' }] }, 'messages'],
    [{ messages: ask('') }, 'messages[0].content'],
    [{ metadata: { conversation: '' } }, 'metadata.conversation'],
    [{ variables: { order_id: 'A-1' } }, 'variables.order_id'],
  ])('the parameter %j is refused because it would change the answer', async (more, param) => {
    const answer = await post(more);
    expect(codeOf(answer)).toEqual([422, 'validation_failed']);
    expect(answer.body.error.param.startsWith(param)).toBe(true);
    expect(answer.body.error.message).toContain(param);
  });

  test('a call uses the oldest trigger without required variables, and the run stores the remaining metadata', async () => {
    const { agentId: model } = await givenAgent(parley.db, orgId);
    const variables = [{ name: 'order_id', type: 'string' as const, required: true }];
    const strict = await givenTrigger(parley.db, orgId, model, { variables });
    const needs = await post({ model });
    expect([codeOf(needs), needs.body.error.param]).toEqual([[422, 'validation_failed'], 'variables.order_id']);
    const given = await post({ model, variables: { order_id: 'A-1' }, metadata: { source: 'crm' } });
    expect(given.body.parley.trigger_id).toBe(strict);
    const run = await parley.call('GET', `/api/triggers/${model}/${strict}/runs/${given.body.id}`, { key });
    expect(run.body.metadata).toEqual({ source: 'crm' });
    const open = await givenTrigger(parley.db, orgId, model);
    expect((await post({ model })).body.parley.trigger_id).toBe(open);
    expect((await post({ model, metadata: { trigger: strict }, variables: { order_id: 'A' } })).status).toBe(200);
  });
});

describe('conversations', () => {
  test('a call with a conversation key continues the conversation with its last user message only', async () => {
    const metadata = { conversation: 'order-1' };
    const first = await post({ user: 'crm-1', metadata });
    const messages = [...ask('Never sent'), { role: 'assistant', content: 'Never said' }, ...ask('Second')];
    const second = await post({ user: 'crm-1', metadata, messages });
    expect(second.body.parley.conversation_id).toBe(first.body.parley.conversation_id);
    const texts = await rows<{ text: string }>(
      `SELECT content->>'text' AS text FROM message WHERE role = 'end_user'
        AND conversation_id = '${second.body.parley.conversation_id}' ORDER BY id`,
    );
    expect(texts.map(({ text }) => text)).toEqual(['Hello', 'Second']);
    expect(await rows(`SELECT input FROM run WHERE id = '${second.body.id}' AND input ? 'earlier'`)).toEqual([]);
    const stolen = await post({ user: 'crm-2', metadata });
    expect(codeOf(stolen)).toEqual([409, 'already_exists']);
    const people = await rows<{ external_id: string }>(
      `SELECT external_id FROM end_user WHERE id = '${second.body.parley.end_user_id}'`,
    );
    expect(people).toEqual([{ external_id: 'crm-1' }]);
  });

  test('a call without a conversation key starts a conversation with the earlier messages as history', async () => {
    const messages = [
      { role: 'system', content: 'Ignored' },
      ...ask([{ type: 'text', text: 'My order is A-1043.' }]),
      { role: 'assistant', content: 'Thank you.', refusal: null },
      { role: 'tool', content: 'Ignored', tool_call_id: 'x' },
      ...ask('When does it ship?'),
    ];
    const [one, two] = [await post({ user: 'crm-3', messages }), await post({ user: 'crm-3', messages })];
    expect(one.body.parley.conversation_id).not.toBe(two.body.parley.conversation_id);
    expect(one.body.parley.end_user_id).toBe(two.body.parley.end_user_id);
    const earlier = await rows<{ earlier: unknown }>(
      `SELECT input->'earlier' AS earlier FROM run WHERE id = '${one.body.id}'`,
    );
    expect(earlier[0]!.earlier).toEqual([
      { role: 'end_user', text: 'My order is A-1043.' },
      { role: 'agent', text: 'Thank you.' },
    ]);
    // They were not said to the agent, so they are neither messages nor events.
    const stored = await rows<{ n: number }>(
      `SELECT count(*)::int AS n FROM message WHERE role = 'end_user' AND conversation_id = '${one.body.parley.conversation_id}'`,
    );
    expect(stored[0]!.n).toBe(1);
  });

  test('nothing is sent on the channel of the trigger', async () => {
    const channelId = newId('channel');
    await parley.db.execute(sql`INSERT INTO channel (org_id, id, agent_id, kind, name, settings)
      VALUES (${orgId}, ${channelId}, ${agentId}, 'webhook', 'Hook', '{}')`);
    const other = await givenTrigger(parley.db, orgId, agentId, { channelId });
    const { body } = await post({ metadata: { trigger: other } });
    const found = await rows<{
      kind: string;
    }>(`SELECT ch.kind FROM conversation c JOIN channel ch ON ch.id = c.channel_id
      WHERE c.id = '${body.parley.conversation_id}'`);
    expect(found).toEqual([{ kind: 'sandbox' }]);
  });
});

describe('an answer that is late or missing', () => {
  test('a late answer is reported as pending, and a repeated call with its Idempotency-Key gets it', async () => {
    const resume = await pauseRuns();
    const headers = { 'idempotency-key': 'late', prefer: 'wait=1' };
    const first = await post({}, headers);
    await resume();
    expect(codeOf(first)).toEqual([504, 'answer_pending']);
    expect([first.headers.get('retry-after'), first.headers.get('x-should-retry')]).toEqual(['1', null]);
    expect((await runOf(first.body.error.run_id)).status).toBe(200);
    expect(first.headers.get('location')).toContain(first.body.error.run_id);
    const second = await post({}, { 'idempotency-key': 'late' });
    expect([second.status, second.body.id]).toEqual([200, first.body.error.run_id]);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    const third = await post({}, { 'idempotency-key': 'late' });
    expect(third.text).toBe(second.text);
    expect(codeOf(await post({ user: 'else' }, { 'idempotency-key': 'late' }))).toEqual([422, 'idempotency_mismatch']);
    const { value: eraser } = await parley.key(orgId, { permissions: ['end_users'] });
    await parley.call('DELETE', `/api/end-users/${second.body.parley.end_user_id}`, { key: eraser });
    expect((await post({}, { 'idempotency-key': 'late' })).body).toEqual({ id: second.body.id, erased: true });
  });

  test('the response to a call without an Idempotency-Key tells clients not to repeat the call', async () => {
    const resume = await pauseRuns();
    const answer = await post({}, { prefer: 'wait=1' });
    await resume();
    expect([...codeOf(answer), answer.headers.get('x-should-retry')]).toEqual([504, 'answer_pending', 'false']);
  });

  test('a stopping server ends the wait, and another server returns the answer', async () => {
    const second = await startTestApp(ENV, { role: 'api', database: parley.database });
    const resume = await pauseRuns();
    const call = { key, body: { model: agentId, messages: ask() }, headers: { 'idempotency-key': 'stopped' } };
    const waiting = second.call('POST', PATH, call);
    const accepted = () => rows(`SELECT 1 FROM idempotency WHERE org_id = '${orgId}' AND body LIKE '%"accepted"%'`);
    await expect.poll(async () => (await accepted()).length).toBe(1);
    await second.stop();
    const answer = await waiting;
    await resume();
    expect(codeOf(answer)).toEqual([504, 'answer_pending']);
    expect((await parley.call('POST', PATH, call)).body.id).toBe(answer.body.error.run_id);
  });

  test('a stream repeats the same run for the same Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'streamed' };
    const [first, second] = [await post({ stream: true }, headers), await post({ stream: true }, headers)];
    const contents = (text: string) =>
      text
        .split('\n\n')
        .filter((line) => line.startsWith('data: {'))
        .map((line) => JSON.parse(line.slice(6)));
    const [one, two] = [contents(first.text), contents(second.text)];
    expect(first.text.endsWith('data: [DONE]\n\n')).toBe(true);
    expect(two.at(-1)).toEqual(one.at(-1));
    expect(one.at(-1)).toMatchObject({ choices: [{ finish_reason: 'stop' }], parley: { status: 'waiting_for_user' } });
    expect(one.at(-1)).not.toHaveProperty('usage');
  });

  test('a conversation that is handed over gets an empty text with its status', async () => {
    const metadata = { conversation: 'human' };
    const { body } = await post({ metadata });
    await parley.db.execute(
      sql`UPDATE conversation SET status = 'handed_off' WHERE id = ${body.parley.conversation_id}`,
    );
    const answer = await post({ metadata });
    expect(answer.body.choices[0]).toMatchObject({ message: { content: '' }, finish_reason: 'stop' });
    expect(answer.body.parley).toMatchObject({ status: 'handed_off', messages: [] });
    const streamed = await post({ metadata, stream: true });
    expect(streamed.text).toContain('"status":"handed_off"');
    expect(streamed.text.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  test('a skipped run gets an empty text with its reason', async () => {
    await parley.call('POST', PATH, { key, body: { model: agentId, messages: ask(), user: 'blocked' } });
    await parley.db.execute(sql`UPDATE end_user SET blocked = true WHERE external_id = 'blocked'`);
    const answer = await post({ user: 'blocked' });
    expect([answer.status, answer.body.choices[0].message.content]).toEqual([200, '']);
    expect(answer.body.parley).toMatchObject({ status: 'skipped', reason: 'blocked' });
  });
});
