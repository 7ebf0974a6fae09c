import { sql } from 'drizzle-orm';
import { beforeEach, describe, expect, test } from 'vitest';
import { givenAgent, givenOrganization } from '../../test/factories.ts';
import { useDatabase } from '../../test/use-database.ts';
import { keepWordings } from '../features/agents/wordings.ts';
import { newId } from '../kernel/ids.ts';
import type { Db } from '../store/db.ts';
import { insertDocument } from '../store/documents.ts';
import type { ClaimedRun } from '../store/runs/claim.ts';
import type { CompletedTurn } from '../store/runs/complete.ts';
import { eraseWordingsOf, listWordings, removeWording } from '../store/wordings.ts';
import { passageKey } from '../engine/knowledge/question-key.ts';
import { splitDocument } from '../../test/build-knowledge.ts';
import { learnFromChoice } from './learn-from-choice.ts';

/** What the agent learns from the sections that people choose after it asked back. */
const TEXT = '# Shop\n\n## Theft\n\nThe bike is insured. You pay the first 90 euros.\n\n## Opening\n\nWe open at nine.';
const [THEFT] = splitDocument({ id: 'doc', name: 'Guide', text: TEXT });
const PAGE = { limit: 10, after: null };

let db: Db;
let orgId: string;
let agentId: string;
let documentId: string;

useDatabase((made) => (db = made));
beforeEach(async () => {
  orgId = await givenOrganization(db);
  ({ agentId } = await givenAgent(db, orgId));
  documentId = newId('doc');
  await insertDocument(db, orgId, { id: documentId, agentId, name: 'Guide', text: TEXT });
  await db.execute(
    sql`INSERT INTO end_user (org_id, id) SELECT ${orgId}, 'enduser_' || n FROM generate_series(1, 6) n`,
  );
});

const tap = async (endUserId: string, question = 'Who pays if it is nicked?'): Promise<void> => {
  const chosen = { document_id: documentId, passage: passageKey(THEFT!), question, label: 'Theft' };
  const trace = { provider: 'embedded', steps: [{ kind: 'chosen', detail: 'x', ...chosen }] };
  const run = { org_id: orgId, agent_id: agentId, end_user: { id: endUserId } } as unknown as ClaimedRun;
  const message = { trace, sources: [{ document: 'Guide', quote: THEFT!.text }] };
  await learnFromChoice(db, run, { messages: [message] } as unknown as CompletedTurn);
};
const learned = async () => (await listWordings(db, orgId, agentId, PAGE)).rows.map(({ question }) => question);
const revision = async () =>
  (await db.execute<{ revision: number }>(sql`SELECT revision FROM agent WHERE id = ${agentId}`)).rows[0]!.revision;

describe('a section that people choose after the agent asked back', () => {
  test('a choice counts after three different people made it, and each person counts once', async () => {
    const before = await revision();
    for (const person of ['enduser_1', 'enduser_1', 'enduser_1', 'enduser_2']) await tap(person);
    expect(await learned()).toEqual([]);
    expect(await revision()).toBe(before);
    await tap('enduser_3', 'If it is nicked: who pays?');
    expect(await learned()).toEqual(['If it is nicked: who pays?']);
    expect(await revision()).toBe(before + 1);
  });

  test('choices for different questions are counted separately', async () => {
    await tap('enduser_1', 'Who pays if it is nicked?');
    await tap('enduser_2', 'Is the lock insured?');
    await tap('enduser_3', 'What does a helmet cost?');
    expect(await learned()).toEqual([]);
  });

  test('people can add at most half of the questions of a passage, so that members can add others', async () => {
    const things = ['lock', 'bell', 'saddle', 'pedal', 'chain', 'wheel', 'brake', 'mirror', 'basket', 'pump', 'helmet'];
    for (const thing of things) {
      const question = `What about a nicked ${thing}?`;
      for (const person of ['enduser_1', 'enduser_2', 'enduser_3']) await tap(person, question);
    }
    const { rows } = await listWordings(db, orgId, agentId, { limit: 20, after: null });
    expect(rows).toHaveLength(10);
  });

  test('a question that a member removed is not learned again', async () => {
    for (const person of ['enduser_1', 'enduser_2', 'enduser_3']) await tap(person);
    const [row] = (await listWordings(db, orgId, agentId, PAGE)).rows;
    expect(await removeWording(db, orgId, agentId, row!.id)).toBe(true);
    for (const person of ['enduser_4', 'enduser_5', 'enduser_6']) await tap(person);
    expect(await learned()).toEqual([]);
    const { rows } = await db.execute(sql`SELECT question, state FROM passage_wording WHERE org_id = ${orgId}`);
    expect(rows).toEqual([{ question: '', state: 'removed' }]);
  });

  test('a choice of a deleted document, or of an agent of another organization, is not recorded', async () => {
    const own = { orgId, documentId };
    documentId = newId('doc');
    await tap('enduser_1');
    ({ documentId } = own);
    orgId = await givenOrganization(db);
    await tap('enduser_1');
    const { rows } = await db.execute(sql`SELECT 1 FROM passage_wording WHERE document_id = ${own.documentId}`);
    expect(rows).toEqual([]);
  });

  test('the questions of an erased person are deleted', async () => {
    for (const person of ['enduser_1', 'enduser_2', 'enduser_3']) await tap(person);
    await eraseWordingsOf(db, orgId, 'enduser_3');
    expect(await learned()).toEqual([]);
  });

  test('the choice of a person who was erased after the turn was stored is not recorded', async () => {
    await db.execute(sql`DELETE FROM end_user WHERE org_id = ${orgId} AND id = 'enduser_1'`);
    await tap('enduser_1');
    const { rows } = await db.execute(sql`SELECT question FROM passage_wording WHERE org_id = ${orgId}`);
    expect(rows).toEqual([]);
  });

  test('a learned question stays after a sync if its passage stays', async () => {
    for (const person of ['enduser_1', 'enduser_2', 'enduser_3']) await tap(person);
    await keepWordings(db, orgId, documentId, `${TEXT}\n\n## Returns\n\nBring it back by six.`);
    expect(await learned()).toHaveLength(1);
    await keepWordings(db, orgId, documentId, TEXT.replace('90', '80'));
    expect(await learned()).toEqual([]);
  });
});
