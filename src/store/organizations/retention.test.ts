import { eq, sql } from 'drizzle-orm';
import { beforeEach, describe, expect, test } from 'vitest';
import { givenAgent, givenApproval, givenConversation, givenOrganization } from '../../../test/factories.ts';
import { useDatabase } from '../../../test/use-database.ts';
import { countLockWaits } from '../../../test/lock-waits.ts';
import { newId } from '../../kernel/ids.ts';
import type { Db } from '../db.ts';
import { insertDocument } from '../documents.ts';
import { countOld, eraseOld, readRetention, setRetention } from './retention.ts';
import { campaign, recipient } from '../schema/campaign.ts';
import { conversation, conversationNote, message } from '../schema/conversation.ts';
import { endUser } from '../schema/end-user.ts';
import { run } from '../schema/run.ts';

let db: Db;
let orgId: string;
let agentId: string;
let channelId: string;

useDatabase((own) => {
  db = own;
});
beforeEach(async () => {
  await db.execute(sql`DELETE FROM retention`);
  orgId = await givenOrganization(db);
  ({ agentId, channelId } = await givenAgent(db, orgId));
});

const DAY_MS = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS);

type Given = { begun: number; spoke?: number; status?: string; run?: Partial<typeof run.$inferInsert>; org?: string };

/** A conversation that started so many days ago, with one message from then and one from the last activity. */
async function given({ begun, spoke = begun, status = 'open', run: more = {}, org = orgId }: Given) {
  const id = newId('conv', daysAgo(begun).getTime());
  const endUserId = newId('enduser');
  const runId = newId('run', daysAgo(spoke).getTime());
  const firstRunId = newId('run', daysAgo(begun).getTime());
  const [own] = (
    await db.execute<{ agent_id: string; id: string }>(
      sql`SELECT agent_id, id FROM channel WHERE org_id = ${org} LIMIT 1`,
    )
  ).rows;
  await db.insert(endUser).values({ orgId: org, id: endUserId });
  await db.insert(conversation).values({
    orgId: org, id, agentId: own!.agent_id, channelId: own!.id, endUserId, status, runId,
    createdAt: daysAgo(begun), updatedAt: daysAgo(spoke),
  }); // prettier-ignore
  await db.insert(run).values([
    { orgId: org, id: firstRunId, conversationId: id, status: 'completed', input: {}, createdAt: daysAgo(begun), finishedAt: daysAgo(begun) },
    { orgId: org, id: runId, conversationId: id, status: 'waiting_for_user', input: {}, createdAt: daysAgo(spoke), ...more },
  ]); // prettier-ignore
  const messageAt = (at: number) => ({
    orgId: org, id: newId('msg', daysAgo(at).getTime()), conversationId: id, runId, role: 'agent', status: 'delivered',
    content: { type: 'text' as const, text: 'Hello' }, createdAt: daysAgo(at),
  }); // prettier-ignore
  const messages = [messageAt(begun), ...(spoke === begun ? [] : [messageAt(spoke)])];
  await db.insert(message).values(messages);
  return { id, runId, firstRunId, endUserId, messages: messages.map((one) => one.id) };
}

async function left(table: 'conversation' | 'run' | 'message' | 'conversation_note', org = orgId): Promise<string[]> {
  const { rows } = await db.execute<{ id: string }>(
    sql`SELECT id FROM ${sql.identifier(table)} WHERE org_id = ${org} ORDER BY id`,
  );
  return rows.map(({ id }) => id);
}

/** Runs batches until none is due. A clock that steps back by milliseconds must not delay a pass that starts now. */
async function sweep(now?: Date): Promise<number> {
  for (let pieces = 0; ; pieces++) {
    await db.execute(
      sql`UPDATE retention SET due_at = due_at - interval '1 second' WHERE org_id IN (
        SELECT org_id FROM retention WHERE due_at < now() + interval '1 second' ORDER BY org_id FOR UPDATE)`,
    );
    if (!(await eraseOld(db, now))) return pieces;
  }
}

const auditOf = async (org = orgId) =>
  (
    await db.execute<{ action: string; actor: string; facts: object }>(
      sql`SELECT action, actor, facts FROM audit WHERE org_id = ${org} ORDER BY id`,
    )
  ).rows;

test('nothing is erased without a retention period', async () => {
  await given({ begun: 3_000 });
  expect(await sweep()).toBe(0);
  expect(await left('conversation')).toHaveLength(1);
});

test('data older than the retention period is deleted with messages and runs, and the person stays', async () => {
  const old = await given({ begun: 100, spoke: 91 });
  const young = await given({ begun: 89 });
  await setRetention(db, orgId, 90);
  await sweep();
  expect(await left('conversation')).toEqual([young.id]);
  expect(await left('message')).toEqual(young.messages);
  expect(await left('run')).not.toContain(old.runId);
  const { rows } = await db.execute(sql`SELECT 1 FROM end_user WHERE org_id = ${orgId} AND id = ${old.endUserId}`);
  expect(rows).toHaveLength(1);
  expect(await auditOf()).toEqual([
    { action: 'retention.swept', actor: 'system', facts: { days: 90, conversations: 1, messages: 2 } },
  ]);
  expect((await readRetention(db, orgId))?.sweptAt).toBeInstanceOf(Date);
});

test('old section choices that taught nothing are deleted, and learned questions stay', async () => {
  const document = newId('doc');
  await insertDocument(db, orgId, { id: document, agentId, name: 'Guide', text: 'We open at nine.' });
  const put = (state: string, days: number) =>
    db.execute(sql`INSERT INTO passage_wording
        (org_id, id, agent_id, document_id, passage, words, question, quote, state, origin, end_user_id, created_at)
      VALUES (${orgId}, ${newId('wording')}, ${agentId}, ${document}, '\\x00', '\\x00', ${state + days}, '', ${state},
        'people', ${newId('enduser')}, now() - make_interval(days => ${days}))`);
  for (const days of [10, 40]) for (const state of ['tap', 'active']) await put(state, days);
  await setRetention(db, orgId, 30);
  await sweep();
  const { rows } = await db.execute(
    sql`SELECT question FROM passage_wording WHERE org_id = ${orgId} ORDER BY question`,
  );
  expect(rows.map(({ question }) => question)).toEqual(['active10', 'active40', 'tap10']);
});

test('in an active conversation, old decided approvals are deleted, and open and recent ones stay', async () => {
  const alive = await given({ begun: 100, spoke: 10 });
  const of = { id: alive.runId, agent_id: agentId, conversation_id: alive.id };
  const approvals = await Promise.all([95, 95, 20].map(() => givenApproval(db, orgId, of)));
  await db.execute(sql`UPDATE approval SET created_at = now() - make_interval(days => 95), status = 'approved',
    answered_at = now() WHERE id = ${approvals[0]}`);
  await db.execute(sql`UPDATE approval SET created_at = now() - make_interval(days => 95) WHERE id = ${approvals[1]}`);
  await db.execute(sql`UPDATE approval SET status = 'denied', answered_at = now() WHERE id = ${approvals[2]}`);
  await setRetention(db, orgId, 90);
  await sweep();
  const { rows } = await db.execute<{ id: string }>(sql`SELECT id FROM approval WHERE org_id = ${orgId} ORDER BY id`);
  expect(rows.map(({ id }) => id)).toEqual(approvals.slice(1).toSorted());
});

test('old notes are deleted even if no message is old', async () => {
  const alive = await given({ begun: 100, spoke: 80 });
  await db.execute(sql`DELETE FROM message WHERE org_id = ${orgId} AND id = ${alive.messages[0]}`);
  const old = await given({ begun: 100 });
  const note = (conversationId: string, at: number) => ({
    orgId, id: newId('note', daysAgo(at).getTime()), conversationId, authorId: 'user_x', text: 'x', createdAt: daysAgo(at),
  }); // prettier-ignore
  const [remaining] = await db
    .insert(conversationNote)
    .values([note(alive.id, 10), note(alive.id, 91), note(old.id, 95)])
    .returning();
  await setRetention(db, orgId, 90);
  await sweep();
  expect(await left('conversation_note')).toEqual([remaining!.id]);
});

test('old ratings of an active conversation are deleted', async () => {
  const alive = await given({ begun: 100, spoke: 80 });
  for (const [subject, days] of [['survey', 91], ['msg_1', 10]] as const)
    await db.execute(sql`INSERT INTO rating (org_id, conversation_id, subject, kind, agent_id, channel_id, score, comment, rated_at)
      SELECT org_id, id, ${subject}, ${subject === 'survey' ? 'survey' : 'answer'}, agent_id, channel_id, 1, 'Slow',
        ${daysAgo(days)} FROM conversation WHERE id = ${alive.id}`); // prettier-ignore
  await setRetention(db, orgId, 90);
  await sweep();
  const { rows } = await db.execute(sql`SELECT subject FROM rating WHERE org_id = ${orgId}`);
  expect(rows).toEqual([{ subject: 'msg_1' }]);
});

test('in an active conversation, old messages and ended runs are deleted, and unanswered messages stay', async () => {
  const alive = await given({ begun: 100, spoke: 10 });
  const [first, latest] = alive.messages;
  const waiting = await given({ begun: 100, spoke: 10 });
  await db.execute(
    sql`UPDATE conversation SET unanswered = ARRAY[${waiting.messages[0]}] WHERE org_id = ${orgId} AND id = ${waiting.id}`,
  );
  await setRetention(db, orgId, 90);
  await sweep();
  expect(await left('conversation')).toEqual([alive.id, waiting.id].toSorted((a, b) => (a < b ? -1 : 1)));
  const messages = await left('message');
  expect(messages).not.toContain(first);
  expect(messages).toEqual(expect.arrayContaining([latest, ...waiting.messages]));
  const runs = await left('run');
  expect(runs).toEqual(expect.arrayContaining([alive.runId]));
  expect(runs).not.toContain(alive.firstRunId);
});

test('the memory of a model keeps no parts of old messages, and the rest of the state stays', async () => {
  const alive = await given({ begun: 100, spoke: 10 });
  const young = await given({ begun: 20, spoke: 10 });
  const state = { step: 'address', memory: { said: [{ wrote: 'My card ends in 4242' }], turns: [] } };
  await db.update(conversation).set({ state }).where(eq(conversation.orgId, orgId));
  await setRetention(db, orgId, 90);
  await sweep();
  const rows = await db.select({ id: conversation.id, state: conversation.state }).from(conversation);
  const stateOf = (id: string) => rows.find((row) => row.id === id)!.state;
  expect(stateOf(alive.id)).toEqual({ step: 'address' });
  expect(stateOf(young.id)).toEqual(state);
});

describe('a conversation in progress does not change, however old it is', () => {
  const later = { dueAt: new Date(Date.now() + DAY_MS) };
  test.each<[string, Given, (given: { id: string; runId: string; messages: string[]; endUserId: string }) => Promise<unknown>]>([
    ['a human has taken it over', { begun: 400, status: 'handed_off' }, async () => {}],
    ['a run is scheduled', { begun: 400, run: { status: 'scheduled', ...later } }, async () => {}],
    ['a run is queued', { begun: 400, run: { status: 'queued', dueAt: daysAgo(400) } }, async () => {}],
    ['a message is to be sent', { begun: 400 }, ({ messages }) =>
      db.execute(sql`UPDATE message SET status = 'queued', due_at = now() + interval '1 day' WHERE id = ${messages[0]}`)],
    ['a message to a recipient is being sent', { begun: 400 }, ({ runId, endUserId }) => givenRecipient('sending', runId, endUserId)],
    ['a send was accepted since', { begun: 400 }, ({ id }) =>
      db.insert(message).values({ orgId, id: newId('msg'), conversationId: id, role: 'agent', status: 'delivered',
        content: { type: 'text', text: 'New' } })],
  ])('%s', async (name, conversationGiven, more) => {
    const one = await given(conversationGiven);
    await more(one);
    await setRetention(db, orgId, 30);
    await sweep();
    expect(await left('conversation')).toEqual([one.id]);
    const isAlive = name === 'a send was accepted since';
    expect((await left('message')).includes(one.messages[0]!)).toBe(!isAlive);
  }); // prettier-ignore
});

async function givenRecipient(status: string, runId: string, endUserId: string) {
  const campaignId = newId('campaign');
  await db.insert(campaign).values({ orgId, id: campaignId, agentId, channelId, name: 'Old', state: 'ended' });
  const id = newId('rcpt');
  await db.insert(recipient).values({
    orgId, campaignId, id, endUserId, status, runId, ref: 'row-1', variables: { voucher: 'W-1' },
  }); // prettier-ignore
  return { campaignId, id };
}

test('a recipient whose messages were deleted still counts as enrolled in its campaign', async () => {
  const one = await given({ begun: 100 });
  const { campaignId } = await givenRecipient('replied', one.runId, one.endUserId);
  await setRetention(db, orgId, 30);
  await sweep();
  const { rows } = await db.execute(sql`SELECT status, ref, end_user_id, variables, run_id, conversation_id
    FROM recipient WHERE org_id = ${orgId} AND campaign_id = ${campaignId}`);
  expect(rows).toEqual([
    { status: 'replied', ref: 'row-1', end_user_id: one.endUserId, variables: {}, run_id: null, conversation_id: null },
  ]);
});

test('opt-outs stay after old data is erased', async () => {
  const one = await given({ begun: 100 });
  await db.execute(sql`UPDATE end_user SET consent = '{"sms": {"status": "opted_out"}}', blocked = true
    WHERE org_id = ${orgId} AND id = ${one.endUserId}`);
  await setRetention(db, orgId, 30);
  await sweep();
  const { rows } = await db.execute(sql`SELECT blocked, consent FROM end_user WHERE org_id = ${orgId}`);
  expect(rows).toEqual([{ blocked: true, consent: { sms: { status: 'opted_out' } } }]);
});

test('many conversations are deleted in batches, and a second node processes another organization', async () => {
  const other = await givenOrganization(db);
  await givenAgent(db, other);
  for (const org of [orgId, other]) {
    const first = await given({ begun: 100, org });
    await db.execute(sql`INSERT INTO conversation (org_id, id, agent_id, channel_id, end_user_id, created_at, updated_at)
      SELECT org_id, left(id, 20) || lpad(n::text, 11, '0'), agent_id, channel_id, end_user_id, created_at, updated_at
      FROM conversation, generate_series(1, 450) n WHERE org_id = ${org} AND id = ${first.id}`);
  }
  await setRetention(db, orgId, 30);
  await setRetention(db, other, 30);
  // One batch each, at the same time: both wait for the lock before they erase.
  const lock = await db.$client.connect();
  await lock.query('BEGIN; LOCK TABLE message IN EXCLUSIVE MODE');
  const batches = Promise.all([eraseOld(db), eraseOld(db)]);
  await expect.poll(() => countLockWaits(db.$client)).toBe(2);
  await lock.query('COMMIT');
  lock.release();
  expect(await batches).toEqual([true, true]);
  const remaining = await Promise.all([left('conversation'), left('conversation', other)]);
  expect(remaining.map((ids) => ids.length)).toEqual([251, 251]);
  await Promise.all([sweep(), sweep(), sweep()]);
  expect([await left('conversation'), await left('conversation', other)]).toEqual([[], []]);
  for (const org of [orgId, other])
    expect(await auditOf(org)).toMatchObject([
      { action: 'retention.swept', facts: { conversations: 451, messages: 1 } },
    ]);
});

test('an organization whose data cannot be erased delays no other organization', async () => {
  const stuck = await given({ begun: 100 });
  const other = await givenOrganization(db);
  await givenAgent(db, other);
  await given({ begun: 100, org: other });
  await setRetention(db, orgId, 90);
  await setRetention(db, other, 90);
  await db.execute(sql`UPDATE retention SET due_at = due_at - CASE org_id WHEN ${orgId} THEN interval '2 hours'
    ELSE interval '1 hour' END`);
  await db.execute(sql`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'broken'; END $$`);
  await db.execute(
    sql.raw(`CREATE TRIGGER refuse BEFORE DELETE ON message FOR EACH ROW WHEN (OLD.org_id = '${orgId}')
      EXECUTE FUNCTION refuse()`),
  );
  await expect(eraseOld(db)).rejects.toThrow('Failed query');
  await sweep();
  expect(await left('conversation', other)).toEqual([]);
  expect(await left('conversation')).toEqual([stuck.id]);
  await db.execute(sql`DROP TRIGGER refuse ON message`);
  await sweep(new Date(Date.now() + 3_600_000));
  expect(await left('conversation')).toEqual([]);
});

test('a conversation with very many messages is deleted in batches', async () => {
  const one = await given({ begun: 100 });
  await db.execute(sql`INSERT INTO message (org_id, id, conversation_id, role, content, status, created_at)
    SELECT ${orgId}, 'msg_' || lpad(n::text, 26, '0'), ${one.id}, 'agent', '{}', 'delivered', ${daysAgo(100).toISOString()}::timestamptz
    FROM generate_series(1, 4500) n`);
  await setRetention(db, orgId, 30);
  expect(await eraseOld(db)).toBe(true);
  expect((await left('message')).length).toBe(2_501);
  expect(await left('conversation')).toEqual([one.id]);
  await sweep();
  expect([await left('conversation'), await left('message')]).toEqual([[], []]);
  expect(await auditOf()).toMatchObject([{ facts: { conversations: 1, messages: 4_501 } }]);
});

test('the deletion runs once a day and includes data that has become old after the last run', async () => {
  const soon = await given({ begun: 29 });
  await setRetention(db, orgId, 30);
  await sweep();
  expect(await sweep(new Date(Date.now() + 0.5 * DAY_MS))).toBe(0);
  expect(await left('conversation')).toEqual([soon.id]);
  expect(await sweep(new Date(Date.now() + 2 * DAY_MS))).toBe(1);
  expect(await left('conversation')).toEqual([]);
});

test('nothing is deleted after retention is turned off, and a shorter period applies immediately', async () => {
  const one = await given({ begun: 100 });
  await setRetention(db, orgId, 365);
  await sweep();
  await setRetention(db, orgId, null);
  expect(await sweep(new Date(Date.now() + 400 * DAY_MS))).toBe(0);
  expect(await left('conversation')).toEqual([one.id]);
  await setRetention(db, orgId, 365);
  await setRetention(db, orgId, 90);
  await sweep();
  expect(await left('conversation')).toEqual([]);
});

test('the deletion does not wait for a person who is writing now, and their conversation stays', async () => {
  const one = await given({ begun: 100 });
  await setRetention(db, orgId, 30);
  const client = await db.$client.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT 1 FROM conversation WHERE org_id = $1 AND id = $2 FOR UPDATE', [orgId, one.id]);
    await client.query(
      `INSERT INTO message (org_id, id, conversation_id, role, content) VALUES ($1, $2, $3, 'end_user', '{}')`,
      [orgId, newId('msg'), one.id],
    );
    await sweep();
    await client.query('COMMIT');
  } finally {
    client.release();
  }
  expect(await left('conversation')).toEqual([one.id]);
});

test('the preview counts the conversations that would be deleted', async () => {
  for (const begun of [20, 40, 50, 70]) await given({ begun });
  await given({ begun: 80, spoke: 5 });
  await given({ begun: 80, status: 'handed_off' });
  await givenConversation(db, await givenOrganizationWithChannel(), channelIdOfOther, {});
  expect(await countOld(db, orgId, 45)).toEqual({ many: 2, more: false });
});

let channelIdOfOther = '';
async function givenOrganizationWithChannel(): Promise<string> {
  const org = await givenOrganization(db);
  ({ channelId: channelIdOfOther } = await givenAgent(db, org));
  return org;
}
