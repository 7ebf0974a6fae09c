import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { useDocumentWorker } from '../../../test/document-worker.ts';
import { FAKE_MODEL_KEY, type FakeModel } from '../../../test/fakes/model.ts';
import type { WireFormat } from '../../../test/fakes/model-wire.ts';
import { deleteDocument } from '../../features/agents/documents.ts';
import { readEmbeddings, retryEmbeddings } from '../../features/agents/embeddings.ts';
import { checkModel } from '../../features/models/check-model.ts';
import { removeModel, setModel } from '../../features/models/set-model.ts';
import { newId } from '../../kernel/ids.ts';
import type { Db } from '../../store/db.ts';
import { EMBEDDINGS } from '../../store/embeddings/queue.ts';
import { readAgentVectors } from '../../store/embeddings/read.ts';
import { readVectorPiece, type VectorPlace } from '../../store/embeddings/vectors.ts';
import { writeBudget } from '../../store/costs/budgets.ts';
import { createEmbeddingWorker } from './embedding-worker.ts';

let db: Db;
let fake: FakeModel;
let orgId: string;
let agentId: string;
const { actor, add, deps, start, stop, ...documents } = useDocumentWorker(createEmbeddingWorker, (world) => {
  ({ db, fake, orgId, agentId } = world);
  fake.embeddings.calls.length = 0;
  fake.embeddings.dimensions = 64;
});
const connect = (more: object = {}, provider: WireFormat = 'openai') =>
  documents.connect({ embedding_model: 'small', ...more }, provider);
const progress = () => readEmbeddings({ db }, orgId, agentId);
const settled = () => expect.poll(async () => (await progress()).next_at, { timeout: 30_000 }).toBe(null);
const vectors = async (): Promise<number> => {
  const { rows } = await db.execute<{ n: number }>(
    sql`SELECT count(*)::int AS n FROM passage_embedding WHERE org_id = ${orgId}`,
  );
  return rows[0]!.n;
};
const embedded = (): string[] => fake.embeddings.calls.flatMap(({ texts }) => texts);
const paragraphs = (many: number, word = 'Room'): string =>
  `# ${word}s\n\n${Array.from({ length: many }, (_, at) => `${word} ${at} has a desk, and a view of the sea.`).join('\n\n')}`;

describe('in the background', () => {
  test.each(['openai', 'openai_compatible', 'google'] as const)(
    'every passage gets one vector from %s',
    async (provider) => {
      await connect({}, provider);
      await add(paragraphs(150));
      start();
      await settled();
      expect(await progress()).toMatchObject({
        model: { provider, name: 'small', dimensions: 64 },
        passages: 150,
        embedded: 150,
        documents: { all: 1, done: 1, uncounted: 0, failed: 0 },
        fault: null,
      });
      expect(embedded()).toHaveLength(150);
      expect(new Set(embedded()).size).toBe(150);
      expect(embedded()[0]).toBe('Rooms\nRoom 0 has a desk, and a view of the sea.');
    },
  );

  test('without an embedding model nothing is queued, called or stored', async () => {
    await connect({ embedding_model: null });
    await add(paragraphs(3));
    start();
    await new Promise((resolve) => setTimeout(resolve, 150));
    const { rows } = await db.execute(sql`SELECT 1 FROM document_embedding WHERE org_id = ${orgId}`);
    expect([rows.length, await vectors(), embedded().length]).toEqual([0, 0, 0]);
    expect(await progress()).toMatchObject({ model: null, passages: 0 });
  });

  test('documents that are older than the model are embedded too', async () => {
    await add(paragraphs(3));
    await connect();
    start();
    await settled();
    expect(await vectors()).toBe(3);
  });

  test('an unchanged passage is not embedded again, in another version or another document', async () => {
    await connect();
    const first = await add(paragraphs(20));
    start();
    await settled();
    await add(`${paragraphs(20)}\n\nRoom 20 is new.`, 'Guide, second edition');
    await settled();
    expect(embedded().filter((text) => text.includes('is new'))).toHaveLength(1);
    expect(embedded()).toHaveLength(21);
    await deleteDocument({ db }, orgId, agentId, first, actor);
    expect(await vectors()).toBe(21);
  });

  test('vectors are deleted with their document, and with the embedding model', async () => {
    await connect();
    const id = await add(paragraphs(4));
    await add(paragraphs(5, 'Hall'));
    start();
    await settled();
    await deleteDocument({ db }, orgId, agentId, id, actor);
    expect(await vectors()).toBe(5);
    await connect({ embedding_model: null });
    await expect.poll(vectors).toBe(0);
    const { rows } = await db.execute(sql`SELECT 1 FROM document_embedding WHERE org_id = ${orgId}`);
    expect(rows).toEqual([]);
    await connect();
    await settled();
    expect(await vectors()).toBe(5);
    await removeModel({ db }, orgId, 'openai', actor);
    await expect.poll(vectors).toBe(0);
  });

  test('a new model replaces all vectors, and no search uses the old vectors during the replacement', async () => {
    await connect();
    await add(paragraphs(6));
    start();
    await settled();
    expect(await readAgentVectors(db.$client, orgId, agentId)).toMatchObject({ model: 'small', dimensions: 64 });
    await stop();
    fake.embeddings.dimensions = 32;
    await connect({ embedding_model: 'large' });
    expect(await readAgentVectors(db.$client, orgId, agentId)).toBe(null);
    start();
    await settled();
    expect(await readAgentVectors(db.$client, orgId, agentId)).toMatchObject({ model: 'large', dimensions: 32 });
    expect(await vectors()).toBe(6);
  });

  test("the agent's next turn reads the new vectors", async () => {
    await connect();
    await add(paragraphs(2));
    const revision = async () =>
      (await db.execute<{ revision: number }>(sql`SELECT revision FROM agent WHERE id = ${agentId}`)).rows[0]!.revision;
    const before = await revision();
    start();
    await settled();
    await expect.poll(revision).toBeGreaterThan(before);
  });
});

describe('a fault', () => {
  test('after 429 with Retry-After no worker calls the provider for that time, and the progress shows the reason', async () => {
    await connect();
    await add(paragraphs(3));
    await add(paragraphs(3, 'Hall'));
    fake.embeddings.script({ status: 429, headers: { 'retry-after': '2' } });
    const begun = Date.now();
    start();
    await expect.poll(async () => (await progress()).fault?.code).toBe('provider_rate_limited');
    // Both lanes may have called at the same time.
    expect(fake.embeddings.calls.length).toBeLessThanOrEqual(2);
    await db.execute(sql`UPDATE document_embedding SET due_at = now() WHERE due_at IS NOT NULL AND lease IS NULL`);
    await settled();
    expect(Date.now() - begun).toBeGreaterThanOrEqual(1_900);
    expect(await progress()).toMatchObject({ passages: 6, embedded: 6, fault: null });
  });

  test.each([[{ garbage: 'not_json' }], [{ extra: -1 }], [{ dimensions: 32 }], [{ garbage: 'infinite' }]] as const)(
    'after the reply %j nothing is stored, and the document is tried again',
    async (reply) => {
      await connect();
      await checkModel({ db, answering: { connections: deps() } }, orgId, 'openai');
      await add(paragraphs(3));
      fake.embeddings.script(reply);
      start();
      await expect.poll(async () => (await progress()).fault?.code).toBe('provider_garbled');
      expect(await vectors()).toBe(0);
      expect((await progress()).next_at).not.toBe(null);
      await retryEmbeddings({ db }, orgId, agentId, actor);
      await settled();
      expect(await vectors()).toBe(3);
    },
  );

  test('a wrong key stops all documents with a clear reason, until a key is entered again', async () => {
    await connect({ key: 'wrong' });
    await add(paragraphs(2));
    await add(paragraphs(2, 'Hall'));
    start();
    await settled();
    const stopped = await progress();
    expect(stopped).toMatchObject({ embedded: 0, documents: { all: 2, failed: 2 } });
    expect(stopped.fault).toMatchObject({ code: 'provider_refused', detail: expect.stringContaining('API key') });
    await connect();
    await settled();
    expect(await progress()).toMatchObject({ embedded: 4, fault: null, documents: { done: 2, failed: 0 } });
  });

  test('a budget is reserved before each call, and the real usage is counted', async () => {
    await connect();
    const budget = { subject: 'agent', subjectId: agentId, period: 'day', unit: 'tokens' };
    const id = newId('budget');
    await writeBudget(db, orgId, { ...budget, id, amount: '10' });
    await add(paragraphs(2));
    start();
    await expect.poll(async () => (await progress()).fault?.code).toBe('budget_spent');
    expect(fake.embeddings.calls).toHaveLength(0);
    await writeBudget(db, orgId, { ...budget, id, amount: '100000' });
    await retryEmbeddings({ db }, orgId, agentId, actor);
    await settled();
    const { rows } = await db.execute(sql`SELECT provider, model, turns, calls, input_tokens::int AS input
      FROM model_usage WHERE org_id = ${orgId}`);
    const input = embedded().reduce((sum, text) => sum + Math.ceil(text.length / 4), 0);
    expect(rows).toEqual([{ provider: 'openai', model: 'small', turns: 0, calls: 1, input }]);
    const { rows: budgets } = await db.execute(sql`SELECT spent::int, reserved::int FROM budget WHERE id = ${id}`);
    expect(budgets).toEqual([{ spent: input, reserved: 0 }]);
  });

  test('a worker that lost its lease stores nothing', async () => {
    await connect();
    await add(paragraphs(3));
    const [mine] = [await EMBEDDINGS.claimDocument(db, 'lease-1')];
    expect(await EMBEDDINGS.claimDocument(db, 'lease-2')).toBe(null);
    await db.execute(sql`UPDATE document_embedding SET due_at = now() WHERE org_id = ${orgId}`);
    const theirs = await EMBEDDINGS.claimDocument(db, 'lease-2');
    expect(theirs?.document_id).toBe(mine!.document_id);
    expect(await EMBEDDINGS.holdDocument(db, mine!)).toBe(false);
    expect(await EMBEDDINGS.holdDocument(db, theirs!)).toBe(true);
  });

  test('a stopped worker leaves the rest to the next one, which embeds nothing twice', async () => {
    await connect();
    await add(paragraphs(150));
    let release = (): void => {};
    fake.embeddings.script(
      { after: Promise.resolve() },
      { after: new Promise<void>((resolve) => (release = resolve)) },
    );
    start();
    await expect.poll(() => fake.embeddings.calls.length).toBe(2);
    await stop();
    release();
    expect(await vectors()).toBe(8);
    const asked = embedded().length;
    start();
    await settled();
    expect(await vectors()).toBe(150);
    // Only the batch that was under way is asked for again.
    expect(embedded()).toHaveLength(150 + asked - 8);
  });
});

test('the vectors of an agent are read in pieces, and each only once', async () => {
  await connect();
  fake.embeddings.dimensions = 4_096;
  await checkModel({ db, answering: { connections: deps() } }, orgId, 'openai');
  await add(paragraphs(300));
  await add(paragraphs(20, 'Hall'));
  start();
  await settled();
  const seen: string[] = [];
  let pieces = 0;
  for (let after: VectorPlace | null = null; ; pieces++) {
    const piece = await readVectorPiece(db.$client, orgId, agentId, 4_096, after);
    if (piece === null) break;
    expect(piece.vectors.length).toBe((piece.hashes.length / 16) * 4_096);
    for (let at = 0; at < piece.hashes.length; at += 16) seen.push(piece.hashes.toString('hex', at, at + 16));
    after = piece.last;
  }
  expect(pieces).toBe(2);
  expect(new Set(seen).size).toBe(320);
  expect(seen).toHaveLength(320);
});

describe('a connection', () => {
  test('Anthropic accepts no embedding model, and only one connection makes embeddings', async () => {
    await expect(connect({}, 'anthropic')).rejects.toMatchObject({
      code: 'validation_failed',
      extras: { errors: [{ pointer: '/embedding_model', code: 'unsupported' }] },
    });
    await connect();
    await connect({ embedding_model: 'other' }, 'google');
    expect(await progress()).toMatchObject({ model: { provider: 'google', name: 'other', dimensions: null } });
    // A change of the key alone leaves it.
    await setModel(deps(), orgId, 'google', { key: FAKE_MODEL_KEY }, actor);
    expect(await progress()).toMatchObject({ model: { provider: 'google', name: 'other' } });
  });

  test('checking a connection stores the number of dimensions, and a new number replaces all vectors', async () => {
    await connect();
    const check = () => checkModel({ db, answering: { connections: deps() } }, orgId, 'openai');
    expect(await check()).toEqual({ embedding_model: 'small', embedding_dimensions: 64 });
    await add(paragraphs(3));
    start();
    await settled();
    fake.embeddings.dimensions = 32;
    expect(await check()).toMatchObject({ embedding_dimensions: 32 });
    await settled();
    expect(await readAgentVectors(db.$client, orgId, agentId)).toMatchObject({ dimensions: 32 });
    fake.embeddings.script({ status: 404, message: 'The model `small` does not exist' });
    await expect(check()).rejects.toMatchObject({ code: 'provider_failed', message: expect.stringContaining('small') });
    await connect({ embedding_model: null });
    await expect(check()).rejects.toMatchObject({ code: 'validation_failed' });
  });
});
