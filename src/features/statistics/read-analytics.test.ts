import { sql } from 'drizzle-orm';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type AnalyticsQuery,
  CONVERSATION_OUTCOMES,
  type ConversationOutcome,
} from '../../../contract/dashboard/analytics.ts';
import {
  givenAgent,
  givenConversation,
  givenMember,
  givenOrganization,
  givenTrigger,
} from '../../../test/factories.ts';
import { useDatabase } from '../../../test/use-database.ts';
import { newId } from '../../kernel/ids.ts';
import type { ConversationFilter } from '../../store/conversations/candidates.ts';
import { listConversationRows } from '../../store/conversations/list.ts';
import type { Db } from '../../store/db.ts';
import { exportAnalytics } from './export-analytics.ts';
import { readAnalytics } from './read-analytics.ts';

let db: Db;
let orgId: string;
let agentId: string;
let channelId: string;
const NOW = Date.parse('2026-11-20T15:30:00Z');
const HOUR = 3_600_000;

useDatabase((own) => {
  db = own;
});
beforeEach(async () => {
  orgId = await givenOrganization(db);
  await db.execute(
    sql`UPDATE organization SET created_at = '2026-01-01', time_zone = 'Asia/Kolkata' WHERE id = ${orgId}`,
  );
  ({ agentId, channelId } = await givenAgent(db, orgId));
});

const read = (query: AnalyticsQuery = {}, now = NOW) => readAnalytics({ db, now: () => now }, orgId, query);

type Said = [role: 'end_user' | 'agent' | 'member', seconds: number, more?: { author?: string; missed?: true }];
type Talk = {
  messages?: Said[];
  handedOver?: number;
  resolved?: number;
  version?: number;
  channel?: string;
  trigger?: string;
  cost?: string;
  score?: number;
};

/** A conversation that began then. The other times are in seconds after its start. */
async function talk(at: number, { messages = [], ...more }: Talk = {}): Promise<string> {
  const later = (seconds: number): Date => new Date(at + seconds * 1_000);
  const { id: made } = await givenConversation(db, orgId, more.channel ?? channelId);
  const [id, run] = [newId('conv', at), newId('run', at)];
  await db.execute(sql`INSERT INTO conversation (org_id, id, agent_id, channel_id, end_user_id, run_id, created_at)
    SELECT org_id, ${id}, agent_id, channel_id, end_user_id, ${run}, ${new Date(at)} FROM conversation WHERE id = ${made}`);
  await db.execute(sql`DELETE FROM conversation WHERE id = ${made}`);
  const finished = more.resolved === undefined ? null : later(more.resolved);
  await db.execute(sql`INSERT INTO run (org_id, id, conversation_id, trigger_id, status, input, agent_version, finished_at)
    VALUES (${orgId}, ${run}, ${id}, ${more.trigger ?? null}, 'completed', '{}', ${more.version ?? null}, ${finished})`);
  for (const [role, seconds, { author = null, missed } = {}] of messages)
    await db.execute(sql`INSERT INTO message (org_id, id, conversation_id, run_id, role, author_id, content, trace, created_at)
      VALUES (${orgId}, ${newId('msg', at)}, ${id}, ${role === 'agent' ? run : null}, ${role}, ${author}, '{"type":"text","text":"x"}',
        ${missed ? '{"provider":"embedded","steps":[{"kind":"miss","detail":""}]}' : null}::jsonb, ${later(seconds)})`);
  if (more.handedOver !== undefined)
    await db.execute(
      sql`UPDATE conversation SET status = 'handed_off', handed_off_at = ${later(more.handedOver)} WHERE id = ${id}`,
    );
  if (more.resolved !== undefined)
    await db.execute(sql`UPDATE conversation SET status = 'resolved', handed_off_at = NULL WHERE id = ${id}`);
  if (more.score !== undefined)
    await db.execute(sql`INSERT INTO rating (org_id, conversation_id, subject, kind, agent_id, channel_id, score, rated_at)
      VALUES (${orgId}, ${id}, 'survey', 'survey', ${agentId}, ${channelId}, ${more.score}, ${later(60)})`);
  if (more.cost !== undefined)
    await db.execute(sql`INSERT INTO model_turn (org_id, id, conversation_id, run_id, agent_id, provider, model, cost, currency)
      VALUES (${orgId}, ${run}, ${id}, ${run}, ${agentId}, 'openai', 'gpt', ${more.cost}, 'USD')`);
  return id;
}

test('simultaneous requests for different periods of an organization are counted one after the other', async () => {
  const periods = [
    { since: '2026-03-01', until: '2026-03-05' },
    { since: '2026-10-01', until: '2026-10-05' },
  ];
  const look = () => periods.map((one) => read(one));
  const countComplete = async (readers: ReturnType<typeof look>) =>
    (await Promise.all(readers)).filter(({ complete }) => complete).length;
  const query = vi.spyOn(db.$client, 'query');
  // The first count cannot end before the second reader has begun.
  const first = await db.transaction(async (tx) => {
    await tx.execute(sql`LOCK TABLE analytics_day IN EXCLUSIVE MODE`);
    const readers = look();
    const reads = () =>
      query.mock.calls.filter(
        ([statement], index) =>
          /^select .* from "analytics_day"/.test((statement as unknown as { text: string }).text) &&
          query.mock.settledResults[index]?.type === 'fulfilled',
      ).length;
    // Each reader looks once, and the one that counts looks again.
    await expect.poll(reads, { interval: 5 }).toBe(3);
    return readers;
  });
  expect(await countComplete(first)).toBe(1);
  expect(await countComplete(look())).toBe(2);
  query.mockRestore();
});

const ASKED: Said = ['end_user', 0];
const [ASHA, OMAR] = [newId('user'), newId('user')];

describe('the figures of Analytics', () => {
  test('each figure counts a conversation once, and its list has exactly these conversations', async () => {
    const answered = await talk(NOW - HOUR, {
      messages: [ASKED, ['agent', 4]],
      resolved: 600,
      cost: '0.0125',
      score: 5,
    });
    const missed = await talk(NOW - 2 * HOUR, { messages: [ASKED, ['agent', 8, { missed: true }]], cost: '0.3' });
    const handed = await talk(NOW - 3 * HOUR, {
      messages: [ASKED, ['agent', 2], ['member', 130, { author: ASHA }]],
      handedOver: 10,
      resolved: 3_600,
      score: 2,
    });
    const silent = await talk(NOW - 4 * HOUR, { messages: [['agent', 0]], version: 1 });
    const { total, from, to } = await read();
    expect(total).toEqual({
      conversations: 4,
      answered: 1,
      handed_over: 1,
      unanswered: 1,
      resolved: 2,
      first_reply_seconds: 4,
      team_reply_seconds: 120,
      resolve_seconds: 600,
      ratings: 2,
      rating: 3.5,
      cost: [{ amount: '0.3125', currency: 'USD' }],
    });
    const listed = async (filter: ConversationFilter): Promise<string[]> =>
      (
        await listConversationRows(
          db,
          orgId,
          'user_x',
          { since: new Date(from), until: new Date(to), ...filter },
          { limit: 10, after: null },
        )
      ).rows.map(({ id }) => id);
    const expected: Record<ConversationOutcome, string[]> = {
      answered: [answered],
      handed_over: [handed],
      unanswered: [missed],
      replied: [answered, missed, handed],
      team_replied: [handed],
      rated: [answered, handed],
      with_cost: [answered, missed],
    };
    for (const outcome of CONVERSATION_OUTCOMES)
      for (const sort of [undefined, 'newest'] as const)
        expect([outcome, await listed({ outcome, sort })]).toEqual([
          outcome,
          expected[outcome].toSorted().toReversed(),
        ]);
    expect(await listed({})).toEqual([answered, missed, handed, silent].toSorted().toReversed());
    expect(await listed({ memberId: ASHA })).toEqual([handed]);
    expect(await listed({ memberId: OMAR })).toEqual([]);
    const others = [answered, missed, silent].toSorted().toReversed();
    expect(await listed({ without: 'member' })).toEqual(others);
    expect(await listed({ without: 'member', sort: 'newest' })).toEqual(others);
    expect(await listed({ without: 'version' })).toEqual([answered, missed, handed].toSorted().toReversed());
    expect((await read({ by: 'member' })).data.map(({ group, figures }) => [group, figures.conversations])).toEqual([
      [null, 3],
      [ASHA, 1],
    ]);
  });

  test('figures use the days of the organization’s time zone, and are compared with the same number of days before', async () => {
    // 20 November begins at 18:30 UTC of the day before.
    await talk(Date.parse('2026-11-19T18:30:00Z'));
    await talk(Date.parse('2026-11-19T18:29:59.999Z'));
    await talk(Date.parse('2026-11-18T18:30:00Z'));
    await talk(Date.parse('2026-11-17T18:30:00Z'));
    await talk(Date.parse('2026-11-16T18:29:59.999Z'));
    const found = await read({ since: '2026-11-19' });
    expect(found).toMatchObject({
      since: '2026-11-19',
      until: '2026-11-20',
      time_zone: 'Asia/Kolkata',
      from: '2026-11-18T18:30:00.000Z',
      to: '2026-11-20T18:30:00.000Z',
      complete: true,
      total: { conversations: 3 },
      before: { conversations: 1 },
      days: [
        { day: '2026-11-19', conversations: 2 },
        { day: '2026-11-20', conversations: 1 },
      ],
      data: [{ group: '2026-11-20' }, { group: '2026-11-19' }],
    });
    // With another time zone, the same days have other hours.
    await db.execute(sql`UPDATE organization SET time_zone = 'UTC' WHERE id = ${orgId}`);
    expect((await read({ since: '2026-11-19' })).days.map(({ conversations }) => conversations)).toEqual([2, 0]);
  });

  test('the figures of an agent, version, channel, member or trigger count only its conversations', async () => {
    await givenMember(db, orgId, ASHA);
    const other = await givenAgent(db, orgId, { name: 'Billing' });
    const trigger = await givenTrigger(db, orgId, agentId);
    await talk(NOW - HOUR, { version: 2, trigger });
    await talk(NOW - HOUR, { version: 3, messages: [ASKED, ['agent', 5]] });
    await talk(NOW - HOUR, {
      channel: other.channelId,
      version: 2,
      messages: [ASKED, ['member', 70, { author: ASHA }], ['member', 90, { author: OMAR }]],
      handedOver: 10,
    });
    const rows = async (by: AnalyticsQuery['by'], query: AnalyticsQuery = {}) =>
      (await read({ ...query, by })).data.map(({ group, name, agent_id, figures }) => [
        group,
        name,
        agent_id,
        figures.conversations,
        figures.team_reply_seconds,
      ]);
    expect(await rows('agent')).toEqual([
      [agentId, 'Concierge', null, 2, null],
      [other.agentId, 'Billing', null, 1, 60],
    ]);
    expect(new Set(await rows('version'))).toEqual(
      new Set([
        ['2', 'Concierge', agentId, 1, null],
        ['3', 'Concierge', agentId, 1, null],
        ['2', 'Billing', other.agentId, 1, 60],
      ]),
    );
    expect(await rows('channel', { agent_id: other.agentId })).toEqual([[other.channelId, 'Sandbox', null, 1, 60]]);
    // Asha replied first. Omar is not a member any more, so he has no name.
    expect(await rows('member')).toEqual([
      [null, null, null, 2, null],
      [ASHA, ASHA, null, 1, 60],
      [OMAR, null, null, 1, null],
    ]);
    expect((await read({ member_id: OMAR })).total).toMatchObject({ conversations: 1, team_reply_seconds: null });
    expect((await read({ trigger_id: trigger })).total.conversations).toBe(1);
    expect((await read({ agent_id: agentId, version: 3 })).total).toMatchObject({ conversations: 1, answered: 1 });
    expect((await read({ channel_id: other.channelId })).days.at(-1)).toMatchObject({ handed_over: 1 });
  });

  test('the figures contain no data of another organization', async () => {
    await talk(NOW - HOUR, { messages: [ASKED, ['agent', 4]] });
    orgId = await givenOrganization(db);
    expect((await read()).total.conversations).toBe(0);
    orgId = 'org_unknown';
    await expect(read()).rejects.toMatchObject({ code: 'organization_not_found' });
  });

  test('a period that is too long, ends before it begins, or is too far away is refused', async () => {
    for (const query of [
      { since: '2026-01-01', until: '2026-07-04' },
      { since: '2026-11-20', until: '2026-11-19' },
      { since: '1999-12-31', until: '2000-01-01' },
      { until: '0000-01-01' },
      { until: '9999-12-31' },
      { version: 2 },
      { since: '2026-11-20', days: 7 },
    ])
      await expect(read(query)).rejects.toMatchObject({ code: 'validation_failed' });
    expect((await read({ since: '2026-01-01', until: '2026-07-03' })).days).toHaveLength(184);
    expect(await read({ days: 7 })).toMatchObject({ since: '2026-11-14', until: '2026-11-20' });
  });

  test('a reader does not repeat the count of another reader that ended after the first look', async () => {
    await db.execute(sql`UPDATE organization SET created_at = '2026-11-19T12:00:00Z' WHERE id = ${orgId}`);
    const counting = vi.spyOn(db, 'execute');
    const pool = db.$client;
    const query = pool.query.bind(pool) as (...args: unknown[]) => Promise<unknown>;
    let other: Promise<unknown> | null = null;
    vi.spyOn(pool, 'query').mockImplementation((async (...args: [{ text: string }]) => {
      const result = await query(...args);
      if (other === null && args[0].text.includes('"analytics_day"')) await (other = read());
      return result;
    }) as never);
    await read();
    expect(other).not.toBeNull();
    expect(counting).toHaveBeenCalledTimes(2);
  });

  test('many simultaneous readers cause one count, and days before the creation of the organization are not counted', async () => {
    await talk(NOW - HOUR);
    await db.execute(sql`UPDATE organization SET created_at = '2026-11-19T12:00:00Z' WHERE id = ${orgId}`);
    const counting = vi.spyOn(db, 'execute');
    const query = { since: '2026-11-14', until: '2026-11-25' };
    const all = await Promise.all(Array.from({ length: 5 }, () => read(query)));
    expect(all.map(({ total }) => total.conversations)).toEqual([1, 1, 1, 1, 1]);
    expect(counting).toHaveBeenCalledTimes(2);
    // A minute later, the day in progress is counted again.
    await read(query, NOW + 59_000);
    expect(counting).toHaveBeenCalledTimes(2);
    await read(query, NOW + 60_000);
    expect(counting).toHaveBeenCalledTimes(3);
    counting.mockRestore();
  });

  test('a conversation that ended several times counts by its last end, by its run or by a member', async () => {
    const id = await talk(NOW - 5 * HOUR, { resolved: 60 });
    await db.execute(sql`INSERT INTO audit (org_id, id, actor, action, subject_id, created_at)
      VALUES (${orgId}, ${newId('audit')}, ${ASHA}, 'conversation.resolved', ${id}, ${new Date(NOW - 4 * HOUR)})`);
    expect((await read()).total).toMatchObject({ resolved: 1, resolve_seconds: 3_600 });
  });

  test('the CSV file has a row for each figure, and no name is a formula', async () => {
    await db.execute(sql`UPDATE agent SET name = '=1+1' WHERE id = ${agentId}`);
    await talk(NOW - HOUR, { messages: [ASKED, ['agent', 4]], cost: '2' });
    let file = '';
    for await (const part of await exportAnalytics({ db, now: () => NOW }, orgId, { by: 'agent' })) file += part;
    const [head, row] = file.split('\r\n');
    expect(head).toMatch(/^\uFEFFagent,name,agent_id,conversations,answered,/);
    expect(row).toBe(`${agentId},'=1+1,,1,1,0,0,0,4,,,0,,2 USD`);
    await expect(exportAnalytics({ db }, orgId, { version: 1 })).rejects.toMatchObject({ code: 'validation_failed' });
  });
});
