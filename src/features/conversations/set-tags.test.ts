import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { givenAgent, givenConversation, givenOrganization } from '../../../test/factories.ts';
import { givenOwner, type Owner } from '../../../test/owner.ts';
import { newId } from '../../kernel/ids.ts';

let parley: TestApp;
let owner: Owner;
let id: string;

beforeAll(async () => {
  parley = await startTestApp();
  owner = await givenOwner(parley);
  const { channelId } = await givenAgent(parley.db, owner.orgId);
  ({ id } = await givenConversation(parley.db, owner.orgId, channelId, { status: 'open' }));
});
afterAll(() => parley.stop());

const tagsOf = async () => (await owner.call(`GET /conversations/${id}`)).body.tags;
const put = (tags: unknown, of = id) => owner.call(`PUT /conversations/${of}/tags`, { tags });

it('new tags replace the old ones, apply to the turn in progress, and do not end a snooze', async () => {
  await parley.db.execute(sql`UPDATE conversation SET snoozed_until = '2037-01-01', tags = '{late}' WHERE id = ${id}`);
  const version = async () =>
    (
      await parley.db.execute(
        sql`SELECT version, snoozed_until IS NOT NULL AS snoozed FROM conversation WHERE id = ${id}`,
      )
    ).rows[0] as { version: number; snoozed: boolean };
  const before = await version();
  const answer = await put(['refund', 'مهم']);
  expect([answer.status, await tagsOf()]).toEqual([200, ['refund', 'مهم']]);
  expect(await version()).toEqual({ version: before.version + 1, snoozed: true });
  expect((await put([])).status).toBe(200);
  expect(await tagsOf()).toEqual([]);
  const audit = (await owner.call(`GET /audit?subject_id=${id}`)).body.data;
  expect(audit[0]).toMatchObject({ action: 'conversation.tagged', facts: { count: 0 } });
  expect(JSON.stringify(audit)).not.toContain('refund');
});

it('the changes of a conversation name the tags, which are erased with the conversation', async () => {
  await put(['late']);
  await put(['late', 'refund']);
  await put(['refund']);
  const { changes, notes } = (await owner.call(`GET /conversations/${id}`)).body;
  expect(changes.slice(-2)).toMatchObject([
    { type: 'tagged', added_tags: ['refund'], removed_tags: [] },
    { type: 'tagged', added_tags: [], removed_tags: ['late'] },
  ]);
  expect(notes).toEqual([]);
  await parley.db.execute(sql`DELETE FROM conversation_note WHERE conversation_id = ${id}`);
  const erased = (await owner.call(`GET /conversations/${id}`)).body.changes.at(-1);
  expect(erased).toMatchObject({ type: 'tagged', added_tags: [], removed_tags: [] });
});

it('tags are unique, limited in number, and separate for each organization', async () => {
  for (const wrong of [['x', 'x'], [''], ['x'.repeat(65)], Array.from({ length: 21 }, (_, n) => `t${n}`), 'x']) {
    expect((await put(wrong)).status).toBe(422);
  }
  const other = await givenOrganization(parley.db);
  const { channelId } = await givenAgent(parley.db, other);
  const theirs = await givenConversation(parley.db, other, channelId, { status: 'open' });
  expect((await put(['mine'], theirs.id)).body.code).toBe('conversation_not_found');
});

it('the list of conversations can be filtered by a tag, and a saved view stores the filter', async () => {
  const { channelId } = await givenAgent(parley.db, owner.orgId);
  const other = await givenConversation(parley.db, owner.orgId, channelId, { status: 'open' });
  await put(['refund', 'late']);
  await put(['refunded'], other.id);
  const found = async (tag: string): Promise<string[]> =>
    (await owner.call(`GET /conversations?tag=${tag}`)).body.data.map((one: { id: string }) => one.id);
  expect([await found('refund'), await found('late'), await found('refunded')]).toEqual([[id], [id], [other.id]]);
  expect(await found('Refund')).toEqual([]);
  expect((await owner.call('GET /conversations?tag=')).status).toBe(422);
  const view = await owner.call('POST /conversations/views', {
    name: 'Money',
    shared: true,
    filters: { tag: 'refund' },
  });
  expect([view.status, view.body.filters]).toEqual([201, { tag: 'refund' }]);
});

it('the list with a tag and a second filter reaches an older conversation behind newer ones of the tag', async () => {
  const { agentId, channelId } = await givenAgent(parley.db, owner.orgId);
  const other = await givenAgent(parley.db, owner.orgId);
  const { id: oldest } = await givenConversation(parley.db, owner.orgId, channelId, { status: 'handed_off' });
  await put(['busy'], oldest);
  for (const later of [1_000, 2_000])
    await parley.db.execute(sql`INSERT INTO conversation
        (org_id, id, agent_id, channel_id, end_user_id, status, tags)
      SELECT org_id, ${newId('conv', Date.now() + later)}, ${other.agentId}, ${other.channelId}, end_user_id,
        'resolved', tags FROM conversation WHERE id = ${oldest}`);
  for (const filter of [
    'status=handed_off',
    `agent_id=${agentId}`,
    `channel_id=${channelId}`,
    'view=unassigned',
    'view=waiting&sort=newest',
  ]) {
    const page = (await owner.call(`GET /conversations?limit=1&tag=busy&${filter}`)).body;
    expect([page.data.map((one: { id: string }) => one.id), page.has_more]).toEqual([[oldest], false]);
  }
});
