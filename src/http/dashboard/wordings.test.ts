import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  addMember,
  type Client,
  type DashboardServer,
  setUpOwner,
  startDashboard,
} from '../../../test/dashboard-server.ts';
import { givenAgent, givenConversation, givenMessage } from '../../../test/factories.ts';
import { newId } from '../../kernel/ids.ts';

/** Questions that members teach an agent as other wordings of a passage. */
let server: DashboardServer;
let orgId: string;
let member: Client;
let viewer: Client;
let agentId: string;
let channelId: string;
let at: string;

const TEXT = [
  '# Shop',
  '## Theft',
  'The bike is insured against theft. You pay the first 90 euros.',
  '## Opening',
  'We open at nine.',
  '## Children',
  'A seat for a child costs 4 euros.',
].join('\n\n');
const QUESTION = 'And when a stranger nicks it overnight?';
const textOf = (text: string) => ({ type: 'text' as const, text });

beforeAll(async () => {
  server = await startDashboard();
  const owner = await setUpOwner(server);
  ({ orgId } = owner);
  member = (await addMember(server, owner.call, orgId, 'member')).call;
  viewer = (await addMember(server, owner.call, orgId, 'viewer')).call;
});
beforeEach(async () => {
  ({ agentId, channelId } = await givenAgent(server.db, orgId));
  at = `/organizations/${orgId}/agents/${agentId}`;
  await member(`POST ${at}/documents`, { name: 'Guide', text: TEXT });
});
afterAll(() => server.stop());

const say = async (text: string): Promise<string> => {
  const { body } = await member(`POST ${at}/playground`, { messages: [{ role: 'end_user', text }] });
  return body.messages.map(({ content }: { content: { text: string } }) => content.text).join('\n');
};
const suggest = async (more: Record<string, string> = {}, of = at) =>
  (await viewer(`GET ${of}/wordings/passages?${new URLSearchParams({ question: QUESTION, ...more }).toString()}`)).body;
const theft = async () => (await suggest({ question: 'theft' })).passages[0];
const learn = async (more: object = {}) => {
  const { document_id, passage } = await theft();
  return member(`POST ${at}/wordings`, { question: QUESTION, document_id, passage, ...more });
};

describe('a question that a member teaches', () => {
  test('a learned question is answered from its passage at once, even with another word order', async () => {
    expect(await say(QUESTION)).not.toContain('90 euros');
    const added = await learn();
    expect(added.status).toBe(201);
    expect(await say(QUESTION)).toContain('The bike is insured against theft. You pay the first 90 euros.');
    expect(await say('overnight, a stranger nicks it')).toContain('90 euros');
    expect(await say('We open at what time?')).toContain('We open at nine.');
    const { body } = await viewer(`GET ${at}/wordings`);
    expect(body.data).toMatchObject([
      {
        id: added.body.id,
        question: QUESTION,
        document: 'Guide',
        heading: 'Shop › Theft',
        quote: 'The bike is insured against theft. You pay the first 90 euros.',
        origin: 'member',
      },
    ]);
  });

  test('a document that a member writes as the answer to a question is found by that question', async () => {
    const answers = { question: 'Can my puppy tag along?' };
    const text = '# Animals\n\nAnimals ride for free in the basket.\n\nA large one needs the trailer for 9 euros.';
    expect((await member(`POST ${at}/documents`, { name: 'Animals', text, answers })).status).toBe(201);
    const turn = await say('can my puppy tag along');
    expect(turn).toContain('Animals ride for free in the basket.');
    expect(turn).toContain('A large one needs the trailer for 9 euros.');
    const { body } = await viewer(`GET ${at}/wordings`);
    expect(body.data.map(({ question }: { question: string }) => question)).toEqual([
      answers.question,
      answers.question,
    ]);
    const blank = await member(`POST ${at}/documents`, { name: 'Blank', text, answers: { question: 'is it?' } });
    expect(blank.status).toBe(201);
  });

  test('the question of an erased person is not stored from a page that is still open', async () => {
    const { body: person } = await member(`POST /organizations/${orgId}/end-users`, { external_id: 'asks' });
    expect((await learn({ from: person.id, question: 'Who pays then?' })).status).toBe(201);
    expect((await member(`DELETE /organizations/${orgId}/end-users/${person.id}`)).status).toBe(204);
    const late = await learn({ from: person.id });
    expect([late.status, late.body.errors]).toMatchObject([422, [{ pointer: '/from', code: 'not_found' }]]);
    const answers = { question: QUESTION, from: person.id };
    const text = '# Strangers\n\nWe replace a bike that a stranger took.';
    expect((await member(`POST ${at}/documents`, { name: 'Strangers', text, answers })).status).toBe(201);
    expect((await viewer(`GET ${at}/wordings`)).body.data).toEqual([]);
  });

  test('a removed question is no longer answered from its passage', async () => {
    const { body } = await learn();
    const removed = await member(`DELETE ${at}/wordings/${body.id}`);
    expect(removed.status).toBe(204);
    expect(await say(QUESTION)).not.toContain('90 euros');
    expect((await viewer(`GET ${at}/wordings`)).body.data).toEqual([]);
    expect((await member(`DELETE ${at}/wordings/${body.id}`)).body.code).toBe('wording_not_found');
  });

  test('a learned question is deleted with its document', async () => {
    const { document_id } = await theft();
    await learn();
    await member(`DELETE ${at}/documents/${document_id}`);
    expect((await viewer(`GET ${at}/wordings`)).body.data).toEqual([]);
  });

  test('a member’s reply after the question puts its passage first in the list', async () => {
    const { id } = await givenConversation(server.db, orgId, channelId);
    const missed = await givenMessage(server.db, orgId, id, { content: textOf('I do not know.') });
    await givenMessage(server.db, orgId, id, {
      role: 'member',
      content: textOf('A seat for your child costs 4 euros.'),
    });
    const found = await suggest({ question: 'Somewhere for the little one?', message_id: missed });
    expect(found.reply).toBe('A seat for your child costs 4 euros.');
    expect(found.passages[0]).toMatchObject({ heading: 'Shop › Children', text: 'A seat for a child costs 4 euros.' });
    const { agentId: other } = await givenAgent(server.db, orgId);
    const theirs = await suggest({ message_id: missed }, `/organizations/${orgId}/agents/${other}`);
    expect(theirs).toEqual({ reply: null, passages: [] });
  });

  test('a question is refused if it has no words, its passage was deleted, or its document belongs to another agent', async () => {
    const pointers = ({ body }: Awaited<ReturnType<typeof learn>>) =>
      body.errors?.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`);
    expect(pointers(await learn({ question: 'and is it?' }))).toEqual(['/question required']);
    expect(pointers(await learn({ passage: '0'.repeat(32) }))).toEqual(['/passage not_found']);
    expect((await learn({ document_id: newId('doc') })).body.code).toBe('document_not_found');
    const { document_id, passage } = await theft();
    const { agentId: other } = await givenAgent(server.db, orgId);
    const theirs = await member(`POST /organizations/${orgId}/agents/${other}/wordings`, {
      question: QUESTION,
      document_id,
      passage,
    });
    expect(theirs.body.code).toBe('document_not_found');
    expect((await viewer(`GET ${at}/wordings`)).body.data).toEqual([]);
  });

  test('a passage has at most 20 questions', async () => {
    const statuses: number[] = [];
    for (let number = 0; number < 21; number++) statuses.push((await learn({ question: `Model ${number}?` })).status);
    expect(statuses.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 201));
    expect(statuses[20]).toBe(422);
  });
});
