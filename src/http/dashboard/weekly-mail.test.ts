import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { givenAgent, givenConversation, givenOrganization } from '../../../test/factories.ts';
import {
  addMember,
  type DashboardServer,
  type Person,
  setUpOwner,
  startDashboard,
} from '../../../test/dashboard-server.ts';
import { sendWeeklyMails } from '../../features/statistics/send-weekly-mail.ts';
import { signWeeklyLink } from '../../features/statistics/weekly-link.ts';
import { newId } from '../../kernel/ids.ts';
import { createQueueMail, type Mail } from '../../store/mail.ts';

/** The weekly mail: who gets it, when, how often, what it says, and what stops it. */
let server: DashboardServer;
let owner: Person & { orgId: string };
let orgId: string;
let channelId: string;
let agentId: string;
/** What was queued and committed, by address. */
let queued: Mail[];

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;
/** A Monday at eight; weeks since 1970 begin on a Thursday. */
const A_MONDAY = 4 * DAY + 8 * HOUR;
/** The newest one, and one that is still to come. */
const LAST_MONDAY = Math.floor((Date.now() - A_MONDAY) / WEEK) * WEEK + A_MONDAY;
const MONDAY = LAST_MONDAY + 2 * WEEK;
const BASE = 'https://us.parley.example';

beforeAll(async () => {
  server = await startDashboard();
  owner = await setUpOwner(server);
});
afterAll(() => server.stop());
beforeEach(async () => {
  queued = [];
  orgId = (await owner.call('POST /organizations', { name: newId('org') })).body.id;
  ({ agentId, channelId } = await givenAgent(server.db, orgId));
  await server.db.execute(sql`DELETE FROM mail`);
  // Other organizations of this file are done.
  await server.db.execute(
    sql`DELETE FROM member WHERE organization_id <> ${orgId} AND organization_id <> ${owner.orgId}`,
  );
  await server.db.execute(sql`UPDATE member SET created_at = '2026-01-01'`);
  await server.db
    .execute(sql`INSERT INTO weekly_mail (org_id, user_id, wanted) VALUES (${owner.orgId}, ${owner.id}, false)
    ON CONFLICT DO NOTHING`);
});

async function join(role: 'owner' | 'admin' | 'member' | 'viewer'): Promise<Person> {
  const person = await addMember(server, owner.call, orgId, role);
  await server.db.execute(sql`UPDATE member SET created_at = '2026-01-01' WHERE user_id = ${person.id}`);
  await server.db.execute(sql`DELETE FROM mail`);
  return person;
}

/** One node's round. */
async function round(now = MONDAY, queue = createQueueMail(server.secrets.mailKey)): Promise<void> {
  await sendWeeklyMails({
    db: server.db,
    queueMail: async (tx, mail) => {
      await queue(tx, mail);
      queued.push(mail);
    },
    setupKey: server.secrets.setupKey,
    baseUrl: BASE,
    now: () => now,
  });
}
/** The addresses in the outbox, which has only what was committed. */
const recipients = async (): Promise<string[]> =>
  (await server.db.execute<{ recipient: string }>(sql`SELECT recipient FROM mail`)).rows
    .map(({ recipient }) => recipient)
    .toSorted();

async function talk(at: number): Promise<string> {
  const { id: made } = await givenConversation(server.db, orgId, channelId);
  const id = newId('conv', at);
  await server.db
    .execute(sql`INSERT INTO conversation (org_id, id, agent_id, channel_id, end_user_id, status, created_at)
    SELECT org_id, ${id}, agent_id, channel_id, end_user_id, 'open', ${new Date(at)} FROM conversation
    WHERE org_id = ${orgId} AND id = ${made}`);
  await server.db.execute(sql`DELETE FROM conversation WHERE org_id = ${orgId} AND id = ${made}`);
  return id;
}

async function miss(text: string, at: number): Promise<void> {
  const conversation = await talk(at);
  const trace = { provider: 'embedded', steps: [{ kind: 'miss', detail: 'Unanswered.' }] };
  const say = (role: string, words: string, why: object | null, moment: number) =>
    server.db.execute(sql`INSERT INTO message (org_id, id, conversation_id, role, content, trace, created_at)
      VALUES (${orgId}, ${newId('msg', moment)}, ${conversation}, ${role}, ${JSON.stringify({ type: 'text', text: words })},
        ${why === null ? null : JSON.stringify(why)}, ${new Date(moment)})`);
  await say('end_user', text, null, at);
  await say('agent', 'I do not know.', trace, at + 1);
}

const choose = (person: Person, wanted: boolean, more: object = {}) =>
  person.call(`PUT /organizations/${orgId}/weekly-mail`, { wanted, time_zone: 'UTC', language: 'en', ...more });

describe('the weekly mail', () => {
  test('owners and admins get the mail, and other members only if they want it', async () => {
    await talk(MONDAY - DAY);
    const [admin, without, member, viewer] = [
      await join('admin'),
      await join('admin'),
      await join('member'),
      await join('viewer'),
    ];
    expect((await member.call(`GET /organizations/${orgId}/weekly-mail`)).body).toEqual({
      wanted: false,
      time_zone: 'UTC',
      language: 'en',
      sends: false,
    });
    expect((await admin.call(`GET /organizations/${orgId}/weekly-mail`)).body.wanted).toBe(true);
    expect((await choose(viewer, true)).body.wanted).toBe(true);
    await choose(without, false);
    await round();
    expect(await recipients()).toEqual([owner.email, admin.email, viewer.email].toSorted());
  });

  test('a mail is queued once for each member and week, however many nodes run at once', async () => {
    await talk(MONDAY - DAY);
    await Promise.all(Array.from({ length: 6 }, () => round()));
    await round(MONDAY + HOUR);
    expect(await recipients()).toEqual([owner.email]);
    await talk(MONDAY + DAY);
    await round(MONDAY + WEEK);
    expect(await recipients()).toEqual([owner.email, owner.email]);
  });

  test('a mail is queued once, even if the node dies in the middle', async () => {
    await talk(MONDAY - DAY);
    const admin = await join('admin');
    const queue = createQueueMail(server.secrets.mailKey);
    let calls = 0;
    const dying = round(MONDAY, async (tx, mail) => {
      await queue(tx, mail);
      if (++calls === 2) throw new Error('The node dies.');
    });
    await expect(dying).rejects.toThrow('The node dies.');
    expect(await recipients()).toEqual([]);
    await round();
    expect(await recipients()).toEqual([owner.email, admin.email].toSorted());
  });

  test("the mail comes on Monday at eight in the member's time zone, or up to two days late", async () => {
    const early = MONDAY - 3 * HOUR - 60_000;
    await talk(early - DAY);
    await talk(early + 3 * DAY);
    await choose(owner, true, { time_zone: 'Asia/Qatar' });
    for (const at of [early, early - DAY, early + 60_000 + 2 * DAY]) await round(at);
    expect(await recipients()).toEqual([]);
    await round(early + 60_000);
    expect(await recipients()).toEqual([owner.email]);
    await round(early + WEEK + 2 * DAY);
    expect(await recipients()).toEqual([owner.email, owner.email]);
  });

  test('a member who turns the mail on, or joins after the hour, gets the next one', async () => {
    const [member, admin] = [await join('member'), await join('admin')];
    await server.db.execute(
      sql`UPDATE member SET created_at = ${new Date(LAST_MONDAY + HOUR)} WHERE user_id = ${admin.id}`,
    );
    await choose(member, true);
    await talk(LAST_MONDAY - HOUR);
    await round(LAST_MONDAY + 2 * HOUR);
    expect(await recipients()).toEqual([owner.email]);
    await talk(MONDAY - HOUR);
    await round();
    expect(await recipients()).toEqual([owner.email, owner.email, member.email, admin.email].toSorted());
  });

  test('no mail is sent about a week without activity, even if activity follows an hour later', async () => {
    await round();
    await talk(MONDAY);
    await round(MONDAY + HOUR);
    expect(await recipients()).toEqual([]);
  });

  test('the mail contains the statistics, the most frequent questions, broken channels and links', async () => {
    for (const days of [1, 2, 3]) await talk(MONDAY - days * DAY);
    await talk(MONDAY - 10 * DAY);
    for (const days of [1, 2]) await miss('Do you wrap gifts? See evil.example', MONDAY - days * DAY);
    await miss('Where is the museum?', MONDAY - DAY);
    await miss('Too old to be in it?', MONDAY - 9 * DAY);
    await server.db.execute(sql`UPDATE channel SET status = 'broken', name = 'Front desk' WHERE org_id = ${orgId}`);
    await round();
    const [mail] = queued;
    const [numbers, questions, channels] = mail!.parts!;
    expect(numbers!.lines.slice(0, 2)).toEqual([
      'Conversations: 6 (before: 2)',
      'Ended without a person: – (before: –)',
    ]);
    expect(numbers!.link!.url).toBe(`${BASE}/?period=7d`);
    expect(questions!.lines).toEqual([
      '“Do you wrap gifts? See evil example”, asked 2 times',
      '“Where is the museum?”',
    ]);
    expect(questions!.link!.url).toBe(`${BASE}/agents/${agentId}?tab=knowledge`);
    expect(channels).toEqual({
      title: 'Channels that do not work',
      lines: ['Front desk'],
      link: { label: 'Open channels', url: `${BASE}/channels` },
    });
  });

  test('the mail is in the language that the member chose', async () => {
    await talk(MONDAY - DAY);
    await choose(owner, true, { language: 'ar' });
    await round();
    expect([queued[0]!.language, queued[0]!.parts![0]!.lines[0]]).toEqual(['ar', 'المحادثات: 1 (سابقًا: 0)']);
  });

  test('a link in the mail stops it without a session, only for that member and organization', async () => {
    await talk(MONDAY - DAY);
    const admin = await join('admin');
    await round();
    const { post, link } = queued.find(({ to }) => to === admin.email)!.unsubscribe!;
    expect(link).toBe(post.replace('/dashboard/api', ''));
    const asked = await fetch(server.url + new URL(post).pathname.replace('/dashboard/api', ''), {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'List-Unsubscribe=One-Click',
    });
    expect(asked.status).toBe(204);
    const wanted = async (person: Person) => (await person.call(`GET /organizations/${orgId}/weekly-mail`)).body.wanted;
    expect([await wanted(admin), await wanted(owner)]).toEqual([false, true]);
  });

  test('a changed link does not stop the mail', async () => {
    const admin = await join('admin');
    const key = server.secrets.setupKey;
    const mine = signWeeklyLink(key, { orgId, userId: owner.id });
    const other = signWeeklyLink(key, { orgId, userId: admin.id });
    const mixed = `${other.slice(0, other.lastIndexOf('.'))}${mine.slice(mine.lastIndexOf('.'))}`;
    for (const link of [mixed, other.slice(0, -1), `${other}.`, 'x', `${orgId}.${admin.id}.`]) {
      const { status } = await server.as(null)(`POST /weekly-mail/${link}`, {});
      expect([link, status]).toEqual([link, 404]);
    }
    expect((await admin.call(`GET /organizations/${orgId}/weekly-mail`)).body.wanted).toBe(true);
  });

  test('an unknown time zone counts as UTC, and the choice is deleted with the membership', async () => {
    const admin = await join('admin');
    const stored = await choose(admin, true, { time_zone: 'Etc/Unknown' });
    expect(stored.status === 422 || stored.body.time_zone === 'UTC').toBe(true);
    await choose(admin, true, { language: 'ar' });
    const members = (await owner.call(`GET /organizations/${orgId}/members`)).body.data;
    const { id } = members.find(({ email }: { email: string }) => email === admin.email);
    expect((await owner.call(`DELETE /organizations/${orgId}/members/${id}`)).status).toBe(204);
    const { rows } = await server.db.execute(sql`SELECT 1 FROM weekly_mail WHERE user_id = ${admin.id}`);
    expect(rows).toEqual([]);
  });

  test('a failure in one organization does not stop the mails of the others', async () => {
    const other = await givenOrganization(server.db);
    await server.db.execute(sql`INSERT INTO member (id, organization_id, user_id, role, created_at)
      VALUES (${newId('member')}, ${other}, ${owner.id}, 'owner', '2026-01-01')`);
    await givenAgent(server.db, other);
    await server.db.execute(sql`UPDATE channel SET status = 'broken' WHERE org_id = ${other}`);
    await talk(MONDAY - DAY);
    const queue = createQueueMail(server.secrets.mailKey);
    let mails = 0;
    const failing = round(MONDAY, async (tx, mail) => {
      if (++mails === 1) throw new Error('It cannot be queued.');
      await queue(tx, mail);
    });
    await expect(failing).rejects.toThrow('It cannot be queued.');
    expect(await recipients()).toEqual([owner.email]);
    await round();
    expect(await recipients()).toEqual([owner.email, owner.email]);
  });
});
