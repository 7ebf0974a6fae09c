import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AgentDefinition } from '../../contract/agents.ts';
import { setModel } from '../../src/features/models/set-model.ts';
import { agent } from '../../src/store/schema/agent.ts';
import { startTestApp, type TestApp } from '../app.ts';
import { givenAgent, givenTrigger } from '../factories.ts';
import { FAKE_MODEL_KEY, type FakeModel, startFakeModel } from '../fakes/model.ts';
import type { ModelReply } from '../fakes/model-wire.ts';
import { type Receiver, startReceiver } from '../fakes/receiver.ts';
import { type SignedIn, signedInOwner } from '../signed-in.ts';

/** The result of a run, through the whole program: from the steps of an agent to the API and the events. */
let parley: TestApp;
let endpoint: Receiver;
let call: SignedIn;
let orgId: string;
let key: string;

beforeAll(async () => {
  endpoint = await startReceiver();
  parley = await startTestApp({ PARLEY_EGRESS_ALLOW: '127.0.0.1' });
  ({ call, orgId } = await signedInOwner(parley));
  key = (await parley.key(orgId, { permissions: ['triggers', 'end_users'] })).value;
  await call(`POST /organizations/${orgId}/webhooks`, { url: `${endpoint.url}/hook` });
});
afterAll(async () => {
  await parley?.stop();
  await endpoint?.stop();
});

type Told = { type: string; data: { id: string; run_id: string; result: object; reason: string } };
const received = (type: string, id: string): Told['data'][] =>
  endpoint.calls
    .map(({ body }) => JSON.parse(body.toString()) as Told)
    .filter((event) => event.type === type && event.data.id === id)
    .map(({ data }) => data);

const DEFINITION: AgentDefinition = {
  steps: {
    items: [
      { name: 'people', type: 'number', ask: { default: 'How many?' } },
      { name: 'email', type: 'email', ask: { default: 'Which e-mail?' } },
      { name: 'note', type: 'text', optional: true, ask: { default: 'A note?' } },
    ],
  },
};

/** A trigger of an agent; `start` begins a conversation, `say` answers in it, `read` reads its run. */
async function given(definition: AgentDefinition) {
  const { agentId } = await givenAgent(parley.db, orgId, { definition });
  const path = `/api/triggers/${agentId}/${await givenTrigger(parley.db, orgId, agentId)}`;
  return {
    agentId,
    path,
    start: async (body: object = {}) =>
      (await parley.call('POST', path, { key, body, headers: { prefer: 'wait=10' } })).body as Record<string, string>,
    say: (conversation: string, text: string) =>
      call(`POST /organizations/${orgId}/conversations/${conversation}/say`, { text }),
    read: async (id: string) => (await parley.call('GET', `${path}/runs/${id}`, { key })).body,
  };
}

test('steps fill the result turn by turn, and the last event of the run contains it', async () => {
  const { start, say, read } = await given(DEFINITION);
  const { id, conversation_id: conversation } = await start();
  expect(await read(id!)).toMatchObject({ agent_version: 1, result: { status: 'none', missing: ['people', 'email'] } });
  await say(conversation!, '4');
  expect((await read(id!)).result).toMatchObject({ status: 'partial', data: { people: 4 }, missing: ['email'] });
  await say(conversation!, 'asha@example.qa');
  await say(conversation!, 'skip');
  const run = await read(id!);
  expect(run).toMatchObject({
    status: 'completed',
    result: { status: 'complete', data: { people: 4, email: 'asha@example.qa' }, missing: [] },
  });
  await expect.poll(() => received('run.completed', id!)).toMatchObject([{ agent_version: 1, result: run.result }]);
});

test('changes of a result within one second cause one event, with the latest values', async () => {
  const { start, say } = await given(DEFINITION);
  const { id, conversation_id: conversation } = await start();
  await say(conversation!, '4');
  await say(conversation!, 'asha@example.qa');
  const data = { people: 4, email: 'asha@example.qa' };
  const updates = () => received('run.result_updated', id!);
  await expect.poll(() => updates().at(-1)?.result).toMatchObject({ status: 'partial', data });
  expect(updates().length).toBeLessThanOrEqual(2);
});

test('turns without a value cause no event about the result', async () => {
  const { start, say } = await given({});
  const { id, conversation_id: conversation } = await start();
  await say(conversation!, 'Hello?');
  const pending = await parley.db.execute(sql`SELECT result_event_at FROM run WHERE id = ${id!}`);
  expect(pending.rows).toEqual([{ result_event_at: null }]);
  const events = await parley.db.execute(
    sql`SELECT FROM event WHERE type = 'run.result_updated' AND data ->> 'id' = ${id!}`,
  );
  expect(events.rows).toEqual([]);
});

test('a run keeps its collected values when a member takes over', async () => {
  const { start, say } = await given(DEFINITION);
  const { conversation_id: conversation } = await start();
  await say(conversation!, '4');
  await call(`POST /organizations/${orgId}/conversations/${conversation}/take-over`);
  await expect
    .poll(() => received('conversation.handed_off', conversation!)[0]?.result)
    .toMatchObject({ status: 'partial', data: { people: 4 }, missing: ['email'] });
});

test('a cancelled run keeps its collected values, in the API and in the export', async () => {
  const { start, say, read, path } = await given(DEFINITION);
  const { id, conversation_id: conversation } = await start();
  await say(conversation!, '4');
  const cancelled = await parley.call('POST', `${path}/runs/${id}/cancel`, { key, body: {} });
  expect(cancelled.status).toBe(200);
  const { result } = await read(id!);
  expect(result).toMatchObject({ status: 'partial', data: { people: 4 }, missing: ['email'] });
  const listed = (await parley.call('GET', `${path}/runs?status=cancelled`, { key })).body.data;
  expect(listed).toMatchObject([{ id, status: 'cancelled', result }]);
  const trigger = path.split('/').at(-1);
  const { text } = await call(`GET /organizations/${orgId}/triggers/${trigger}/results.csv`);
  expect(text).toMatch(new RegExp(`${id},.*,cancelled,.*,partial,email,4,`));
});

test('a run that continues after a hand-off keeps its values and completes its result', async () => {
  const { start, say, read } = await given(DEFINITION);
  const { id, conversation_id: conversation } = await start();
  await say(conversation!, '4');
  const at = `/organizations/${orgId}/conversations/${conversation}`;
  await call(`POST ${at}/take-over`);
  expect(await read(id!)).toMatchObject({ status: 'handed_off', result: { status: 'partial', data: { people: 4 } } });
  await call(`POST ${at}/hand-back`);
  await say(conversation!, 'asha@example.qa');
  await say(conversation!, 'skip');
  const data = { people: 4, email: 'asha@example.qa' };
  expect(await read(id!)).toMatchObject({ status: 'completed', result: { status: 'complete', data, missing: [] } });
});

test('values are stored with the person, but an address never replaces one and is never the address of another person', async () => {
  const { start, say } = await given({
    ...DEFINITION,
    result: {
      fields: [
        { name: 'people', type: 'integer', save_to: 'end_user.attributes.party' },
        { name: 'email', type: 'email', save_to: 'end_user.email' },
      ],
    },
  });
  const answer = async (person: object, email: string) => {
    const { conversation_id: conversation, end_user_id: id } = await start({ end_user: person });
    await say(conversation!, '4');
    await say(conversation!, email);
    return (await parley.call('GET', `/api/end-users/${id}`, { key })).body;
  };
  expect(await answer({ external_id: 'a' }, 'noor@example.qa')).toMatchObject({
    email: 'noor@example.qa',
    attributes: { party: 4 },
  });
  expect(await answer({ external_id: 'a' }, 'other@example.qa')).toMatchObject({ email: 'noor@example.qa' });
  expect(await answer({ external_id: 'b' }, 'noor@example.qa')).toMatchObject({
    email: null,
    attributes: { party: 4 },
  });
});

describe('a model fills the fields at the hand-off', () => {
  const FIELDS: AgentDefinition = {
    provider: 'openai_compatible',
    model: 'local',
    result: {
      fields: [
        { name: 'city', type: 'text', description: 'Where to', required: true },
        { name: 'day', type: 'date', required: true },
        { name: 'size', type: 'choice', choices: ['small', 'large'] },
      ],
    },
  };
  const handOff = { tool: 'hand_off_to_human', args: { reason: 'asked', message: 'A colleague comes.' } };
  let model: FakeModel;

  beforeAll(async () => {
    model = await startFakeModel();
    const deps = { db: parley.db, egress: { check: async () => {} }, sealingKey: parley.secrets.sealingKey };
    const actor = { userId: 'user_test', address: null, requestId: null };
    const at = { base_url: model.baseUrl('openai_compatible'), key: FAKE_MODEL_KEY };
    await setModel(deps, orgId, 'openai_compatible', at, actor);
  });
  afterAll(() => model.close());

  const handedOver = async (...answers: ModelReply[]) => {
    const { start, read } = await given(FIELDS);
    model.script(handOff, ...answers);
    const calls = model.calls.length;
    const { id, conversation_id: conversation } = await start({ message: 'A large one to Doha on the 24th, please.' });
    return { run: await read(id!), conversation: conversation!, asked: model.calls.slice(calls + 1) };
  };

  test('the model fills all fields in one call at the hand-off, before the event is sent', async () => {
    const found = { city: 'Doha', day: '2026-11-24', size: 'large' };
    const { run, conversation, asked } = await handedOver({ text: JSON.stringify(found) });
    expect(run).toMatchObject({ status: 'handed_off', result: { status: 'complete', data: found, missing: [] } });
    await expect.poll(() => received('conversation.handed_off', conversation)[0]?.result).toEqual(run.result);
    expect(asked).toHaveLength(1);
    expect(asked[0]!.body).toMatchObject({ response_format: { type: 'json_object' } });
    expect(asked[0]!.body).not.toHaveProperty('tools');
    expect(JSON.stringify(asked[0]!.body.messages)).toContain('A large one to Doha');
    const used = await parley.db.execute(sql`SELECT sum(calls)::int AS calls FROM model_turn WHERE run_id = ${run.id}`);
    expect(used.rows).toEqual([{ calls: 2 }]);
  });

  test('the model is called once more with the faults, and values that are still invalid are dropped', async () => {
    const wrong = JSON.stringify({ city: 'Doha', day: 'the 24th', size: 'huge' });
    const { run, asked } = await handedOver({ text: 'Doha!' }, { text: wrong });
    expect(asked).toHaveLength(2);
    expect(JSON.stringify(asked[1]!.body.messages)).toContain('not one JSON object');
    expect(run.result).toMatchObject({ status: 'partial', data: { city: 'Doha' }, missing: ['day'] });
  });

  test('the model fills the fields when a member ends the conversation, before the event of the run is sent', async () => {
    const { start, read } = await given(FIELDS);
    model.script({ text: 'Noted.' });
    const { id, conversation_id: conversation } = await start({ message: 'To Doha on the 24th, please.' });
    model.script({ text: JSON.stringify({ city: 'Doha', day: '2026-11-24', size: null }) });
    await call(`POST /organizations/${orgId}/conversations/${conversation}/resolve`);
    await expect.poll(() => received('run.completed', id!)).toHaveLength(1);
    const run = await read(id!);
    expect(run).toMatchObject({
      status: 'completed',
      reason: 'resolved',
      result: { status: 'complete', data: { city: 'Doha', day: '2026-11-24' } },
    });
    expect(received('run.completed', id!)).toMatchObject([{ reason: 'resolved', result: run.result }]);
  });

  test('a model that fails does not delay the hand-off, and the result reports the failure', async () => {
    const { run } = await handedOver({ status: 400 });
    expect(run).toMatchObject({
      status: 'handed_off',
      result: { status: 'failed', data: {}, missing: ['city', 'day'] },
    });
  });
});

test('a result is in the export of its person, and is erased with the person', async () => {
  const { start, say, read } = await given(DEFINITION);
  const { id, conversation_id: conversation, end_user_id: person } = await start();
  await say(conversation!, '4');
  const { body } = await parley.call('GET', `/api/end-users/${person}/export`, { key });
  expect(body.runs).toMatchObject([{ id, agent_version: 1, result: { data: { people: 4 } } }]);
  await expect.poll(() => received('run.result_updated', id!).length).toBe(1);
  await parley.call('DELETE', `/api/end-users/${person}`, { key });
  expect(await read(id!)).toMatchObject({ code: 'run_not_found' });
  const left = await parley.db.execute(sql`SELECT FROM event WHERE data::text LIKE ${`%${id}%`}`);
  expect(left.rows).toEqual([]);
});

test('results are exported as CSV without formulas, including values of removed fields', async () => {
  const item = { name: 'note', type: 'text' as const, ask: { default: 'A note?' } };
  const { agentId, path, start, say } = await given({ steps: { items: [item] } });
  const { id, conversation_id: conversation } = await start({ end_user: { external_id: 'csv' } });
  await say(conversation!, '=1+1');
  const triggerId = path.split('/').at(-1)!;
  const at = `/organizations/${orgId}/triggers/${triggerId}/results.csv`;
  const [head, row] = (await call(`GET ${at}`)).text.trimEnd().split('\r\n');
  expect(head).toBe('run_id,created_at,finished_at,status,reason,ref,end_user_id,external_id,conversation_id,agent_version,result_status,missing,result.note,other'); // prettier-ignore
  expect(row).toMatch(new RegExp(`^${id},.*,completed,.*,enduser_\\w+,csv,conv_.*,complete,,'=1\\+1,$`));
  await parley.db.update(agent).set({ published: {} }).where(eq(agent.id, agentId));
  expect((await call(`GET ${at}`)).text).toContain(`"{""note"":""=1+1""}"`);
  expect((await call(`GET /organizations/${orgId}/triggers/trigger_unknown/results.csv`)).status).toBe(404);
});

test('runs are listed by the time of their creation', async () => {
  const { path, start } = await given(DEFINITION);
  const first = await start();
  const second = await start();
  const list = async (query: string) =>
    (await parley.call('GET', `${path}/runs?${query}`, { key })).body.data.map(({ id }: { id: string }) => id);
  const { created_at: at } = second as { created_at: string };
  expect(await list(`created_after=${at}`)).toEqual([second['id']]);
  expect(await list(`created_before=${at}`)).toEqual([first['id']]);
  expect(await list(`created_after=${at}&created_before=${at}`)).toEqual([]);
  expect((await parley.call('GET', `${path}/runs?created_after=yesterday`, { key })).status).toBe(422);
});
