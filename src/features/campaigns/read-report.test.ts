import { eq, sql } from 'drizzle-orm';
import { beforeAll, describe, expect, it } from 'vitest';
import { givenAgent, givenOrganization } from '../../../test/factories.ts';
import { useDatabase } from '../../../test/use-database.ts';
import { newId } from '../../kernel/ids.ts';
import type { Db } from '../../store/db.ts';
import { campaign, recipient } from '../../store/schema/campaign.ts';
import { readReport } from './read-report.ts';

let db: Db;
let orgId: string;
let place: { agentId: string; channelId: string };

useDatabase((own) => {
  db = own;
});
beforeAll(async () => {
  orgId = await givenOrganization(db);
  place = await givenAgent(db, orgId);
});

async function givenCampaign(recipients: Partial<typeof recipient.$inferInsert>[]) {
  const campaignId = newId('campaign');
  await db.insert(campaign).values({ orgId, id: campaignId, ...place, name: 'Spring', state: 'live' });
  const rows = recipients.map((row) => ({ orgId, campaignId, id: newId('rcpt'), status: 'sent', ...row }));
  if (rows.length > 0) await db.insert(recipient).values(rows);
  return { campaignId, ids: rows.map(({ id }) => id) };
}

const totals = async (campaignId: string) => {
  const { points } = await readReport({ db }, orgId, campaignId);
  const sum = (name: 'sent' | 'delivered' | 'read' | 'answered' | 'left') =>
    points.reduce((all, point) => all + point[name], 0);
  return [sum('sent'), sum('delivered'), sum('read'), sum('answered'), sum('left')];
};

describe('the report of a campaign', () => {
  it('a recipient counts once for each status, at the time of that status', async () => {
    const { campaignId, ids } = await givenCampaign([
      { status: 'pending' },
      { status: 'pending' },
      { status: 'pending' },
    ]);
    const [id, silent, gone] = ids as [string, string, string];
    const move = async (one: string, status: string, reason: string | null = null) =>
      db.update(recipient).set({ status, reason }).where(eq(recipient.id, one));
    expect(await totals(campaignId)).toEqual([0, 0, 0, 0, 0]);
    for (const status of ['waiting_window', 'sending']) await move(id, status);
    expect(await totals(campaignId)).toEqual([0, 0, 0, 0, 0]);
    await move(id, 'sent');
    const before = await db.select({ at: recipient.sentAt }).from(recipient).where(eq(recipient.id, id));
    expect(await totals(campaignId)).toEqual([1, 0, 0, 0, 0]);
    await move(id, 'read');
    await move(id, 'replied');
    expect(await totals(campaignId)).toEqual([1, 1, 1, 1, 0]);
    await move(id, 'completed', 'opted_out');
    // One that fails, or is never messaged, is in none of them.
    await move(silent, 'suppressed', 'opted_out');
    await move(gone, 'delivered');
    expect(await totals(campaignId)).toEqual([2, 2, 1, 1, 1]);
    expect(await db.select({ at: recipient.sentAt }).from(recipient).where(eq(recipient.id, id))).toEqual(before);
  });

  it('the report has a row for every hour of the first four days', async () => {
    const at = (hour: string) => new Date(`2026-03-02T${hour}:00.000Z`);
    const { campaignId } = await givenCampaign([
      { sentAt: at('08:10'), deliveredAt: at('08:59') },
      { sentAt: at('08:40'), deliveredAt: at('10:01'), repliedAt: at('11:00') },
    ]);
    const report = await readReport({ db }, orgId, campaignId);
    expect(report.by).toBe('hour');
    expect(report.points.map((one) => [one.at.slice(11, 16), one.sent, one.delivered, one.answered])).toEqual([
      ['08:00', 2, 1, 0],
      ['09:00', 0, 0, 0],
      ['10:00', 0, 1, 0],
      ['11:00', 0, 0, 1],
    ]);
    // Half an hour beside UTC.
    const { points } = await readReport({ db }, orgId, campaignId, 'Asia/Kolkata');
    expect([points[0]!.at, points[0]!.sent]).toEqual(['2026-03-02T07:30:00.000Z', 1]);
  });

  it('after four days, the report has a row per day of the time zone, and shows the newest 120', async () => {
    const { campaignId } = await givenCampaign([
      // 23:30 and 00:30 in New York; the clocks change on 8 March.
      { sentAt: new Date('2026-03-06T04:30:00.000Z') },
      { sentAt: new Date('2026-03-06T05:30:00.000Z'), repliedAt: new Date('2026-03-10T04:00:00.000Z') },
    ]);
    const report = await readReport({ db }, orgId, campaignId, 'America/New_York');
    expect([report.by, report.time_zone]).toEqual(['day', 'America/New_York']);
    expect(report.points.map(({ at, sent, answered }) => [at.slice(5, 13), sent, answered])).toEqual([
      ['03-05T05', 1, 0],
      ['03-06T05', 1, 0],
      ['03-07T05', 0, 0],
      ['03-08T05', 0, 0],
      ['03-09T04', 0, 0],
      ['03-10T04', 0, 1],
    ]);
    await db.update(recipient).set({ readAt: new Date('2027-03-10T12:00:00.000Z') }).where(sql`replied_at IS NOT NULL
      AND campaign_id = ${campaignId}`);
    const long = await readReport({ db }, orgId, campaignId);
    expect([long.points.length, long.points.at(-1)!.at]).toEqual([120, '2027-03-10T00:00:00.000Z']);
  });

  it('a report that begins on a day without a midnight has all its days', async () => {
    // The clocks in Cairo change from 24:00 to 01:00, which is 22:00 in UTC.
    const { campaignId } = await givenCampaign([
      { sentAt: new Date('2026-04-24T08:00:00.000Z'), repliedAt: new Date('2026-04-28T08:00:00.000Z') },
    ]);
    const { points } = await readReport({ db }, orgId, campaignId, 'Africa/Cairo');
    expect(points.map(({ at, sent, answered }) => [at.slice(5, 13), sent, answered])).toEqual([
      ['04-23T22', 1, 0],
      ['04-24T21', 0, 0],
      ['04-25T21', 0, 0],
      ['04-26T21', 0, 0],
      ['04-27T21', 0, 1],
    ]);
  });

  it('an unknown time zone counts as UTC, and other organizations are excluded', async () => {
    const { campaignId } = await givenCampaign([{ sentAt: new Date('2026-03-02T08:10:00.000Z') }]);
    expect(await readReport({ db }, orgId, campaignId, 'Mars/Base')).toMatchObject({ time_zone: 'UTC', by: 'hour' });
    await expect(readReport({ db }, await givenOrganization(db), campaignId)).rejects.toMatchObject({
      code: 'campaign_not_found',
    });
  });
});
