import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../app.ts';
import { givenAgent, givenTrigger } from '../factories.ts';
import { type FakeOllama, startFakeOllama } from '../fakes/ollama.ts';
import { givenOwner, type Owner } from '../owner.ts';

/**
 * Ollama for chats and embeddings. A paraphrase without a common word is found, and no answer depends on the vectors
 * alone.
 */
let parley: TestApp;
let ollama: FakeOllama;
let owner: Owner;
let agentId: string;
let path: string;
let key: string;

const BUDGET = 500;
const QUESTION = 'Why is my aperture odd?';
const ANSWER = 'A porthole stays locked in storms.';
const PADDING = Array.from({ length: 120 }, (_, at) => `Room ${at} has a window to the garden and a desk.`);

beforeAll(async () => {
  ollama = await startFakeOllama();
  parley = await startTestApp({ PARLEY_EGRESS_ALLOW: '127.0.0.1' });
  owner = await givenOwner(parley);
  const definition = {
    provider: 'openai_compatible' as const,
    model: 'llama3.1:8b',
    knowledge: { max_tokens: BUDGET },
  };
  ({ agentId } = await givenAgent(parley.db, owner.orgId, { definition }));
  path = `/api/triggers/${agentId}/${await givenTrigger(parley.db, owner.orgId, agentId)}`;
  key = (await parley.key(owner.orgId)).value;
  await owner.call('PUT /models/openai_compatible', { base_url: ollama.baseUrl });
  const text = [ANSWER, ...PADDING].join('\n\n');
  await owner.call(`POST /agents/${agentId}/documents`, { name: 'Guide', text });
});
beforeEach(async () => {
  ollama.chats.length = 0;
  ollama.embeddings.calls.length = 0;
  await parley.db.execute(sql`DELETE FROM model_gate`);
  await parley.db.execute(sql`DELETE FROM budget`);
});
afterAll(async () => {
  await parley.stop();
  await ollama.close();
});

/** Sends a question. Returns the prompt of the model, and the part of the turn's trace about embeddings. */
async function ask(message: string): Promise<{ prompt: string; steps: unknown[] }> {
  const { status, body } = await parley.call('POST', path, { key, body: { message }, headers: { prefer: 'wait=15' } });
  expect([status, body.status]).toEqual([200, 'waiting_for_user']);
  const { rows } = await parley.db.execute<{ trace: { steps: { kind: string; detail: string }[] } }>(
    sql`SELECT trace FROM message WHERE conversation_id = ${body.conversation_id} AND role = 'agent'`,
  );
  const steps = rows.flatMap(({ trace }) => trace.steps).filter(({ kind }) => kind.startsWith('embedding'));
  return {
    prompt: JSON.stringify(ollama.chats.at(-1)!.messages),
    steps: steps.map((one) => [one.kind, one.detail]),
  };
}
const progress = async () => (await owner.call(`GET /agents/${agentId}/embeddings`)).body;
const embedsWith = async (embedding_model: string | null) => {
  const { status, body } = await owner.call('PUT /models/openai_compatible', { embedding_model });
  expect([status, body.embedding_model]).toEqual([200, embedding_model]);
};
const embedded = () => ollama.embeddings.calls.flatMap(({ texts }) => texts);

test('without an embedding model, a paraphrase is not found and nothing is embedded', async () => {
  expect(await progress()).toMatchObject({ model: null, passages: 0, fault: null });
  const { prompt, steps } = await ask(QUESTION);
  expect(prompt).not.toContain(ANSWER);
  expect([steps, embedded()]).toEqual([[], []]);
});

test('with an embedding model, a paraphrase is found, the question is embedded once, and its cost is counted', async () => {
  await embedsWith('nomic-embed-text');
  const { body: checked } = await owner.call('POST /models/openai_compatible/check');
  expect(checked).toEqual({ embedding_model: 'nomic-embed-text', embedding_dimensions: 768 });
  await expect.poll(progress, { timeout: 15_000 }).toMatchObject({ passages: 121, embedded: 121, next_at: null });
  ollama.embeddings.calls.length = 0;
  const { prompt, steps } = await ask(QUESTION);
  expect(prompt).toContain(ANSWER);
  expect(steps).toEqual([['embedding', 'used']]);
  expect(embedded()).toEqual([QUESTION]);
  const { body: usage } = await owner.call('GET /usage?by=model');
  expect(usage.data).toContainEqual(
    expect.objectContaining({
      group: 'openai_compatible/nomic-embed-text',
      use: expect.objectContaining({ turns: 0, unmeasured_calls: 0 }),
    }),
  );
});

test('a question in another language finds the passage', async () => {
  expect((await ask('لماذا نافذتي باردة')).prompt).toContain(ANSWER);
});

test.each([
  ['an error', { status: 500 }, 'provider_unreachable'],
  ['garbage', { garbage: 'not_json' }, 'provider_garbled'],
  ['a slow answer', { after: new Promise(() => {}) }, 'provider_timeout'],
] as const)(
  'only the keyword search is used after %s of the embedding model, and the run reports this',
  async (_name, reply, code) => {
    ollama.embeddings.script(reply);
    const { prompt, steps } = await ask('Does a room have a desk?');
    expect(steps).toEqual([['embedding_failed', code]]);
    expect(prompt).toContain('Room 0 has');
  },
);

test('the provider is not called during a pause that it required, and the turn does not wait', async () => {
  ollama.embeddings.script({ status: 429, headers: { 'retry-after': '60' } });
  expect((await ask(QUESTION)).steps).toEqual([['embedding_failed', 'provider_rate_limited']]);
  expect((await ask(QUESTION)).steps).toEqual([['embedding_failed', 'provider_rate_limited']]);
  expect(embedded()).toHaveLength(1);
});

test('if a budget cannot pay for the embedding, only the keyword search is used and the model still answers', async () => {
  const price = { currency: 'USD', input: 0.1, output: 0.1 };
  const of = { provider: 'openai_compatible', model: 'llama3.1:8b' };
  expect((await owner.call('PUT /model-prices', { ...of, price })).status).toBe(200);
  const budget = { subject: 'organization', period: 'day', unit: 'USD', amount: 5 };
  expect((await owner.call('PUT /budgets', budget)).status).toBe(200);
  expect((await ask(QUESTION)).steps).toEqual([['embedding_failed', 'budget_spent']]);
  expect(embedded()).toEqual([]);
});

test('nothing is embedded if all documents fit into the call of the model', async () => {
  const definition = (await owner.call(`GET /agents/${agentId}`)).body.definition;
  const set = async (max_tokens: number) => {
    await owner.call(`PATCH /agents/${agentId}`, { definition: { ...definition, knowledge: { max_tokens } } });
    expect((await owner.call(`POST /agents/${agentId}/publish`)).status).toBe(200);
  };
  await set(24_000);
  const { prompt, steps } = await ask(QUESTION);
  expect(prompt).toContain(ANSWER);
  expect([steps, embedded()]).toEqual([[], []]);
  await set(BUDGET);
});

test('the keyword search works as before after embeddings are turned off', async () => {
  await embedsWith(null);
  const { prompt, steps } = await ask(QUESTION);
  expect(prompt).not.toContain(ANSWER);
  expect([steps, embedded()]).toEqual([[], []]);
});
