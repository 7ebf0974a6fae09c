import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { givenAgent, givenConversation, givenOrganization } from '../../../test/factories.ts';
import {
  addMember,
  type Client,
  type DashboardServer,
  type Person,
  setUpOwner,
  startDashboard,
} from '../../../test/dashboard-server.ts';
import { newId } from '../../kernel/ids.ts';

/** What an agent could not answer: which questions are listed, and what takes them out. */
let server: DashboardServer;
let owner: Person & { orgId: string };
let member: Client;
let viewer: Client;

beforeAll(async () => {
  server = await startDashboard();
  owner = await setUpOwner(server);
  member = (await addMember(server, owner.call, owner.orgId, 'member')).call;
  viewer = (await addMember(server, owner.call, owner.orgId, 'viewer')).call;
});
afterAll(() => server.stop());

const MISS: object = { provider: 'embedded', steps: [{ kind: 'miss', detail: 'Unanswered 1 in a row.' }] };
const DAY = 86_400_000;
let clock = 0;

/** An agent, and how people ask it. */
async function givenTalks(orgId = owner.orgId) {
  const { agentId, channelId } = await givenAgent(server.db, orgId);
  const at = `/organizations/${orgId}/agents/${agentId}/questions`;
  const ask = async (text: string, { trace = MISS, ago = 0 } = {}): Promise<string> => {
    const { id } = await givenConversation(server.db, orgId, channelId);
    const askedAt = Date.now() - ago + (clock += 10);
    const answer = newId('msg', askedAt + 1);
    const row = (message: string, role: string, content: string, why: string | null, moment: number) =>
      server.db.execute(sql`INSERT INTO message (org_id, id, conversation_id, role, content, trace, created_at)
        VALUES (${orgId}, ${message}, ${id}, ${role}, ${JSON.stringify({ type: 'text', text: content })}, ${why}, ${new Date(moment)})`);
    await row(newId('msg', askedAt - 1), 'end_user', 'Hello', null, askedAt - 1);
    await row(newId('msg', askedAt), 'end_user', text, null, askedAt);
    await row(answer, 'agent', 'I do not know.', JSON.stringify(trace), askedAt + 1);
    return answer;
  };
  const list = async (as: Client = member) => (await as(`GET ${at}`)).body;
  const counts = async () =>
    (await list()).data.map((one: { question: string; count: number }) => [one.question, one.count]);
  return { agentId, channelId, at, ask, list, counts };
}

describe('questions that an agent could not answer', () => {
  test('unanswered questions are listed by topic with counts and languages, the most frequent first', async () => {
    const { ask, list } = await givenTalks();
    await ask('Where is the museum?');
    const first = await ask('Do you wrap gifts?');
    await ask('هل تغلفون الهدايا؟');
    await ask('تغلفون هدايا');
    const last = await ask('Can you wrap a gift?');
    await ask('Do you open on Sunday?', {
      trace: { provider: 'embedded', steps: [{ kind: 'knowledge', detail: 'x' }] },
    });
    await ask('thanks', {
      trace: { provider: 'embedded', steps: [{ kind: 'miss', detail: 'x', question: 'What is on the roof?' }] },
    });
    await ask('Is the moon open?', { ago: 31 * DAY });
    const found = await list(viewer);
    expect(found.has_more).toBe(false);
    expect(found.data.map(({ count }: { count: number }) => count)).toEqual([2, 2, 1, 1]);
    expect(found.data[0]).toMatchObject({
      question: 'Can you wrap a gift?',
      languages: ['en'],
      message_ids: [last, first],
      examples: [{ text: 'Can you wrap a gift?' }, { text: 'Do you wrap gifts?' }],
    });
    expect(found.data[1]).toMatchObject({ question: 'تغلفون هدايا', languages: ['ar'] });
    expect(found.data[2].question).toBe('What is on the roof?');
    expect(found.data[0].examples[0].conversation_id).toMatch(/^conv_/);
    expect(found.data[0].examples[0].end_user_id).toMatch(/^enduser_/);
  });

  test('a question after which the agent asked back is listed until the person chooses a section', async () => {
    const { channelId, counts } = await givenTalks();
    const { id } = await givenConversation(server.db, owner.orgId, channelId);
    const asked = [
      { kind: 'ask_back', detail: 'x' },
      { kind: 'miss', detail: 'x', question: 'Late rent?' },
    ];
    const moment = Date.now() + (clock += 10);
    const add = (at: number, role: string, text: string, steps: object[] | null) =>
      server.db.execute(sql`INSERT INTO message (org_id, id, conversation_id, role, content, trace, created_at)
        VALUES (${owner.orgId}, ${newId('msg', moment + at)}, ${id}, ${role}, ${JSON.stringify({ type: 'text', text })},
          ${steps === null ? null : JSON.stringify({ provider: 'embedded', steps })}, ${new Date(moment + at)})`);
    await add(0, 'end_user', 'Late rent?', null);
    await add(1, 'agent', 'Which of these?', asked);
    expect(await counts()).toEqual([['Late rent?', 1]]);
    await add(2, 'end_user', '1', null);
    await add(3, 'agent', 'Rent is due on the first.', [{ kind: 'chosen', detail: 'x' }]);
    expect(await counts()).toEqual([]);
    await add(4, 'end_user', 'And a late deposit?', null);
    await add(5, 'agent', 'Which of these?', [asked[0]!, { ...asked[1]!, question: 'And a late deposit?' }]);
    await add(6, 'end_user', 'Something else', null);
    await add(7, 'agent', 'I do not know.', [{ kind: 'declined', detail: 'x' }]);
    expect(await counts()).toEqual([['And a late deposit?', 1]]);
  });

  test('a question that a member dismisses is not listed until it is asked again', async () => {
    const { ask, at, counts } = await givenTalks();
    const one = await ask('Do you wrap gifts?');
    await ask('Where is the museum?');
    const settle = (ids: string[], as = member) => as(`POST ${at}/settle`, { message_ids: ids });
    expect((await settle([one], viewer)).status).toBe(403);
    expect((await settle([one])).body).toEqual({ settled: 1 });
    expect((await settle([one])).body).toEqual({ settled: 0 });
    expect(await counts()).toEqual([['Where is the museum?', 1]]);
    await ask('Can you wrap a gift?');
    expect(await counts()).toEqual([
      ['Can you wrap a gift?', 1],
      ['Where is the museum?', 1],
    ]);
  });

  test('one list has the questions of all agents that are not deleted, each with its agent', async () => {
    const [first, second, gone] = [await givenTalks(), await givenTalks(), await givenTalks()];
    const elsewhere = await givenTalks(await givenOrganization(server.db));
    await elsewhere.ask('Do you sell kites?');
    await first.ask('Do you sell kites?');
    await second.ask('Are kites sold here?');
    await second.ask('Do you sell kites?');
    await gone.ask('Do you sell kites?');
    expect((await owner.call(`DELETE /organizations/${owner.orgId}/agents/${gone.agentId}`)).status).toBe(204);
    const { data } = (await viewer(`GET /organizations/${owner.orgId}/questions`)).body;
    const ofKites = data.filter(({ question }: { question: string }) => question === 'Do you sell kites?');
    expect(ofKites).toMatchObject([
      { agent_id: second.agentId, count: 2 },
      { agent_id: first.agentId, count: 1 },
    ]);
    expect((await viewer(`GET /organizations/${elsewhere.at.split('/')[2]!}/questions`)).status).toBe(404);
  });

  test('the questions of an agent are separate from those of other agents and organizations', async () => {
    const [mine, other] = [await givenTalks(), await givenTalks()];
    const elsewhere = await givenTalks(await givenOrganization(server.db));
    const foreign = await elsewhere.ask('Do you wrap gifts?');
    const neighbour = await other.ask('Do you wrap gifts?');
    expect((await mine.list()).data).toEqual([]);
    const settled = await member(`POST ${mine.at}/settle`, { message_ids: [foreign, neighbour] });
    expect(settled.body).toEqual({ settled: 0 });
    expect((await other.list()).data).toHaveLength(1);
    expect((await member(`GET ${elsewhere.at}`)).status).toBe(404);
    expect((await member(`GET ${mine.at.replace(owner.orgId, elsewhere.at.split('/')[2]!)}`)).status).toBe(404);
  });
});
