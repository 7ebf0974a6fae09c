import { sql } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import type { CampaignSettings } from '../../../../contract/campaigns.ts';
import { Refusal } from '../../../../contract/problems.ts';
import { longestStretchMs } from '../../../../test/cpu-time.ts';
import { givenAgent, givenOrganization } from '../../../../test/factories.ts';
import { useDatabase } from '../../../../test/use-database.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Db } from '../../../store/db.ts';
import { createSuppression } from '../../../store/end-users/suppression.ts';
import { campaign } from '../../../store/schema/campaign.ts';
import { endUser } from '../../../store/schema/end-user.ts';
import { type AskedRehearsal, rehearseCampaign } from './rehearse-campaign.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const suppression = createSuppression(Buffer.alloc(32, 7));
const waitingPeople: AskedRehearsal = { filter: null, begins_at: NOW.toISOString() };

let db: Db;
let orgId: string;
let place: { agentId: string; channelId: string };
const rehearse = (...which: [orgId: string, id: string, asked: AskedRehearsal]) =>
  rehearseCampaign({ db, suppression }, ...which);

useDatabase((own) => {
  db = own;
});
beforeAll(async () => {
  orgId = await givenOrganization(db);
  place = await givenAgent(db, orgId);
});

async function givenCampaign(settings: CampaignSettings, state = 'draft'): Promise<string> {
  const id = newId('campaign');
  await db.insert(campaign).values({ orgId, id, ...place, name: 'Spring', state, settings, attended: true });
  return id;
}

const lines = (rows: readonly object[]): string => rows.map((row) => JSON.stringify(row)).join('\n');

test('a rehearsal reports the message and time of each recipient and the reason of each skip, and stores nothing', async () => {
  await db.insert(endUser).values({ orgId, id: newId('enduser'), externalId: 'known', name: 'Omar', blocked: true });
  const id = await givenCampaign({
    opening: { text: { default: 'Hi {{end_user.name}}, {{voucher}}', ar: 'أهلاً {{end_user.name}}' } },
    quiet_hours: { from: '21:00', to: '08:00' },
  });
  const countAll = async (): Promise<unknown[]> => {
    const found = await db.execute<{ name: string }>(
      sql`SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1`,
    );
    expect(found.rows.length).toBeGreaterThan(20);
    const counts = found.rows.map(async ({ name }) => {
      const { rows } = await db.execute(sql`SELECT count(*)::int AS n FROM ${sql.identifier(name)}`);
      return [name, rows[0]!['n']];
    });
    return Promise.all(counts);
  };
  const before = await countAll();
  const file = lines([
    { ref: '1', end_user: { external_id: 'a', name: 'Asha', time_zone: 'Asia/Qatar' }, variables: { voucher: 'W-1' } },
    { ref: '2', end_user: { external_id: 'b', locale: 'ar', time_zone: 'Asia/Tokyo' } },
    { ref: '3', end_user: { external_id: 'a' } },
    { ref: '4', end_user: { external_id: 'known' } },
    { ref: '5', end_user: {} },
  ]);
  const report = await rehearse(orgId, id, { ...waitingPeople, file });
  expect(report.rows.map(({ ref, status, reason, at, text }) => [ref, status, reason, at, text])).toEqual([
    ['1', 'sent', null, '2026-11-20T12:00:00.000Z', 'Hi Asha, W-1'],
    ['2', 'sent', null, '2026-11-20T23:00:00.000Z', 'أهلاً '],
    ['3', 'duplicate', 'already_enrolled', null, null],
    ['4', 'suppressed', 'blocked', null, null],
    ['5', 'invalid', 'required', null, null],
  ]);
  expect(report).toMatchObject({
    recipients: 5,
    sent: 2,
    ends_at: '2026-11-20T23:00:00.000Z',
    stopped: null,
    empty: { count: 1, names: ['end_user.name'] },
    by_hour: [
      { at: '2026-11-20T12:00:00.000Z', sent: 1, replies: 0 },
      { at: '2026-11-20T23:00:00.000Z', sent: 1, replies: 0 },
    ],
  });
  expect(await countAll()).toEqual(before);
});

test('a person who replies stop gets no second message, but others who reply get one', async () => {
  const id = await givenCampaign({});
  const later = new Date(NOW.getTime() + 3_600_000).toISOString();
  const twice = ['a', 'b'].flatMap((name) => [
    { ref: `${name}1`, end_user: { external_id: `twice-${name}` } },
    { ref: `${name}2`, end_user: { external_id: `twice-${name}` }, send_at: later },
  ]);
  const replies = [
    { text: 'Please stop', after_minutes: 10, refs: ['a1'] },
    { text: 'Thanks', after_minutes: 10, refs: ['b1'] },
  ];
  const report = await rehearse(orgId, id, { ...waitingPeople, file: lines(twice), dedupe: 'none', replies });
  expect(Object.fromEntries(report.rows.map(({ ref, status, reason }) => [ref, reason ?? status]))).toEqual({
    a1: 'replied',
    b1: 'replied',
    b2: 'sent',
    a2: 'opted_out',
  });
  expect(report).toMatchObject({ sent: 3, replied: 2, opted_out: 1 });
  expect(report.replies).toEqual([
    { text: 'Please stop', count: 1, opts_out: true },
    { text: 'Thanks', count: 1, opts_out: false },
  ]);
});

test('a file of recipients may have columns for the person, the recipient and the variables', async () => {
  const id = await givenCampaign({ opening: { text: { default: '{{end_user.name}} {{end_user.plan}} {{voucher}}' } } });
  const file =
    '\uFEFFid;Name;attributes.plan;voucher;send_at;ref\r\nx-1;Asha;gold;W-1;2026-11-21T00:00:00Z;r1\r\n;Omar;;;;r2\r\n';
  const report = await rehearse(orgId, id, { ...waitingPeople, file });
  expect(report.rows).toMatchObject([
    { ref: 'r1', status: 'sent', at: '2026-11-21T00:00:00.000Z', text: 'Asha gold W-1' },
    { ref: 'r2', status: 'invalid', reason: 'required' },
  ]);
  const broken = rehearse(orgId, id, { ...waitingPeople, file: 'id,name\n"x' });
  await expect(broken).rejects.toMatchObject({ code: 'validation_failed', extras: { errors: [{ pointer: '/file' }] } });
});

test('generated people are distributed over time zones, and a share of them replies', async () => {
  const id = await givenCampaign({ window: { from: '09:00', to: '17:00' }, per_minute: 60 });
  const made_up = { count: 1_000, time_zones: ['Asia/Qatar', 'America/New_York'], opted_out: 10, unnamed: 25 };
  const replies = [
    { text: 'STOP', after_minutes: 30, percent: 5 },
    { text: 'How much?', after_minutes: 5, percent: 20 },
  ];
  const report = await rehearse(orgId, id, { ...waitingPeople, made_up, replies });
  expect(report).toMatchObject({ recipients: 1_000, sent: 900, left_out: [{ reason: 'opted_out', count: 100 }] });
  expect(report.replies.map(({ count }) => count)).toEqual([45, 180].map((n) => expect.closeTo(n, -1)));
  expect(await rehearse(orgId, id, { ...waitingPeople, made_up, replies })).toEqual(report);
  expect(report.rows.length).toBe(50);
});

test('the rehearsal of an endless campaign stops after a simulated year', async () => {
  const id = await givenCampaign({ window: { from: '09:00', to: '09:01', days: [5] }, per_minute: 1 });
  const report = await rehearse(orgId, id, { ...waitingPeople, made_up: { count: 100 } });
  expect(report.stopped).toBe('after_a_year');
  expect(report.left_out).toEqual([{ status: 'waiting', reason: null, count: 100 - report.sent }]);
});

test('impossible settings of a rehearsal are refused', async () => {
  const id = await givenCampaign({});
  await expect(rehearse(orgId, id, { ...waitingPeople, file: '{}', made_up: { count: 1 } })).rejects.toThrow(Refusal);
  const replies = [70, 40].map((percent) => ({ text: 'Hi', after_minutes: 1, percent }));
  await expect(rehearse(orgId, id, { ...waitingPeople, replies })).rejects.toMatchObject({ code: 'validation_failed' });
  await expect(rehearse(await givenOrganization(db), id, waitingPeople)).rejects.toMatchObject({
    code: 'campaign_not_found',
  });
});

test('an organization can run one rehearsal at a time, and other organizations can run theirs', async () => {
  const id = await givenCampaign({});
  const first = rehearse(orgId, id, { ...waitingPeople, made_up: { count: 2_000 } });
  const second = rehearse(orgId, id, { ...waitingPeople, made_up: { count: 1 } });
  await expect(second).rejects.toMatchObject({ code: 'rate_limited' });
  await expect(rehearse(await givenOrganization(db), id, waitingPeople)).rejects.toMatchObject({
    code: 'campaign_not_found',
  });
  expect(await first).toMatchObject({ sent: 2_000 });
  expect(await rehearse(orgId, id, { ...waitingPeople, made_up: { count: 1 } })).toMatchObject({ sent: 1 });
});

test('a rehearsal of 10,000 people does not block the event loop', async () => {
  const id = await givenCampaign({ window: { from: '09:00', to: '17:00' }, per_minute: 600 });
  const made_up = { count: 10_000, time_zones: Intl.supportedValuesOf('timeZone').slice(0, 50) };
  const replies = [{ text: 'stop', after_minutes: 3, percent: 10 }];
  const all = { ...waitingPeople, made_up, replies, all_rows: true };
  let rows = 0;
  const longest = await longestStretchMs(async () => {
    rows = (await rehearse(orgId, id, all)).rows.length;
  });
  expect(rows).toBe(10_000);
  expect(longest).toBeLessThan(150);
});

describe('reminders of the agent', () => {
  const text = { default: 'Still there?' };
  const remind = [
    { after_minutes: 60, text },
    { after_minutes: 180, text },
  ];
  const file = lines([
    { ref: 'silent', end_user: { external_id: 'silent', time_zone: 'UTC', phone: '+97430000001' } },
    { ref: 'late', end_user: { external_id: 'late', time_zone: 'UTC', phone: '+97430000002' } },
    { ref: 'stop', end_user: { external_id: 'stop', time_zone: 'UTC', phone: '+97430000003' } },
  ]);
  const replies = [
    { text: 'Yes', after_minutes: 90, refs: ['late'] },
    { text: 'stop', after_minutes: 10, refs: ['stop'] },
  ];

  async function rehearsed(settings: CampaignSettings, kind = 'sandbox') {
    const own = await givenAgent(db, orgId, { definition: { no_reply: { remind, end_after_minutes: 600 } } });
    await db.execute(sql`UPDATE channel SET kind = ${kind} WHERE id = ${own.channelId}`);
    const id = newId('campaign');
    await db.insert(campaign).values({ orgId, id, ...own, name: 'Spring', state: 'draft', settings, attended: true });
    return rehearse(orgId, id, { ...waitingPeople, file, replies });
  }
  const firstOf = ({ rows }: Awaited<ReturnType<typeof rehearsed>>) =>
    Object.fromEntries(rows.map(({ ref, reminded_at: at }) => [ref, at]));

  test('reminders go to people who do not reply, also after an earlier reply, and never after an opt-out', async () => {
    const report = await rehearsed({});
    expect(firstOf(report)).toEqual({
      silent: '2026-11-20T13:00:00.000Z',
      late: '2026-11-20T13:00:00.000Z',
      stop: null,
    });
    // Two to the silent person, one before the reply and two after it to the other one.
    expect(report).toMatchObject({ reminders: 5, reminded: 2, ends_at: '2026-11-20T16:30:00.000Z' });
  });

  test('reminders wait for the end of quiet hours, and later ones are delayed by the same time', async () => {
    const report = await rehearsed({ quiet_hours: { from: '12:30', to: '20:00' } });
    expect(firstOf(report)).toEqual({
      silent: '2026-11-20T20:00:00.000Z',
      late: '2026-11-20T20:00:00.000Z',
      stop: null,
    });
    expect(report).toMatchObject({ ends_at: '2026-11-20T22:00:00.000Z' });
  });

  test('reminders are sent only within the reply window of the channel', async () => {
    const report = await rehearsed({}, 'whatsapp');
    expect(firstOf(report)).toEqual({ silent: null, late: '2026-11-20T14:30:00.000Z', stop: null });
    expect(report).toMatchObject({ reminders: 2, reminded: 1 });
  });
});
