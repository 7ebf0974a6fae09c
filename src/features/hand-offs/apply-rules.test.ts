import { sql } from 'drizzle-orm';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import type { HandOffRules } from '../../../contract/dashboard/hand-offs.ts';
import type { Role } from '../../../contract/permissions.ts';
import { givenAgent, givenChannel, givenConversation, givenOrganization } from '../../../test/factories.ts';
import { useDatabase } from '../../../test/use-database.ts';
import { newId } from '../../kernel/ids.ts';
import { findConversation } from '../../store/conversations/read.ts';
import type { Db } from '../../store/db.ts';
import { findDueHandOffs } from '../../store/hand-offs/queue.ts';
import { writeAttendance } from '../../store/hand-offs/rules.ts';
import { member, user } from '../../store/schema/identity.ts';
import { removeMember } from '../members/change-members.ts';
import { applyHandOffRules } from './apply-rules.ts';
import { setAttendance } from './set-attendance.ts';
import { readHandOffRules, setHandOffRules } from './set-rules.ts';

let db: Db;
let orgId: string;
let channels: { sandbox: string; telegram: string };

useDatabase((own) => {
  db = own;
});
beforeAll(async () => {});
beforeEach(async () => {
  orgId = await givenOrganization(db);
  const { agentId } = await givenAgent(db, orgId);
  const of = (kind: 'sandbox' | 'telegram') => givenChannel(db, orgId, agentId, { kind });
  channels = { sandbox: await of('sandbox'), telegram: await of('telegram') };
});

const actor = { userId: 'user_owner', address: null, requestId: null };
const NONE: HandOffRules = { goes_to: 'no_one', user_id: null, hours: null, outside: null };
const rules = (changes: Partial<HandOffRules>) => setHandOffRules({ db }, orgId, { ...NONE, ...changes }, actor);
const deps = () => ({ db });
const ours = async () => (await findDueHandOffs(db, 1_000)).filter((one) => one.orgId === orgId);
const apply = async () => {
  for (const due of await ours()) await applyHandOffRules(deps(), due);
};
const joined = async (role: Role = 'member', minutesAgo: number | null = 0) => {
  const userId = newId('user');
  await db.insert(user).values({ id: userId, name: userId, email: `${userId}@example.com` });
  const id = newId('member');
  await db.insert(member).values({ id, organizationId: orgId, userId, role });
  if (minutesAgo !== null) await writeAttendance(db, [{ orgId, userId }]);
  if (minutesAgo)
    await db.execute(sql`UPDATE member_attendance SET seen_at = now() - make_interval(mins => ${minutesAgo})
      WHERE org_id = ${orgId} AND user_id = ${userId}`);
  return { id, userId };
};
const handOff = (id: string, at = new Date(), by: string | null = null) =>
  db.execute(sql`UPDATE conversation SET status = 'handed_off', handed_off_at = ${at}, hand_off_reason = 'model',
    assignee_id = ${by} WHERE org_id = ${orgId} AND id = ${id}`);
const handedOff = async (at?: Date, kind: 'sandbox' | 'telegram' = 'sandbox', locale: string | null = null) => {
  const { id } = await givenConversation(db, orgId, channels[kind]);
  await db.execute(sql`UPDATE conversation SET locale = ${locale} WHERE org_id = ${orgId} AND id = ${id}`);
  await handOff(id, at);
  return id;
};
const assigneeOf = async (id: string) => (await findConversation(db, orgId, id))!.assigneeId;
const textsIn = async (id: string) =>
  (
    await db.execute<{ text: string; status: string; is_due: boolean }>(sql`SELECT content ->> 'text' AS text, status,
      due_at IS NOT NULL AS is_due FROM message WHERE org_id = ${orgId} AND conversation_id = ${id} ORDER BY id`)
  ).rows;

test('a hand-off in an organization without rules waits for no worker', async () => {
  await handedOff();
  expect(await ours()).toEqual([]);
  await rules({ goes_to: 'present' });
  await handedOff();
  expect(await ours()).toHaveLength(1);
  await rules({});
  await apply();
  expect(await ours()).toEqual([]);
});

test('a hand-off goes to the member in the rules, unless that member may no longer answer', async () => {
  const one = await joined('member', null);
  await rules({ goes_to: 'member', user_id: one.userId });
  const first = await handedOff();
  await apply();
  expect(await assigneeOf(first)).toBe(one.userId);
  await db.execute(sql`UPDATE member SET role = 'viewer' WHERE id = ${one.id}`);
  const second = await handedOff();
  await apply();
  expect(await assigneeOf(second)).toBe(null);
});

test('hand-offs are distributed among members who are present and may answer', async () => {
  const [a, b] = [await joined(), await joined('owner', 4)];
  await joined('viewer');
  await joined('member', 6);
  await joined('member', null);
  await rules({ goes_to: 'present' });
  const got: (string | null)[] = [];
  for (let n = 0; n < 6; n++) {
    const id = await handedOff();
    await apply();
    got.push(await assigneeOf(id));
  }
  expect(new Set(got)).toEqual(new Set([a.userId, b.userId]));
  expect(got.every((one, index) => index === 0 || one !== got[index - 1])).toBe(true);
});

test('several workers distribute simultaneous hand-offs evenly, and each goes to one member', async () => {
  const present = [await joined(), await joined(), await joined()];
  await rules({ goes_to: 'present' });
  const ids: string[] = [];
  for (let n = 0; n < 12; n++) ids.push(await handedOff());
  const due = await ours();
  const applied = await Promise.all([...due, ...due].map((one) => applyHandOffRules(deps(), one)));
  expect(applied.filter(Boolean)).toHaveLength(12);
  const got = await Promise.all(ids.map(assigneeOf));
  for (const { userId } of present) expect(got.filter((one) => one === userId)).toHaveLength(4);
});

test('a member who is away gets no hand-off until the member is present again', async () => {
  const [one, other] = [await joined(), await joined()];
  await setAttendance(deps(), orgId, one.userId, true);
  for (const goes_to of ['present', 'member'] as const) {
    await rules({ goes_to, user_id: goes_to === 'member' ? one.userId : null });
    for (let n = 0; n < 2; n++) {
      const id = await handedOff();
      await apply();
      expect(await assigneeOf(id)).toBe(goes_to === 'present' ? other.userId : null);
    }
  }
  // An open window does not end it.
  await writeAttendance(db, [{ orgId, userId: one.userId }]);
  const waiting = await handedOff();
  await apply();
  expect(await assigneeOf(waiting)).toBe(null);
  await setAttendance(deps(), orgId, one.userId, false);
  const id = await handedOff();
  await apply();
  expect(await assigneeOf(id)).toBe(one.userId);
});

test('if no member is present, a hand-off waits for the whole team', async () => {
  await joined('member', 6);
  await rules({ goes_to: 'present' });
  const id = await handedOff();
  await apply();
  expect(await assigneeOf(id)).toBe(null);
  expect(await ours()).toEqual([]);
});

test('the rules do not change a conversation that a member took over or that has ended', async () => {
  const one = await joined();
  await rules({ goes_to: 'present', hours: HOURS, outside: { default: 'Closed' } });
  const { id: taken } = await givenConversation(db, orgId, channels.sandbox);
  await handOff(taken, SUNDAY, 'user_else');
  expect(await ours()).toEqual([]);
  const [late, over] = [await handedOff(SUNDAY), await handedOff(SUNDAY)];
  await db.execute(sql`UPDATE conversation SET assignee_id = 'user_else' WHERE org_id = ${orgId} AND id = ${late}`);
  await db.execute(sql`UPDATE conversation SET status = 'resolved' WHERE org_id = ${orgId} AND id = ${over}`);
  await apply();
  expect(await assigneeOf(late)).toBe('user_else');
  expect(await assigneeOf(over)).toBe(null);
  expect([...(await textsIn(late)), ...(await textsIn(over))]).toEqual([]);
  expect(one.userId).not.toBe('user_else');
});

const HOURS = { days: [1, 2, 3, 4, 5], from: '09:00', to: '17:00', time_zone: 'Asia/Qatar' };
const SUNDAY = new Date('2026-11-22T09:00:00Z');
const MONDAY = new Date('2026-11-23T09:00:00Z');

test('holidays and the hours of each day decide whether the person gets the text for closed hours', async () => {
  const outside = { default: 'Closed' };
  const ranges = [{ day: 1, from: '13:00', to: '15:00' }];
  const sentAt = async (at: Date): Promise<number> => {
    const id = await handedOff(at);
    await apply();
    return (await textsIn(id)).length;
  };
  const on = (hours: HandOffRules['hours']) => rules({ hours, outside });
  await on({ ranges, time_zone: 'Asia/Qatar' });
  // 09:00 UTC is 12:00 in Qatar.
  expect(await sentAt(MONDAY)).toBe(1);
  await on({ ranges: [...ranges, { day: 1, from: '09:00', to: '12:30' }], time_zone: 'Asia/Qatar' });
  expect(await sentAt(MONDAY)).toBe(0);
  await on({ ...HOURS, holidays: [{ date: '2026-11-23', name: 'Closed' }] });
  expect(await sentAt(MONDAY)).toBe(1);
  await expect(on({ time_zone: 'Asia/Qatar' })).rejects.toMatchObject({ code: 'validation_failed' });
  // A row of the previous release has one range for all its days.
  await on(HOURS);
  await db.execute(sql`UPDATE hand_off_rule SET hours = hours - 'ranges' WHERE org_id = ${orgId}`);
  expect([await sentAt(MONDAY), await sentAt(SUNDAY)]).toEqual([0, 1]);
});

test('outside of working hours the person gets one text for each hand-off, in the language of the conversation', async () => {
  await rules({ hours: HOURS, outside: { default: 'We are back on Monday.', ar: 'نعود يوم الاثنين.' } });
  const [open, closed, arabic] = [
    await handedOff(MONDAY),
    await handedOff(SUNDAY),
    await handedOff(SUNDAY, 'telegram', 'ar-QA'),
  ];
  const due = await ours();
  await Promise.all([...due, ...due].map((one) => applyHandOffRules(deps(), one)));
  expect(await textsIn(open)).toEqual([]);
  expect(await textsIn(closed)).toEqual([{ text: 'We are back on Monday.', status: 'delivered', is_due: false }]);
  expect(await textsIn(arabic)).toEqual([{ text: 'نعود يوم الاثنين.', status: 'queued', is_due: true }]);
  await db.execute(sql`UPDATE conversation SET status = 'open' WHERE org_id = ${orgId} AND id = ${closed}`);
  await handOff(closed, new Date(SUNDAY.getTime() + 60_000));
  await apply();
  expect(await textsIn(closed)).toHaveLength(2);
});

test.each([
  ['has opted out', sql`consent = '{"sandbox": {"status": "opted_out"}}'`],
  ['is blocked', sql`blocked = true`],
])('a person who %s gets no text for closed hours', async (_why, set) => {
  await rules({ hours: HOURS, outside: { default: 'Closed' } });
  const id = await handedOff(SUNDAY);
  await db.execute(sql`UPDATE end_user SET ${set} WHERE org_id = ${orgId}`);
  await apply();
  expect(await textsIn(id)).toEqual([]);
});

test('rules can contain only members who may answer, and a member who leaves is removed from them', async () => {
  const [viewer, one] = [await joined('viewer'), await joined()];
  const refused = { code: 'validation_failed' };
  for (const userId of [viewer.userId, newId('user'), null])
    await expect(rules({ goes_to: 'member', user_id: userId })).rejects.toMatchObject(refused);
  await rules({ goes_to: 'member', user_id: one.userId, hours: HOURS });
  const owner = await joined('owner');
  await removeMember({ db }, orgId, one.id, { userId: owner.userId, role: 'owner' }, actor);
  const ranges = HOURS.days.map((day) => ({ day, from: HOURS.from, to: HOURS.to }));
  expect(await readHandOffRules({ db }, orgId)).toEqual({ ...NONE, hours: { ...HOURS, ranges } });
});
