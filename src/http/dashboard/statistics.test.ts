import { inspect } from 'node:util';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Numbers } from '../../../contract/dashboard/statistics.ts';
import { givenAgent, givenConversation, givenOrganization } from '../../../test/factories.ts';
import { type DashboardServer, startDashboard } from '../../../test/dashboard-server.ts';
import { readStatistics } from '../../features/statistics/read-statistics.ts';
import { newId } from '../../kernel/ids.ts';
import type { ConversationFilter } from '../../store/conversations/candidates.ts';
import { listConversationRows } from '../../store/conversations/list.ts';

/** What Home counts: to which hour it belongs, what changes late, and what it costs to look. */
let server: DashboardServer;
let orgId: string;
let channelId: string;
/** In the middle of an hour and of a day. */
const NOW = Date.parse('2026-11-20T15:30:00Z');
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

beforeAll(async () => {
  server = await startDashboard();
});
afterAll(() => server.stop());
beforeEach(async () => {
  orgId = await givenOrganization(server.db);
  ({ channelId } = await givenAgent(server.db, orgId));
});

const read = (period: '24h' | '7d' | '30d' = '24h', at = NOW): Promise<Numbers> =>
  readStatistics({ db: server.db, now: () => at }, orgId, period);

/** A conversation that began then. */
async function talk(at: number, status = 'open'): Promise<string> {
  const { id: made } = await givenConversation(server.db, orgId, channelId);
  const id = newId('conv', at);
  await server.db
    .execute(sql`INSERT INTO conversation (org_id, id, agent_id, channel_id, end_user_id, status, created_at)
    SELECT org_id, ${id}, agent_id, channel_id, end_user_id, ${status}, ${new Date(at)} FROM conversation
    WHERE org_id = ${orgId} AND id = ${made}`);
  await server.db.execute(sql`DELETE FROM conversation WHERE org_id = ${orgId} AND id = ${made}`);
  return id;
}
const say = (conversation: string, at: number, role: string, status: string | null = null) =>
  server.db.execute(sql`INSERT INTO message (org_id, id, conversation_id, role, content, status, created_at)
    VALUES (${orgId}, ${newId('msg', at)}, ${conversation}, ${role}, '{"type":"text","text":"x"}', ${status}, ${new Date(at)})`);
const rate = (conversation: string, score: number, at: number) =>
  server.db
    .execute(sql`INSERT INTO rating (org_id, conversation_id, subject, kind, agent_id, channel_id, score, rated_at)
    SELECT org_id, id, 'survey', 'survey', agent_id, channel_id, ${score}::int, ${new Date(at)} FROM conversation
    WHERE id = ${conversation}`);
const handOff = (conversation: string, at: number, reason: string | null) =>
  server.db.execute(sql`UPDATE conversation SET status = 'handed_off', handed_off_at = ${new Date(at)},
    hand_off_reason = ${reason} WHERE org_id = ${orgId} AND id = ${conversation}`);
const resolve = (conversation: string) =>
  server.db.execute(sql`UPDATE conversation SET status = 'resolved', handed_off_at = NULL, hand_off_reason = NULL
    WHERE org_id = ${orgId} AND id = ${conversation}`);

describe('the numbers of an organization', () => {
  test('the list has the conversations that a number counts, with the same times', async () => {
    const [now, earlier, done, handed] = [
      await talk(NOW - HOUR),
      await talk(NOW - 30 * HOUR),
      await talk(NOW - 2 * HOUR, 'resolved'),
      await talk(NOW - 40 * HOUR),
    ];
    await handOff(handed, NOW - 3 * HOUR, 'asked');
    await server.db.execute(sql`UPDATE conversation SET tags = '{vip}' WHERE id IN (${now}, ${earlier})`);
    // Of a conversation that began before, the rating is in the time.
    await rate(earlier, 5, NOW - 2 * HOUR);
    await rate(done, 2, NOW - HOUR);
    await rate(now, 1, NOW - 25 * HOUR);
    const numbers = await read();
    const { from, to, conversations, ended, handed_off: hands } = numbers;
    const times = { since: new Date(from), until: new Date(to) };
    const idsOf = async (filter: ConversationFilter) =>
      (await listConversationRows(server.db, orgId, 'user_x', filter, { limit: 10, after: null })).rows.map(
        ({ id }) => id,
      );
    expect([conversations.now, await idsOf(times)]).toEqual([2, [now, done]]);
    expect([ended.now, await idsOf({ ...times, status: 'resolved' })]).toEqual([1, [done]]);
    expect([hands.now, await idsOf({ ...times, handedOff: true })]).toEqual([1, [handed]]);
    expect(await idsOf({ ...times, tag: 'vip' })).toEqual([now]);
    expect(numbers).toMatchObject({
      ratings: { now: 2, before: 1 },
      rating_average: { now: 3.5, before: 1 },
      rating_scores: [{ name: '2', count: 1 }, { name: '5', count: 1 }],
    }); // prettier-ignore
    expect(await idsOf({ ...times, rated: 'any' })).toEqual(expect.arrayContaining([earlier, done]));
    expect(await idsOf({ ...times, rated: 'any' })).toHaveLength(2);
    expect(await idsOf({ ...times, rated: '2' })).toEqual([done]);
    expect(await idsOf({ rated: 'any', handedOff: true })).toEqual([]);
    // The page of a channel is filled from the time, not from the newest conversations.
    const before = { since: new Date(NOW - 36 * HOUR), until: new Date(from), channelId };
    const one = await listConversationRows(server.db, orgId, 'user_x', before, { limit: 1, after: null });
    expect([one.rows.map(({ id }) => id), one.hasMore]).toEqual([[earlier], false]);
    expect(await idsOf({ ...before, tag: 'vip' })).toEqual([earlier]);
  });

  test('the numbers belong to whole hours, and are compared with as many hours before', async () => {
    await talk(NOW); // in the hour in progress
    await talk(Date.parse('2026-11-19T16:00:00Z')); // the first moment of the 24 hours
    await talk(Date.parse('2026-11-19T15:59:59.999Z')); // the last one before them
    await talk(Date.parse('2026-11-18T16:00:00Z'));
    await talk(Date.parse('2026-11-18T15:59:59.999Z')); // too long ago
    const found = await read();
    expect(found).toMatchObject({
      from: '2026-11-19T16:00:00.000Z',
      to: '2026-11-20T16:00:00.000Z',
      complete: true,
      conversations: { now: 2, before: 2 },
      hours: [
        { at: '2026-11-19T16:00:00.000Z', conversations: 1, handed_off: 0 },
        { at: '2026-11-20T15:00:00.000Z', conversations: 1, handed_off: 0 },
      ],
    });
    expect((await read('7d')).conversations).toEqual({ now: 5, before: 0 });
  });

  test('ended conversations are counted with and without a person who answered', async () => {
    await talk(NOW - HOUR, 'resolved');
    await talk(NOW - HOUR, 'resolved');
    await resolve(await talk(NOW - HOUR));
    const handed = await talk(NOW - HOUR);
    await handOff(handed, NOW - HOUR, 'asked');
    await resolve(handed);
    const joined = await talk(NOW - HOUR, 'resolved');
    await say(joined, NOW - HOUR + 1, 'member', 'delivered');
    await talk(NOW - HOUR);
    const silent = await talk(NOW - HOUR, 'resolved');
    await server.db.execute(sql`UPDATE conversation SET run_id = ${silent} WHERE id = ${silent}`);
    await server.db.execute(sql`INSERT INTO run (org_id, id, conversation_id, status, reason, input)
      VALUES (${orgId}, ${silent}, ${silent}, 'completed', 'no_reply', '{}')`);
    expect(await read()).toMatchObject({
      conversations: { now: 7 },
      ended: { now: 6 },
      ended_alone: { now: 3 },
      ended_no_reply: { now: 1 },
    });
  });

  test('each hand-off is counted once, with its reason and the median wait for the first reply', async () => {
    const wait = async (reason: string | null, seconds: number | null) => {
      const conversation = await talk(NOW - 3 * HOUR);
      await handOff(conversation, NOW - 2 * HOUR, reason);
      await server.db.execute(sql`UPDATE conversation SET status = 'handed_off' WHERE org_id = ${orgId}
        AND id = ${conversation}`);
      await say(conversation, NOW - 3 * HOUR, 'member', 'sent');
      if (seconds !== null) {
        await say(conversation, NOW - 2 * HOUR + seconds * 1_000, 'member', 'sent');
        await say(conversation, NOW - HOUR, 'member', 'sent');
      }
    };
    await wait('asked', 60);
    await wait('asked', 90);
    await wait('rule', 600);
    await wait(null, null);
    expect(await read()).toMatchObject({
      handed_off: { now: 4, before: 0 },
      hand_off_reasons: [
        { name: 'asked', count: 2 },
        { name: 'member', count: 1 },
        { name: 'rule', count: 1 },
      ],
      first_reply_seconds: { now: 90, before: null },
      hours: [
        { at: '2026-11-20T12:00:00.000Z', conversations: 4, handed_off: 0 },
        { at: '2026-11-20T13:00:00.000Z', conversations: 0, handed_off: 4 },
      ],
    });
  });

  test('messages are counted by their state, and calls with the codes of refusals', async () => {
    const conversation = await talk(NOW - 2 * DAY);
    await say(conversation, NOW - HOUR, 'agent', 'delivered');
    await say(conversation, NOW - HOUR, 'agent', 'failed');
    await say(conversation, NOW - HOUR, 'member', 'delivered');
    await say(conversation, NOW - HOUR, 'end_user');
    const hour = new Date(NOW - 3 * HOUR - 30 * 60_000);
    await server.db.execute(sql`INSERT INTO key_usage (org_id, key_id, hour, accepted, refused, failed)
      VALUES (${orgId}, 'key_1', ${hour}, 5, 2, 0), (${orgId}, 'key_2', ${hour}, 1, 0, 1)`);
    await server.db.execute(sql`INSERT INTO request_log (org_id, id, key_id, at, method, route, status, code, ms)
      VALUES (${orgId}, ${newId('req', NOW - HOUR)}, 'key_1', ${new Date(NOW - HOUR)}, 'GET', '/api/me', 429, 'rate_limited', 1)`);
    expect(await read()).toMatchObject({
      messages: { now: 3, before: 0 },
      message_states: [
        { name: 'delivered', count: 2 },
        { name: 'failed', count: 1 },
      ],
      calls: { now: 9, before: 0 },
      refused: { now: 2 },
      failed: { now: 1 },
      refusals: [{ name: 'rate_limited', count: 1 }],
    });
  });

  test('a late change is counted within a minute on the same day, within an hour for three days, and then daily', async () => {
    const today = await talk(NOW - HOUR);
    const yesterday = await talk(NOW - DAY);
    const old = await talk(NOW - 6 * DAY);
    const ended = async (at: number) => (await read('7d', at)).ended.now;
    expect(await ended(NOW)).toBe(0);
    for (const one of [today, yesterday, old]) await resolve(one);
    expect(await ended(NOW + 59_000)).toBe(0);
    expect(await ended(NOW + 60_000)).toBe(1);
    expect(await ended(NOW + HOUR - 1)).toBe(1);
    expect(await ended(NOW + HOUR)).toBe(2);
    // Of a day that ended more than three days ago the count is a day old.
    expect((await read('30d', NOW + DAY - 1)).ended.now).toBe(2);
    expect((await read('30d', NOW + DAY)).ended.now).toBe(3);
  });

  test('the numbers of a day are final after 30 days, even if its conversations are deleted', async () => {
    const old = await talk(NOW - 20 * DAY);
    const begun = async (at: number) => {
      const { conversations } = await read('30d', at);
      return conversations.now + conversations.before;
    };
    expect(await begun(NOW + 12 * DAY)).toBe(1);
    await server.db.execute(sql`DELETE FROM conversation WHERE org_id = ${orgId} AND id = ${old}`);
    expect(await begun(NOW + 14 * DAY)).toBe(1);
  });

  test('the numbers contain no data of another organization', async () => {
    await handOff(await talk(NOW - HOUR), NOW - HOUR, 'asked');
    const elsewhere = await givenOrganization(server.db);
    const found = await readStatistics({ db: server.db, now: () => NOW }, elsewhere, '24h');
    expect(found).toMatchObject({ conversations: { now: 0 }, handed_off: { now: 0 }, hours: [] });
  });

  test('a reader who waited for the count of a shorter period does not get incomplete numbers as complete', async () => {
    await talk(NOW - 5 * DAY);
    const [, week] = await Promise.all([read('24h'), read('7d')]);
    expect(week).toMatchObject({ complete: false });
    expect(await read('7d')).toMatchObject({ complete: true, conversations: { now: 1 } });
    // Both periods are counted now.
    expect(await Promise.all([read('24h'), read('7d')])).toMatchObject([{ complete: true }, { complete: true }]);
  });

  test('many simultaneous readers, and one soon after them, cause only one count', async () => {
    await talk(NOW - HOUR);
    const counting = vi.spyOn(server.db, 'execute');
    const all = await Promise.all(Array.from({ length: 5 }, () => read()));
    expect(all.map(({ conversations }) => conversations.now)).toEqual([1, 1, 1, 1, 1]);
    await read();
    // Three days have hours of the 24 and of those before. The workers of the server use the same database.
    const ofDays = counting.mock.calls.filter(([query]) => inspect(query, { depth: 4 }).includes('refusal:'));
    expect(ofDays).toHaveLength(3);
    counting.mockRestore();
  });
});
