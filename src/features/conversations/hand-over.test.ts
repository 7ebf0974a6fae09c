import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import {
  givenAgent,
  givenChannel,
  givenConversation,
  givenMember,
  givenOrganization,
  givenTrigger,
} from '../../../test/factories.ts';
import type { ReplyBody } from '../../../contract/dashboard/conversations.ts';
import { newId } from '../../kernel/ids.ts';
import { createRunWaiter } from '../../store/runs/wait-for-run.ts';
import { removeMember } from '../members/change-members.ts';
import { handBackConversation, resolveConversation, takeOverConversation } from './hand-over.ts';
import { listConversations, readConversation } from './read-conversations.ts';
import { sayInConversation } from './receive-message.ts';
import { replyInConversation } from './reply-in-conversation.ts';

let parley: TestApp;
let orgId: string;
let conversationId: string;
let say: (text: string, waitMs?: number) => Promise<string[]>;
const actor = { userId: 'user_member', address: null, requestId: null };

beforeAll(async () => {
  parley = await startTestApp();
  orgId = await givenOrganization(parley.db);
  await givenMember(parley.db, orgId, actor.userId);
  const { agentId } = await givenAgent(parley.db, orgId);
  const triggerId = await givenTrigger(parley.db, orgId, agentId);
  const { value } = await parley.key(orgId);
  const started = await parley.call('POST', `/api/triggers/${agentId}/${triggerId}`, {
    key: value,
    headers: { prefer: 'wait=20' },
  });
  conversationId = started.body.conversation_id;
  const waiter = createRunWaiter(parley.db);
  const deps = { db: parley.db, waiter, onAccepted: () => {} };
  say = async (text, waitMs = 20_000) =>
    (await sayInConversation(deps, orgId, conversationId, text, { requestId: 'req_test', waitMs })).messages.map(
      (message) => message.role,
    );
});

afterAll(() => parley.stop());

const state = async () => {
  const { status, runs } = await readConversation(parley, orgId, conversationId);
  return [status, runs[0]!.status];
};

test('the agent answers the end user’s messages', async () => {
  expect(await say('Hello')).toEqual(['agent']);
});

test('a row of the list has the newest message, and other organizations do not see it', async () => {
  const page = { limit: 5, after: null };
  const { messages } = await readConversation(parley, orgId, conversationId);
  const newest = messages.at(-1)!;
  const { rows } = await listConversations(parley, orgId, actor.userId, {}, page);
  expect(rows.map((row) => [row.id, row.last_message])).toEqual([
    [
      conversationId,
      {
        role: 'agent',
        type: 'text',
        text: 'text' in newest.content ? newest.content.text : null,
        created_at: newest.created_at,
      },
    ],
  ]);
  expect((await listConversations(parley, await givenOrganization(parley.db), actor.userId, {}, page)).rows).toEqual(
    [],
  );
});

test('after a take-over the agent does not answer, and a member answers', async () => {
  await takeOverConversation(parley, orgId, conversationId, actor);
  expect(await state()).toEqual(['handed_off', 'handed_off']);
  expect(await say('Anybody?', 300)).toEqual([]);
  const reply = await replyInConversation({ db: parley.db }, orgId, conversationId, { text: 'A person here.' }, actor);
  expect(reply).toMatchObject({ role: 'member', author_id: actor.userId, status: 'delivered' });
});

test('after a hand-back the agent answers only later messages, not those that a member answered', async () => {
  await handBackConversation(parley, orgId, conversationId, actor);
  expect(await state()).toEqual(['open', 'waiting_for_user']);
  expect(await say('Hello again')).toEqual(['agent']);
});

test('a resolved conversation opens again with the next message', async () => {
  await resolveConversation(parley, orgId, conversationId, actor);
  // Two members may resolve a conversation at the same time. The second one changes nothing.
  await resolveConversation(parley, orgId, conversationId, actor);
  expect(await state()).toEqual(['resolved', 'completed']);
  expect(await say('One more thing')).toEqual(['agent']);
  expect((await state())[0]).toBe('open');
});

test('the audit log has an entry for taking over, handing back and resolving', async () => {
  const found = await parley.db.execute<{ action: string }>(
    sql`SELECT action FROM audit WHERE subject_id = ${conversationId} ORDER BY id`,
  );
  expect(found.rows.map((row) => row.action)).toEqual([
    'conversation.taken_over',
    'conversation.handed_back',
    'conversation.resolved',
  ]);
});

test('a reply of another member keeps the assignee, and is refused if the member has not read a newer reply', async () => {
  const omar = { userId: 'user_omar', address: null, requestId: null };
  await givenMember(parley.db, orgId, omar.userId);
  const { channelId } = await givenAgent(parley.db, orgId);
  const { id } = await givenConversation(parley.db, orgId, channelId);
  const deps = { db: parley.db };
  const read = () => readConversation(parley, orgId, id);
  const first = await replyInConversation(deps, orgId, id, { text: 'First' }, actor);
  const second = await replyInConversation(deps, orgId, id, { text: 'Second', after: first.id }, omar);
  expect(await read()).toMatchObject({ status: 'handed_off', assignee_id: actor.userId });
  await expect(replyInConversation(deps, orgId, id, { text: 'Third', after: first.id }, actor)).rejects.toMatchObject({
    code: 'reply_outdated',
  });
  const third = await replyInConversation(deps, orgId, id, { text: 'Third', after: second.id }, actor);
  // The writer's own newer messages do not count.
  await replyInConversation(deps, orgId, id, { text: 'Fourth', after: second.id }, actor);
  expect((await read()).messages.map(({ content }) => content)).toMatchObject([
    { text: 'First' },
    { text: 'Second' },
    { text: 'Third' },
    { text: 'Fourth' },
  ]);
  expect(third.author_id).toBe(actor.userId);
});

test('a reply is sent immediately, even from a node whose clock is fast', async () => {
  const { agentId } = await givenAgent(parley.db, orgId);
  const { id } = await givenConversation(
    parley.db,
    orgId,
    await givenChannel(parley.db, orgId, agentId, { kind: 'webhook', settings: { url: 'https://there.invalid' } }),
  );
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 600_000 });
  const reply = await replyInConversation({ db: parley.db }, orgId, id, { text: 'Now.' }, actor).finally(() =>
    vi.useRealTimers(),
  );
  const { rows } = await parley.db.execute<{ left: boolean }>(
    sql`SELECT attempts > 0 OR due_at <= now() AS left FROM message WHERE id = ${reply.id}`,
  );
  expect(rows).toEqual([{ left: true }]);
});

test('a row of the list shows only the beginning of a long text', async () => {
  const page = { limit: 5, after: null };
  const long = 'ض'.repeat(400);
  await takeOverConversation(parley, orgId, conversationId, actor);
  await replyInConversation({ db: parley.db }, orgId, conversationId, { text: long }, actor);
  const { rows } = await listConversations(parley, orgId, actor.userId, {}, page);
  const row = rows.find(({ id }) => id === conversationId);
  expect(row!.last_message).toMatchObject({ role: 'member', type: 'text', text: 'ض'.repeat(160) });
});

test('a member who is removed during a take-over does not get the conversation', async () => {
  const userId = newId('user');
  const membership = await givenMember(parley.db, orgId, userId);
  await givenMember(parley.db, orgId, 'user_owner', 'owner');
  const { agentId } = await givenAgent(parley.db, orgId);
  const sandbox = await givenChannel(parley.db, orgId, agentId, { kind: 'sandbox' });
  const { id } = await givenConversation(parley.db, orgId, sandbox);
  const locking = await parley.db.$client.connect();
  await locking.query('BEGIN');
  await locking.query('SELECT 1 FROM conversation WHERE id = $1 FOR UPDATE', [id]);
  const going = { userId, address: null, requestId: null };
  const taken = takeOverConversation(parley, orgId, id, going);
  const waits = async () =>
    (
      await parley.db.execute(sql`SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'
      AND query ILIKE '%conversation%' AND datname = current_database()`)
    ).rows.length;
  await expect.poll(waits).toBeGreaterThan(0);
  const removed = removeMember(parley, orgId, membership, { userId: 'user_owner', role: 'owner' }, actor);
  // Without the rule it is over before the take-over goes on.
  await Promise.race([removed, new Promise((resolve) => setTimeout(resolve, 1_000))]);
  await locking.query('COMMIT');
  locking.release();
  await Promise.all([taken, removed]);
  expect(await readConversation(parley, orgId, id)).toMatchObject({ status: 'handed_off', assignee_id: null });
  await expect(takeOverConversation(parley, orgId, id, going)).rejects.toMatchObject({
    code: 'organization_not_found',
  });
});

test('a member can send free text only within the reply window, and a template at any time', async () => {
  const { agentId } = await givenAgent(parley.db, orgId);
  const channelId = await givenChannel(parley.db, orgId, agentId, { kind: 'whatsapp' });
  const address = '+97430000001';
  const { id, endUserId } = await givenConversation(parley.db, orgId, channelId, { address });
  const reply = (body: ReplyBody) => replyInConversation(parley, orgId, id, body, actor);
  const template = { name: 'order_ready', language: 'en_US', variables: { '1': 'Asha' }, text: 'Hi Asha.' };
  const wrote = async (hoursAgo: number) => {
    await parley.db.execute(sql`INSERT INTO identity (org_id, channel_id, address, end_user_id, last_inbound_at)
      VALUES (${orgId}, ${channelId}, ${address}, ${endUserId}, now() - ${hoursAgo}::float8 * interval '1 hour')
      ON CONFLICT (org_id, channel_id, address) DO UPDATE SET last_inbound_at = excluded.last_inbound_at`);
  };

  expect((await readConversation(parley, orgId, id)).reply_window).toEqual({ until: null });
  await expect(reply({ text: 'Hello?' })).rejects.toMatchObject({ code: 'session_window_closed' });
  expect(await readConversation(parley, orgId, id)).toMatchObject({ status: 'open', messages: [] });
  expect(await reply({ template })).toMatchObject({ status: 'queued', content: { type: 'template', ...template } });
  await wrote(25);
  await expect(reply({ text: 'Hello?' })).rejects.toMatchObject({ code: 'session_window_closed' });
  await wrote(23);
  expect(await reply({ text: 'Hello!' })).toMatchObject({ status: 'queued' });
  const { until } = (await readConversation(parley, orgId, id)).reply_window!;
  expect(Math.abs(Date.parse(until!) - Date.now() - 3_600_000)).toBeLessThan(60_000);

  const sandbox = (await givenConversation(parley.db, orgId, (await givenAgent(parley.db, orgId)).channelId)).id;
  expect((await readConversation(parley, orgId, sandbox)).reply_window).toBeNull();
  const email = await givenChannel(parley.db, orgId, agentId, { kind: 'email' });
  const other = await givenConversation(parley.db, orgId, email, { address: 'mona@example.com' });
  await expect(replyInConversation(parley, orgId, other.id, { template }, actor)).rejects.toMatchObject({
    code: 'content_unsupported',
  });
});

test('the changes have each hand-off of the agent, also after the agent answers again', async () => {
  const { channelId } = await givenAgent(parley.db, orgId);
  const { id } = await givenConversation(parley.db, orgId, channelId, { status: 'open' });
  const set = (status: string, reason: string | null, at: string | null) =>
    parley.db.execute(sql`UPDATE conversation SET status = ${status}, hand_off_reason = ${reason},
      handed_off_at = ${at}::timestamptz WHERE id = ${id}`);
  for (const [minute, reason] of ['request', null, 'rule'].entries()) {
    await set('handed_off', reason, `2026-01-05T10:0${minute}:00Z`);
    await set('open', null, null);
  }
  const { changes } = await readConversation(parley, orgId, id);
  expect(changes.map(({ type }) => type)).toEqual(['handed_off', 'handed_off']);
  expect(new Set(changes.map((change) => change.id)).size).toBe(2);
});
