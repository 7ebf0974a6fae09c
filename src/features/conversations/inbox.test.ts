import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import {
  givenAgent,
  givenChannel,
  givenConversation,
  givenMember,
  givenOrganization,
} from '../../../test/factories.ts';
import type { ReplyActions } from '../../../contract/dashboard/conversations.ts';
import { newId } from '../../kernel/ids.ts';
import { insertMessage, lockConversation } from '../../store/conversations/write.ts';
import { member as memberTable, user } from '../../store/schema/identity.ts';
import { removeMember, setMemberRole } from '../members/change-members.ts';
import { listMembers } from '../members/read-members.ts';
import { assignConversation } from './assign-conversation.ts';
import { countConversations } from './count-conversations.ts';
import { handBackConversation, resolveConversation, takeOverConversation } from './hand-over.ts';
import { markConversationSeen } from './mark-seen.ts';
import { listConversations } from './read-conversations.ts';
import { receiveMessage } from './receive-message.ts';
import { replyInConversation } from './reply-in-conversation.ts';
import { setConversationTags } from './set-tags.ts';
import { snoozeConversation } from './snooze-conversation.ts';

const asha = { userId: 'user_asha', address: null, requestId: null };
const omar = { userId: 'user_omar', address: null, requestId: null };
const page = { limit: 20, after: null };

let parley: TestApp;
let orgId: string;
let made: (status?: string) => Promise<string>;

beforeAll(async () => {
  parley = await startTestApp();
});
beforeEach(async () => {
  orgId = await givenOrganization(parley.db);
  for (const { userId } of [asha, omar]) await givenMember(parley.db, orgId, userId);
  const { agentId } = await givenAgent(parley.db, orgId);
  const channelId = await givenChannel(parley.db, orgId, agentId, { kind: 'sandbox' });
  made = async (status = 'open') => (await givenConversation(parley.db, orgId, channelId, { status })).id;
});
afterAll(() => parley.stop());

const listed = async (userId: string, view?: 'mine' | 'unassigned' | 'waiting' | 'snoozed') =>
  (await listConversations(parley, orgId, userId, { view }, page)).rows;
const idsOf = async (userId: string, view?: 'mine' | 'unassigned' | 'waiting' | 'snoozed') =>
  (await listed(userId, view)).map(({ id }) => id);
/** Ids of one millisecond are in no order, so each message has its own. */
let lastSaid = 0;
const personSays = (id: string, text = 'Hello?') =>
  insertMessage(parley.db, orgId, {
    id: newId('msg', (lastSaid = Math.max(Date.now(), lastSaid + 1))),
    conversationId: id,
    runId: null,
    role: 'end_user',
    content: { type: 'text', text },
  });
const reply = (id: string) => replyInConversation({ db: parley.db }, orgId, id, { text: 'Here I am.' }, asha);
const rowOf = async (id: string, userId = asha.userId) => (await listed(userId)).find((row) => row.id === id)!;

describe('a conversation that is put off', () => {
  const HOUR = 3_600_000;
  const snooze = (id: string, ms: number | null) =>
    snoozeConversation(
      { db: parley.db, now: Date.now },
      orgId,
      id,
      ms === null ? null : new Date(Date.now() + ms).toISOString(),
      asha,
    );
  const seen = async (id: string) => ({
    mine: (await idsOf(asha.userId, 'mine')).includes(id),
    waiting: (await idsOf(asha.userId, 'waiting')).includes(id),
    snoozed: (await idsOf(asha.userId, 'snoozed')).includes(id),
  });
  const WAITS = { mine: true, waiting: true, snoozed: false };
  const OFF = { mine: false, waiting: false, snoozed: true };
  const assigned = async () => {
    const id = await made();
    await takeOverConversation(parley, orgId, id, asha);
    return id;
  };

  it('a snoozed conversation is in no view of waiting conversations, and returns automatically at its time', async () => {
    const id = await assigned();
    const before = await countConversations(parley, orgId, asha.userId);
    expect((await snooze(id, HOUR)).snoozed_until).not.toBeNull();
    expect(await seen(id)).toEqual(OFF);
    expect(await countConversations(parley, orgId, asha.userId)).toMatchObject({
      mine: before.mine - 1,
      waiting: before.waiting - 1,
      snoozed: before.snoozed + 1,
      all: before.all,
    });
    await parley.db.$client.query("UPDATE conversation SET snoozed_until = now() - interval '1 second' WHERE id = $1", [
      id,
    ]);
    expect(await seen(id)).toEqual(WAITS);
    expect((await rowOf(id)).snoozed_until).toBeNull();
  });

  it.each([
    [
      'the person writes',
      (id: string) => receiveMessage({ db: parley.db, onAccepted: () => {} }, orgId, id, 'Hello?', null),
    ],
    ['a member takes it', (id: string) => takeOverConversation(parley, orgId, id, asha)],
    ['a member ends it', (id: string) => snooze(id, null)],
  ])('a snoozed conversation returns when %s', async (_what, act) => {
    const id = await assigned();
    await snooze(id, HOUR);
    await act(id);
    expect(await seen(id)).toEqual(WAITS);
  });

  it("a snoozed conversation returns when a member replies, and then waits for the person's next message", async () => {
    const id = await assigned();
    await snooze(id, HOUR);
    await reply(id);
    expect(await seen(id)).toEqual({ mine: true, waiting: false, snoozed: false });
    await personSays(id);
    expect(await seen(id)).toEqual(WAITS);
  });

  it('only a conversation that the team answers can be snoozed, for up to a year', async () => {
    const fault = (pending: Promise<unknown>) => pending.catch((error: { code: string }) => error.code);
    expect(await fault(snooze(await made(), HOUR))).toBe('validation_failed');
    const id = await assigned();
    expect(await fault(snooze(id, -HOUR))).toBe('validation_failed');
    expect(await fault(snooze(id, 400 * 24 * HOUR))).toBe('validation_failed');
    expect(await seen(id)).toEqual(WAITS);
  });
});

describe('the views', () => {
  it("the views show the reader's conversations, unassigned ones, and all that the team answers", async () => {
    const [withAgent, mine, theirs] = [await made(), await made(), await made()];
    await takeOverConversation(parley, orgId, mine, asha);
    await takeOverConversation(parley, orgId, theirs, omar);
    const free = await made('handed_off');
    expect(await idsOf(asha.userId)).toEqual([free, theirs, mine, withAgent]);
    expect(await idsOf(asha.userId, 'mine')).toEqual([mine]);
    expect(await idsOf(omar.userId, 'mine')).toEqual([theirs]);
    expect(await idsOf(asha.userId, 'unassigned')).toEqual([free]);
    expect((await idsOf(asha.userId, 'waiting')).toSorted()).toEqual([free, theirs, mine].toSorted());
    expect(await countConversations(parley, orgId, asha.userId)).toMatchObject({
      mine: 1,
      unassigned: 1,
      waiting: 3,
      all: 4,
    });
    const others = await givenOrganization(parley.db);
    expect(await countConversations(parley, others, asha.userId)).toEqual({
      mentions: 0,
      mine: 0,
      unassigned: 0,
      waiting: 0,
      snoozed: 0,
      all: 0,
      approvals: 0,
      newest_approval: null,
      newest: null,
    });
  });

  it('the views show the newest hand-off that is assigned to the reader or to no one', async () => {
    const [first, second] = [await made(), await made()];
    await takeOverConversation(parley, orgId, second, asha);
    await takeOverConversation(parley, orgId, first, omar);
    const newest = async (userId: string) => (await countConversations(parley, orgId, userId)).newest?.id;
    expect([await newest(asha.userId), await newest(omar.userId)]).toEqual([second, first]);
    await handBackConversation(parley, orgId, second, asha);
    expect(await newest(asha.userId)).toBeUndefined();
  });
});

describe('the order', () => {
  const pagesOf = async (view?: 'waiting' | 'mine') => {
    const ids: string[] = [];
    let after: string | null = null;
    for (;;) {
      const found: Awaited<ReturnType<typeof listConversations>> = await listConversations(
        parley,
        orgId,
        asha.userId,
        { view },
        { limit: 2, after },
      );
      ids.push(...found.rows.map(({ id }) => id));
      if (!found.hasMore) return ids;
      after = found.next;
    }
  };

  it('the conversation with the latest message is first, and conversations without messages are last', async () => {
    const [old, empty, second, third, newest] = [await made(), await made(), await made(), await made(), await made()];
    for (const id of [third, newest, second, old]) await personSays(id);
    expect(await pagesOf()).toEqual([old, second, newest, third, empty]);
    for (const id of [old, third]) await takeOverConversation(parley, orgId, id, asha);
    expect(await pagesOf('mine')).toEqual([old, third]);
    await personSays(third);
    expect(await pagesOf('mine')).toEqual([third, old]);
    expect((await pagesOf())[0]).toBe(third);
  });

  it('the order by waiting time omits conversations that a member has answered', async () => {
    const ids = [await made(), await made(), await made(), await made()] as const;
    const [first, second, third, answered] = ids;
    for (const id of [second, answered, third, first]) {
      await personSays(id);
      await takeOverConversation(parley, orgId, id, asha);
    }
    await reply(answered);
    await personSays(second);
    expect(await pagesOf('waiting')).toEqual([second, third, first]);
    expect(await countConversations(parley, orgId, asha.userId)).toMatchObject({ waiting: 3, mine: 4 });
    await reply(second);
    // Times are in milliseconds, and a message of the same one is not later than the reply.
    await parley.db.execute(sql`SELECT pg_sleep(0.002)`);
    await personSays(second);
    expect(await pagesOf('waiting')).toEqual([third, first, second]);
  });
});

describe('the waiting time', () => {
  it('the waiting time runs from the hand-off to a reply, and again from the next message', async () => {
    const id = await made();
    const waitingSince = async () => (await rowOf(id)).waiting_since;
    await personSays(id);
    expect(await waitingSince()).toBeNull();
    await takeOverConversation(parley, orgId, id, asha);
    const begun = await waitingSince();
    expect(begun).not.toBeNull();
    // A second take-over, by another member, does not make the wait shorter.
    await personSays(id);
    await takeOverConversation(parley, orgId, id, omar);
    expect(await waitingSince()).toBe(begun);
    await reply(id);
    expect(await waitingSince()).toBeNull();
    const { createdAt } = await personSays(id);
    await personSays(id);
    expect(await waitingSince()).toBe(createdAt.toISOString());
    await resolveConversation(parley, orgId, id, asha);
    expect(await waitingSince()).toBeNull();
  });

  it('the waiting time ends at once if a reply takes the conversation over', async () => {
    const id = await made();
    await personSays(id);
    await reply(id);
    expect((await rowOf(id)).waiting_since).toBeNull();
  });
});

test('a reply that waited for a turn of the agent counts as the newest message', async () => {
  const id = await made();
  let replied: Promise<unknown> | undefined;
  await parley.db.transaction(async (tx) => {
    await lockConversation(tx, orgId, id);
    replied = reply(id);
    await expect.poll(() => waitingForLocks(parley)).toBeGreaterThan(0);
    const content = { type: 'text' as const, text: 'From the agent' };
    const row = { id: newId('msg'), conversationId: id, runId: null, role: 'system' as const, content };
    await insertMessage(tx, orgId, row);
    await tx.execute(sql`UPDATE message SET created_at = clock_timestamp() WHERE id = ${row.id}`);
  });
  await replied;
  expect((await rowOf(id)).last_message).toMatchObject({ role: 'member', text: 'Here I am.' });
});

test('a row shows the newest message of the person or a member, even if later entries exist', async () => {
  const id = await made();
  expect((await rowOf(id)).last_human_message).toBeNull();
  await takeOverConversation(parley, orgId, id, asha);
  await reply(id);
  const content = { type: 'text' as const, text: 'Not of a person' };
  const row = { id: newId('msg'), conversationId: id, runId: null, role: 'system' as const, content };
  await insertMessage(parley.db, orgId, row);
  const { last_message, last_human_message } = await rowOf(id);
  expect(last_message).toMatchObject({ role: 'system' });
  expect(last_human_message).toMatchObject({ role: 'member', text: 'Here I am.', author_id: asha.userId });
  await personSays(id);
  expect((await rowOf(id)).last_human_message).toMatchObject({ role: 'end_user', author_id: null });
});

const waitingForLocks = async ({ db }: TestApp): Promise<number> => {
  const { rows } = await db.execute<{ many: number }>(
    sql`SELECT count(*)::int AS many FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return rows[0]!.many;
};

describe('the mark of what is new', () => {
  it("the mark for new messages is each member’s own, and returns with the person's next message", async () => {
    const id = await made();
    await personSays(id);
    const unread = async () => [(await rowOf(id)).unread, (await rowOf(id, omar.userId)).unread];
    // What the agent answers needs no reading.
    expect(await unread()).toEqual([false, false]);
    await takeOverConversation(parley, orgId, id, asha);
    expect(await unread()).toEqual([true, true]);
    await markConversationSeen(parley, orgId, id, asha.userId);
    expect(await unread()).toEqual([false, true]);
    await reply(id);
    expect(await unread()).toEqual([false, true]);
    await personSays(id);
    expect(await unread()).toEqual([true, true]);
    await markConversationSeen(parley, orgId, id, asha.userId);
    expect(await unread()).toEqual([false, true]);
  });

  it('a conversation cannot be marked as read from another organization', async () => {
    const id = await made();
    const marking = markConversationSeen(parley, await givenOrganization(parley.db), id, asha.userId);
    await expect(marking).rejects.toMatchObject({ code: 'conversation_not_found' });
  });
});

describe('a search', () => {
  const search = async (text: string) => {
    const { rows } = await listConversations(parley, orgId, asha.userId, { text }, page);
    return rows.map(({ id, found }) => [id, found]);
  };

  it('a search result shows the newest message with the searched text', async () => {
    const id = await made();
    for (const text of ['An old ORDER', `${'long '.repeat(20)}my order (50%) is late`, 'Thank you'])
      await personSays(id, text);
    const before = `…${`${'long '.repeat(20)}my `.slice(-16)}`;
    expect(await search('order')).toEqual([
      [id, { role: 'end_user', before, match: 'order', after: ' (50%) is late' }],
    ]);
    expect(await search('(50%)')).toMatchObject([[id, { match: '(50%)' }]]);
    expect(await search('old order')).toEqual([
      [id, { role: 'end_user', before: 'An ', match: 'old ORDER', after: '' }],
    ]);
    await reply(id);
    expect(await search('here i am')).toMatchObject([[id, { role: 'member', match: 'Here I am' }]]);
    expect(await search('absent')).toEqual([]);
  });

  it('a search result shows no excerpt if the name of the person matches', async () => {
    const id = await made();
    expect(await search(id)).toEqual([[id, null]]);
  });
});

describe('an assignment', () => {
  const member = async (role: string): Promise<string> => {
    const userId = newId('user');
    await parley.db.insert(user).values({ id: userId, name: role, email: `${userId}@example.com` });
    await parley.db.insert(memberTable).values({ id: newId('member'), organizationId: orgId, userId, role });
    return userId;
  };
  const assign = (id: string, userId: string | null) => assignConversation(parley, orgId, id, userId, asha);

  it('a conversation can be assigned to a member, and the assignment can be removed', async () => {
    const [id, noor] = [await made(), await member('member')];
    expect(await assign(id, noor)).toMatchObject({ status: 'handed_off', assignee_id: noor });
    expect(await idsOf(noor, 'mine')).toEqual([id]);
    expect(await assign(id, null)).toMatchObject({ status: 'handed_off', assignee_id: null });
    expect(await idsOf(noor, 'unassigned')).toEqual([id]);
    await handBackConversation(parley, orgId, id, asha);
    expect(await assign(id, null)).toMatchObject({ status: 'open', assignee_id: null });
  });

  it('an assignment is refused for viewers, strangers, and conversations of others', async () => {
    const id = await made();
    for (const userId of [await member('viewer'), newId('user')])
      await expect(assign(id, userId)).rejects.toMatchObject({ code: 'validation_failed' });
    expect((await rowOf(id)).status).toBe('open');
    const noor = await member('member');
    orgId = await givenOrganization(parley.db);
    await expect(assign(id, noor)).rejects.toMatchObject({ code: 'conversation_not_found' });
  });

  it('an assignment ends when the member leaves or loses the right to answer', async () => {
    const owner = await member('owner');
    const acting = { userId: owner, role: 'owner' as const };
    const memberOf = async (userId: string) =>
      (await listMembers(parley, orgId, acting)).find(({ user_id }) => user_id === userId)!.id;
    const [demoted, removed] = [await member('member'), await member('member')];
    const [first, second] = [await made(), await made()];
    await assign(first, demoted);
    await assign(second, removed);
    await markConversationSeen(parley, orgId, second, removed);
    await setMemberRole(parley, orgId, await memberOf(demoted), 'viewer', acting, asha);
    expect(await idsOf(owner, 'unassigned')).toEqual([first]);
    await removeMember(parley, orgId, await memberOf(removed), acting, asha);
    expect(await idsOf(owner, 'unassigned')).toEqual([second, first]);
    expect((await rowOf(second, removed)).unread).toBe(true);
  });
});

test('the list has the order that the member chooses, on every page', async () => {
  const ids = [await made(), await made(), await made(), await made()];
  for (const id of [ids[0]!, ids[2]!, ids[3]!]) await takeOverConversation(parley, orgId, id, asha);
  // IDs of one millisecond are in no order, so the list itself decides the order of the start.
  const byStart = ids.toSorted();
  await personSays(ids[3]!);
  await personSays(ids[0]!);
  await reply(ids[2]!);
  const inOrder = async (filter: Parameters<typeof listConversations>[3]) => {
    const found: string[] = [];
    for (let after: string | null = null; ;) {
      const { rows, next, hasMore } = await listConversations(parley, orgId, asha.userId, filter, { limit: 1, after });
      found.push(...rows.map(({ id }) => id));
      if (!hasMore) return found;
      after = next;
    }
  };
  expect(await inOrder({ sort: 'oldest' })).toEqual(byStart);
  expect(await inOrder({ sort: 'newest' })).toEqual(byStart.toReversed());
  expect((await inOrder({}))[0]).toBe(ids[2]);
  const teams = byStart.filter((id) => id !== ids[1]);
  expect(await inOrder({ sort: 'oldest', status: 'handed_off' })).toEqual(teams);
  expect(await inOrder({ sort: 'newest', view: 'waiting' })).toEqual(teams.filter((id) => id !== ids[2]).toReversed());
  // Those who wait come first; the answered one last.
  const waits = await inOrder({ sort: 'waiting' });
  expect(waits.toSorted()).toEqual(teams);
  expect(waits.at(-1)).toBe(ids[2]);
});

describe('a reply with actions', () => {
  const send = (id: string, actions: ReplyActions) =>
    replyInConversation({ db: parley.db }, orgId, id, { text: 'Done.', actions }, asha);

  it('a reply with actions adds tags, assigns and resolves in one step', async () => {
    const id = await made();
    await setConversationTags(parley, orgId, id, ['vip'], asha);
    await send(id, { add_tags: ['refund', 'vip'], assign_to: omar.userId });
    expect(await rowOf(id)).toMatchObject({
      tags: ['vip', 'refund'],
      assignee_id: omar.userId,
      status: 'handed_off',
      last_message: { text: 'Done.' },
    });
    await send(id, { assign_to: 'me', resolve: true });
    expect(await rowOf(id)).toMatchObject({ tags: ['vip', 'refund'], assignee_id: null, status: 'resolved' });
  });

  it('a reply is not sent if one of its actions is refused', async () => {
    const id = await made();
    const tags = Array.from({ length: 20 }, (_, n) => `tag ${n}`);
    await setConversationTags(parley, orgId, id, tags, asha);
    for (const actions of [{ add_tags: ['one more'], resolve: true as const }, { assign_to: newId('user') }])
      await expect(send(id, actions)).rejects.toMatchObject({ code: 'validation_failed' });
    expect(await rowOf(id)).toMatchObject({ status: 'open', last_message: null });
  });

  it('a reply with actions has either a text or a template', async () => {
    const id = await made();
    const template = { name: 'a', language: 'en', variables: {}, text: 'A' };
    for (const body of [{ actions: {} }, { text: 'A', template }])
      await expect(replyInConversation({ db: parley.db }, orgId, id, body, asha)).rejects.toMatchObject({
        code: 'validation_failed',
      });
  });
});
