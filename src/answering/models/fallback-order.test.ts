import { sql } from 'drizzle-orm';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AgentDefinition } from '../../../contract/agents.ts';
import { MODEL_PROVIDERS } from '../../../contract/dashboard/models.ts';
import { givenOrganization } from '../../../test/factories.ts';
import { FAKE_MODEL_KEY, type FakeModel, startFakeModel } from '../../../test/fakes/model.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts';
import { NO_KNOWLEDGE, type TurnResult, type Words } from '../../engine/provider.ts';
import { setModel } from '../../features/models/set-model.ts';
import { createEgress, type Egress } from '../../kernel/egress.ts';
import { newId } from '../../kernel/ids.ts';
import { deriveKey } from '../../kernel/seal.ts';
import { type Db, openDb } from '../../store/db.ts';
import { writeBudget } from '../../store/costs/budgets.ts';
import { createFindProvider } from './find-provider.ts';
import { tryContext } from '../try-context.ts';

/** An agent's models in their order, over real sockets to fakes that speak the providers' formats. */
let database: TestDatabase;
let db: Db;
let egress: Egress;
let orgId: string;
let models: Record<(typeof MODEL_PROVIDERS)[number], FakeModel>;
const sealingKey = deriveKey(Buffer.alloc(32, 7), 'test');
const actor = { userId: 'user_test', address: null, requestId: null };

beforeAll(async () => {
  database = await createTestDatabase();
  db = openDb(database.url);
  egress = createEgress({ allow: ['127.0.0.1'] });
});
beforeEach(async () => {
  orgId = await givenOrganization(db);
  const started = await Promise.all(MODEL_PROVIDERS.map(async (name) => [name, await startFakeModel()] as const));
  models = Object.fromEntries(started) as typeof models;
  for (const [name, model] of started) {
    await setModel(
      { db, egress, sealingKey },
      orgId,
      name,
      { base_url: model.baseUrl(name), key: FAKE_MODEL_KEY },
      actor,
    );
  }
});
afterEach(async () => {
  for (const model of Object.values(models)) await model.close();
});
afterAll(async () => {
  await egress.close();
  await db.$client.end();
  await database.drop();
});

const FIRST: AgentDefinition = { provider: 'openai', model: 'first' };
const SECOND = { provider: 'anthropic', model: 'second' } as const;
let turns = 0;

async function ask(definition: AgentDefinition, words?: Words, its: Db = db): Promise<TurnResult> {
  const log = pino({ level: 'silent' });
  const callTool = () => Promise.reject(new Error('There are no tools.'));
  const findProvider = createFindProvider({
    db: its,
    egress,
    sealingKey,
    turnKey: sealingKey,
    baseUrl: 'https://parley.test',
    callTool,
    findChangedTools: async () => new Set(),
    log,
  });
  const provider = await findProvider(orgId, { definition });
  const text = `When does it ship? ${++turns}`;
  return provider.turn({
    agent: { id: 'agent_1', name: 'Concierge', definition },
    locale: null,
    variables: {},
    end_user: { id: 'enduser_1', name: null, locale: null },
    history: [{ role: 'end_user', text }],
    input: [text],
    state: null,
    knowledge: NO_KNOWLEDGE,
    now: new Date(),
    context: tryContext(orgId, 'agent_1'),
    account: { lease: 'node_1', key_id: 'key_1', campaign_id: null },
    signal: AbortSignal.timeout(20_000),
    ...(words && { words }),
  });
}

const textOf = ({ messages: [message] }: TurnResult) => message?.content.type === 'text' && message.content.text;
const rows = async (table: 'model_turn' | 'model_usage' | 'budget') =>
  (await db.execute(sql`SELECT * FROM ${sql.raw(table)} WHERE org_id = ${orgId} ORDER BY 2`)).rows;
const limit = (amount: string) =>
  writeBudget(db, orgId, {
    id: newId('budget'),
    subject: 'organization',
    subjectId: '',
    period: 'month',
    unit: 'tokens',
    amount,
  });

test.each(MODEL_PROVIDERS)('the tokens that %s reports are counted, including cached ones', async (provider) => {
  models[provider].script({ text: 'Monday.', used: { input: 900, cached: 600, output: 40 } });
  await ask({ provider, model: 'm' });
  const used = { input_tokens: '900', cached_tokens: '600', output_tokens: '40' };
  expect(await rows('model_usage')).toMatchObject([
    { provider, model: 'm', key_id: 'key_1', turns: 1, calls: 1, ...used },
  ]);
  expect(await rows('model_turn')).toMatchObject([{ provider, unmeasured: 0, cost: null, instead_of: [], ...used }]);
});

test.each(MODEL_PROVIDERS)('a streamed answer of %s is counted like a whole answer', async (provider) => {
  models[provider].script({ text: 'Monday.', used: { input: 900, cached: 600, output: 40 } });
  let shown = '';
  const words = { isRead: () => true, add: (text: string) => void (shown += text), takeBack: () => void (shown = '') };
  await ask({ provider, model: 'm' }, words);
  expect([shown, models[provider].calls.length]).toEqual(['Monday.', 1]);
  expect(await rows('model_usage')).toMatchObject([
    { calls: 1, unmeasured: 0, input_tokens: '900', cached_tokens: '600', output_tokens: '40' },
  ]);
});

test.each([-1_000_000, 0.5, 1e15])(
  'if a provider reports %d tokens, the budget is charged with the upper limit of the call',
  async (tokens) => {
    await limit('1000000');
    for (const used of [
      { input: tokens, cached: 0, output: 10 },
      { input: 10, cached: 0, output: tokens },
    ]) {
      models.openai_compatible.script({ text: 'Monday.', used });
      const result = await ask({ provider: 'openai_compatible', model: 'm' });
      const [step] = result.trace.steps.filter(({ kind }) => kind === 'model');
      expect(step).toMatchObject({ input_tokens: null, output_tokens: null });
    }
    // The upper limit of the output of both calls counts.
    const [budget] = await rows('budget');
    expect(Number(budget!['spent'])).toBeGreaterThan(2 * 8_192);
    expect(budget).toMatchObject({ reserved: '0' });
    expect(await rows('model_turn')).toMatchObject([
      { unmeasured: 1, input_tokens: '0' },
      { unmeasured: 1, input_tokens: '0' },
    ]);
  },
);

test('each failure leads to the next model whose rule matches, and the turn records the reason', async () => {
  models.openai.script({ status: 500 });
  models.anthropic.script({ text: 'Monday, says the second.' });
  const google = { provider: 'google', model: 'third', when: ['limit'] } as const;
  const result = await ask({ ...FIRST, fallback: [{ ...google, when: [...google.when] }, SECOND] });
  expect(textOf(result)).toBe('Monday, says the second.');
  expect(result.trace.steps[0]).toEqual({ kind: 'fallback', detail: 'openai/first: provider_unreachable' });
  expect(models.google.calls).toHaveLength(0);
  // The refused call used nothing, but it was made.
  expect(await rows('model_turn')).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ model: 'first', calls: 1, unmeasured: 0, instead_of: [] }),
      expect.objectContaining({
        model: 'second',
        instead_of: [{ provider: 'openai', model: 'first', code: 'provider_unreachable' }],
      }),
    ]),
  );
});

test('a slow model is given up after its time limit, and the budget is charged with the highest cost of the call', async () => {
  await limit('1000000');
  models.openai.script({ stall: 'in_body' });
  models.anthropic.script({ text: 'In time.' });
  const result = await ask({
    ...FIRST,
    time_limit_seconds: 1,
    fallback: [{ ...SECOND, time_limit_seconds: 20, when: ['slow'] }],
  });
  expect(textOf(result)).toBe('In time.');
  expect(await rows('model_usage')).toEqual(
    expect.arrayContaining([expect.objectContaining({ model: 'first', unmeasured: 1, input_tokens: '0' })]),
  );
  const [budget] = await rows('budget');
  expect(Number(budget!['spent'])).toBeGreaterThan(8_192);
  expect(budget).toMatchObject({ reserved: '0' });
});

test('an answer that breaks off is unmeasured, and the budget is charged with the highest cost of the call', async () => {
  await limit('1000000');
  models.openai.script({ garbage: 'broken_off' });
  await expect(ask(FIRST)).rejects.toMatchObject({ code: 'provider_unreachable' });
  expect(await rows('model_turn')).toMatchObject([{ calls: 1, unmeasured: 1 }]);
  const [budget] = await rows('budget');
  expect(Number(budget!['spent'])).toBeGreaterThan(8_192);
});

test('if a budget is spent, no model is called, and the embedded agent or the team answers', async () => {
  await limit('10');
  const embedded = await ask({ ...FIRST, fallback: [SECOND, { provider: 'embedded' }] });
  expect(embedded.trace.provider).toBe('embedded');
  const people = await ask({ ...FIRST, fallback: [{ provider: 'hand_off', when: ['budget'] }] });
  expect(people.next).toBe('handed_off');
  await expect(ask(FIRST)).rejects.toMatchObject({ code: 'budget_spent', retryable: false });
  expect(models.openai.calls.length + models.anthropic.calls.length).toBe(0);
  const skipped = ['first', 'second'].map((model) => expect.objectContaining({ model, code: 'budget_spent' }));
  expect(await rows('model_turn')).toEqual(
    expect.arrayContaining([expect.objectContaining({ provider: 'embedded', calls: 0, instead_of: skipped })]),
  );
});

test('three nodes at once never exceed the budget, and use it completely', async () => {
  const nodes = Array.from({ length: 3 }, () => openDb(database.url));
  const used = { input: 2_000, cached: 0, output: 8_000 };
  models.openai.script(...Array.from({ length: 60 }, () => ({ text: 'Yes.', used })));
  await limit('100000');
  const outcomes = await Promise.allSettled(
    Array.from({ length: 60 }, (_, turn) => ask(FIRST, undefined, nodes[turn % 3])),
  );
  await Promise.all(nodes.map((node) => node.$client.end()));
  const answered = outcomes.filter(({ status }) => status === 'fulfilled').length;
  expect(answered).toBeGreaterThan(3);
  expect(answered).toBe(models.openai.calls.length);
  const [budget] = await rows('budget');
  expect(budget).toMatchObject({ spent: String(answered * 10_000), reserved: '0' });
  expect(answered * 10_000).toBeLessThanOrEqual(100_000);
});

test('with a budget, a call may write only as much as was reserved for it', async () => {
  await ask(FIRST);
  expect(models.openai.calls[0]!.body.max_output_tokens).toBeUndefined();
  await limit('1000000');
  await ask(FIRST);
  await ask({ ...FIRST, max_output_tokens: 300 });
  expect(models.openai.calls.slice(1).map(({ body }) => body.max_output_tokens)).toEqual([8_192, 300]);
});

test('no node calls a provider before the pause that it requested is over', async () => {
  models.openai.script({ status: 429, headers: { 'retry-after': '30' } });
  await expect(ask(FIRST)).rejects.toMatchObject({ code: 'provider_rate_limited', waits: false });
  const waiting = await ask(FIRST).catch((error: unknown) => error);
  expect(waiting).toMatchObject({ code: 'provider_rate_limited', retryable: true, waits: true });
  expect((waiting as { retryAfterMs: number }).retryAfterMs).toBeGreaterThan(20_000);
  expect(models.openai.calls).toHaveLength(1);
  models.anthropic.script({ text: 'I am free.' });
  expect(textOf(await ask({ ...FIRST, fallback: [SECOND] }))).toBe('I am free.');
  await db.execute(sql`UPDATE model_gate SET closed_until = now() - interval '1 second' WHERE org_id = ${orgId}`);
  expect(textOf(await ask(FIRST))).toContain('You said');
  await ask(FIRST);
  expect(models.openai.calls).toHaveLength(3);
});

test('an unavailable provider is called five times, and then once after each pause', async () => {
  models.openai.script(...Array.from({ length: 20 }, () => ({ status: 503 })));
  for (let turn = 0; turn < 8; turn++) await ask(FIRST).catch(() => undefined);
  expect(models.openai.calls).toHaveLength(5);
});

const EMPTY = { empty: 'stop' } as const;
const UNREADABLE = { garbage: 'wrong_shape' } as const;

test('empty and unreadable answers in some conversations do not affect other conversations', async () => {
  for (const reply of [EMPTY, UNREADABLE, EMPTY, UNREADABLE, EMPTY, UNREADABLE, EMPTY, UNREADABLE]) {
    models.openai.script(reply, reply);
    await ask(FIRST);
  }
  expect((await db.execute(sql`SELECT 1 FROM model_gate WHERE org_id = ${orgId}`)).rows).toEqual([]);
  expect(textOf(await ask(FIRST))).toContain('You said');
  expect(models.openai.calls).toHaveLength(17);
});

test('after one retry the next model answers; if no model is left, the agent says that it does not know', async () => {
  models.openai.script(EMPTY, UNREADABLE);
  models.anthropic.script({ text: 'Monday.' });
  const next = await ask({ ...FIRST, fallback: [SECOND] });
  expect([textOf(next), models.openai.calls.length]).toEqual(['Monday.', 2]);
  models.openai.script(EMPTY, EMPTY);
  const own = await ask({ ...FIRST, dont_know: { default: 'Ask me something else.' } });
  expect([textOf(own), own.next, models.openai.calls.length]).toEqual([
    'Ask me something else.',
    'waiting_for_user',
    4,
  ]);
  expect(own.trace.steps).toContainEqual({ kind: 'fallback', detail: 'openai/first: provider_garbled' });
  models.openai.script(EMPTY, EMPTY);
  expect(textOf(await ask(FIRST))).toBe('I am sorry, I do not know the answer to that.');
});

test('models that never stop calling tools are called at most twelve times for one message', async () => {
  const call = { tool: 'none_such', args: {} };
  for (const model of Object.values(models)) model.script(...Array.from({ length: 20 }, () => call));
  const fallback = MODEL_PROVIDERS.map((provider) => ({ provider, model: 'other' }));
  const { messages } = await ask({ provider: 'openai_compatible', model: 'first', fallback });
  expect(messages).toHaveLength(1);
  expect(Object.values(models).reduce((sum, { calls }) => sum + calls.length, 0)).toBe(12);
});

test('if no model answers, the turn is tried again when a model may be called again', async () => {
  models.openai.script({ status: 401 });
  models.anthropic.script({ status: 529 });
  await expect(ask({ ...FIRST, fallback: [SECOND] })).rejects.toMatchObject({
    code: 'provider_unreachable',
    retryable: true,
  });
});
