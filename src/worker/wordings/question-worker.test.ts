import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { useDocumentWorker } from '../../../test/document-worker.ts';
import type { FakeModel } from '../../../test/fakes/model.ts';
import type { WireFormat } from '../../../test/fakes/model-wire.ts';
import { createKnowledge } from '../../answering/knowledge/ask-knowledge.ts';
import { deleteDocument } from '../../features/agents/documents.ts';
import { readEmbeddings, retryEmbeddings } from '../../features/agents/embeddings.ts';
import { removeModel } from '../../features/models/set-model.ts';
import { newId } from '../../kernel/ids.ts';
import { createLogger } from '../../kernel/log.ts';
import { readAgentForTurns, readNextDocument } from '../../store/agents/read-for-turns.ts';
import { writeBudget } from '../../store/costs/budgets.ts';
import type { Db } from '../../store/db.ts';
import { createQuestionWorker } from './question-worker.ts';

let db: Db;
let fake: FakeModel;
let orgId: string;
let agentId: string;
const { actor, add, start, ...documents } = useDocumentWorker(createQuestionWorker, (world) => {
  ({ db, fake, orgId, agentId } = world);
  fake.calls.length = 0;
});
const connect = (more: object = {}, provider: WireFormat = 'openai') =>
  documents.connect({ question_model: 'writer', ...more }, provider);
const progress = async () => (await readEmbeddings({ db }, orgId, agentId)).questions;
const settled = () => expect.poll(async () => (await progress()).next_at, { timeout: 30_000 }).toBe(null);
const stored = async (): Promise<string[]> => {
  const { rows } = await db.execute<{ question: string }>(
    sql`SELECT unnest(questions) AS question FROM passage_question WHERE org_id = ${orgId} ORDER BY question`,
  );
  return rows.map(({ question }) => question);
};
const log = createLogger({ level: 'silent', pretty: false });
const HUTS = '# Huts\n\nA hut costs 40 euros a night and has two beds.\n\nDogs sleep outside and must be on a lead.';
const WRITTEN = '{"1": ["How expensive is a cabin?", "Room price?"], "2": ["May my puppy come along?"]}';
/** The answer of an agent without a model. The expected passage may also be offered in a question back. */
const answer = async (question: string) => {
  const { edition, bytes } = (await readAgentForTurns(db.$client, orgId, agentId))!;
  const knowledge = createKnowledge({ log, readDocument: (...of) => readNextDocument(db.$client, ...of) });
  try {
    return await knowledge.of({ orgId, agentId, edition: edition!, bytes }).answer(question);
  } finally {
    await knowledge.stop();
  }
};

test.each(['openai', 'openai_compatible', 'anthropic', 'google'] as const)(
  'the model of %s writes questions for each passage, and its tokens are counted',
  async (provider) => {
    await connect({}, provider);
    fake.script({
      text: `Here they are:\n\`\`\`json\n${WRITTEN}\n\`\`\``,
      used: { input: 300, cached: 0, output: 40 },
    });
    await add(HUTS);
    start();
    await settled();
    expect(await progress()).toMatchObject({
      model: { provider, name: 'writer' },
      passages: 2,
      written: 2,
      fault: null,
    });
    expect(await stored()).toEqual(['How expensive is a cabin?', 'May my puppy come along?', 'Room price?']);
    expect(fake.calls).toHaveLength(1);
    expect(JSON.stringify(fake.calls[0]!.body)).toContain('Dogs sleep outside');
    const { rows } = await db.execute(sql`SELECT model, turns, calls, input_tokens::int AS input,
      output_tokens::int AS output FROM model_usage WHERE org_id = ${orgId}`);
    expect(rows).toEqual([{ model: 'writer', turns: 0, calls: 1, input: 300, output: 40 }]);
  },
);

test('an agent without a model finds a passage by the questions, and quotes only the passage', async () => {
  await connect();
  fake.script({ text: WRITTEN });
  await add(HUTS);
  const before = await answer('May my puppy come along?');
  expect(before.findings).toEqual([]);
  start();
  await settled();
  const { findings } = await answer('May my puppy come along?');
  expect(findings.map(({ passage }) => passage.text)).toEqual(['Dogs sleep outside and must be on a lead.']);
});

test('nothing is queued or called without a question model', async () => {
  await connect({ question_model: null, embedding_model: null });
  await add(HUTS);
  start();
  const { rows } = await db.execute(sql`SELECT 1 FROM document_question WHERE org_id = ${orgId}`);
  expect([rows.length, fake.calls.length]).toEqual([0, 0]);
  expect(await progress()).toMatchObject({ model: null, passages: 0 });
});

test('an unchanged passage is not sent again, even in a new document or after a change of the model', async () => {
  await connect();
  fake.script({ text: WRITTEN }, { text: '{"1": ["Until when can I swim?"]}' });
  const first = await add(HUTS);
  start();
  await settled();
  await add(`${HUTS}\n\nThe pool is open until nine in the evening.`, 'Guide, second edition');
  await settled();
  await connect({ question_model: 'another' });
  await settled();
  expect(fake.calls).toHaveLength(2);
  expect(JSON.stringify(fake.calls[1]!.body)).not.toContain('Dogs sleep outside');
  await deleteDocument({ db }, orgId, agentId, first, actor);
  expect(await stored()).toHaveLength(4);
});

test('questions are deleted when their model is turned off, or its connection is removed', async () => {
  await connect();
  fake.script({ text: WRITTEN }, { text: WRITTEN });
  await add(HUTS);
  start();
  await settled();
  const edition = async () => (await readAgentForTurns(db.$client, orgId, agentId))!.edition;
  const withQuestions = await edition();
  await connect({ question_model: null });
  await expect.poll(stored).toEqual([]);
  await expect.poll(edition).not.toBe(withQuestions);
  await connect();
  await settled();
  expect(await stored()).toHaveLength(3);
  await removeModel({ db }, orgId, 'openai', actor);
  await expect.poll(stored).toEqual([]);
});

test.each([{ text: 'I cannot do that.' }, { text: '["no object"]' }, { garbage: 'not_json' }] as const)(
  'after the reply %j nothing is stored, and the document is tried again',
  async (reply) => {
    await connect();
    fake.script(reply, { text: WRITTEN });
    await add(HUTS);
    start();
    await expect.poll(async () => (await progress()).fault?.code).toBe('provider_garbled');
    expect(await stored()).toEqual([]);
    await retryEmbeddings({ db }, orgId, agentId, actor);
    await settled();
    expect(await stored()).toHaveLength(3);
  },
);

test('each failure in a row doubles the pause before the next attempt', async () => {
  await connect();
  await add(HUTS);
  const pauses: (number | null)[] = [];
  for (const attempts of [0, 1, 3, 30]) {
    fake.script({ status: 500 });
    await db.execute(sql`UPDATE document_question SET attempts = ${attempts}, passages = 2, due_at = now(), fault = NULL
      WHERE org_id = ${orgId}`);
    if (pauses.length === 0) start();
    await expect.poll(async () => (await progress()).fault).not.toBe(null);
    const { rows } = await db.execute<{ pause: number }>(
      sql`SELECT round(extract(epoch FROM due_at - updated_at))::int AS pause FROM document_question WHERE org_id = ${orgId}`,
    );
    pauses.push(rows[0]!.pause);
  }
  expect(pauses).toEqual([15, 30, 120, 600]);
});

test('an unusual answer of a model is cut to five short questions, and a passage without questions is not sent again', async () => {
  await connect();
  const many = Array.from({ length: 9 }, (_, at) => `Question ${at} ${'x'.repeat(300)}\u0000`);
  fake.script({ text: JSON.stringify({ 1: [...many, 7], 3: ['A passage that was not sent'] }) });
  await add(HUTS);
  start();
  await settled();
  expect((await stored()).map((one) => one.length)).toEqual([200, 200, 200, 200, 200]);
  expect(await progress()).toMatchObject({ written: 2, fault: null });
});

test('a question that is cut inside of a surrogate pair is stored', async () => {
  await connect();
  fake.script({ text: JSON.stringify({ 1: [`${'x'.repeat(199)}\u{1f600}?`] }) });
  await add(HUTS);
  start();
  await settled();
  expect(await stored()).toEqual([`${'x'.repeat(199)}\ufffd`]);
  expect(fake.calls).toHaveLength(1);
});

test('the budget is reserved before a call, and a used-up budget stops the writing of questions', async () => {
  await connect();
  const budget = { subject: 'agent', subjectId: agentId, period: 'day', unit: 'tokens' };
  const id = newId('budget');
  await writeBudget(db, orgId, { ...budget, id, amount: '10' });
  await add(HUTS);
  start();
  await expect.poll(async () => (await progress()).fault?.code).toBe('budget_spent');
  expect(fake.calls).toHaveLength(0);
  await writeBudget(db, orgId, { ...budget, id, amount: '100000' });
  fake.script({ text: WRITTEN, used: { input: 300, cached: 0, output: 40 } });
  await retryEmbeddings({ db }, orgId, agentId, actor);
  await settled();
  const { rows } = await db.execute(sql`SELECT spent::int, reserved::int FROM budget WHERE id = ${id}`);
  expect(rows).toEqual([{ spent: 340, reserved: 0 }]);
});

test('only one connection of an organization writes questions', async () => {
  await connect();
  await connect({}, 'anthropic');
  const { rows } = await db.execute(sql`SELECT provider, question_model AS model FROM model_provider
    WHERE org_id = ${orgId} ORDER BY provider`);
  expect(rows).toEqual([
    { provider: 'anthropic', model: 'writer' },
    { provider: 'openai', model: null },
  ]);
});
