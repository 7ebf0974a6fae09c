import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setModel } from '../../src/features/models/set-model.ts';
import { startTestApp, type TestApp } from '../app.ts';
import { givenAgent, givenOrganization, givenTrigger } from '../factories.ts';
import { FAKE_MODEL_KEY, type FakeModel, startFakeModel } from '../fakes/model.ts';

/** A conversation with texts from a model: through key, trigger, worker, egress and a real socket to the fake. */
let parley: TestApp;
let model: FakeModel;
let orgId: string;
let agentId: string;
let path: string;
let key: string;
const actor = { userId: 'user_test', address: null, requestId: null };

beforeAll(async () => {
  model = await startFakeModel();
  parley = await startTestApp({ PARLEY_EGRESS_ALLOW: '127.0.0.1' });
  orgId = await givenOrganization(parley.db);
  ({ agentId } = await givenAgent(parley.db, orgId, {
    definition: {
      provider: 'openai_compatible',
      model: 'local',
      instructions: 'Be brief.',
      opening: { default: 'Hello' },
    },
  }));
  path = `/api/triggers/${agentId}/${await givenTrigger(parley.db, orgId, agentId)}`;
  key = (await parley.key(orgId)).value;
});

afterAll(async () => {
  await parley.stop();
  await model.close();
});

const ask = (message: string) => parley.call('POST', path, { key, body: { message }, headers: { prefer: 'wait=15' } });
const run = async (id: string) => (await parley.call('GET', `${path}/runs/${id}?include=messages`, { key })).body;

test('a run without a connected provider fails immediately, and explains how to connect it', async () => {
  const { body } = await ask('Hi');
  const failed = await run(body.id);
  expect(failed).toMatchObject({ status: 'failed', reason: 'provider_refused' });
  expect(failed.error.detail).toContain('./parley models set');
});

test('the model answers with the key of the organization, which is encrypted in the database', async () => {
  const egress = { check: async () => {} };
  const deps = { db: parley.db, egress, sealingKey: parley.secrets.sealingKey };
  await setModel(
    deps,
    orgId,
    'openai_compatible',
    { base_url: model.baseUrl('openai_compatible'), key: FAKE_MODEL_KEY },
    actor,
  );
  const stored = await parley.db.execute(sql`SELECT sealed_key FROM model_provider`);
  expect(JSON.stringify(stored.rows)).not.toContain(FAKE_MODEL_KEY);
  model.script({ text: 'It ships on Monday.' });
  const { status, body } = await ask('When does it ship?');
  expect(status).toBe(200);
  expect(body.messages[0].content).toEqual({ type: 'text', text: 'It ships on Monday.' });
  expect(model.calls.at(-1)!.headers.authorization).toBe(`Bearer ${FAKE_MODEL_KEY}`);
});

test('a call is retried after 429 and 500 of the provider, and the person gets one answer', async () => {
  model.script({ status: 429, headers: { 'retry-after': '1' } }, { status: 500 }, { text: 'Sorry for the wait.' });
  const { body } = await ask('Are you there?');
  expect(body.messages.map((message: { content: { text: string } }) => message.content.text)).toEqual([
    'Sorry for the wait.',
  ]);
});

test('stop words take effect without a model call', async () => {
  const calls = model.calls.length;
  const { body } = await ask('STOP');
  expect(body.status).toBe('completed');
  expect(model.calls).toHaveLength(calls);
});
