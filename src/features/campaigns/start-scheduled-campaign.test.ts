import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { givenAgent } from '../../../test/factories.ts';
import { givenOwner, type Owner } from '../../../test/owner.ts';
import { newId } from '../../kernel/ids.ts';
import { startScheduledCampaign } from './start-scheduled-campaign.ts';

let parley: TestApp;
let owner: Owner;
let agent: { agentId: string; channelId: string };
let path: string;
let campaignId: string;
let segmentId: string;
let tag: string;

beforeAll(async () => {
  parley = await startTestApp();
  owner = await givenOwner(parley);
  agent = await givenAgent(parley.db, owner.orgId);
});
afterAll(() => parley.stop());

const call = (line: string, body?: unknown) => owner.call(line, body);
const person = (zone: string | null = null) =>
  call('POST /end-users', { external_id: newId('enduser'), tags: [tag], ...(zone && { time_zone: zone }) });
const schedule = async () => (await call(`GET ${path}/schedule`)).body.schedule;
// oxlint-disable-next-line typescript/no-explicit-any -- answers are looked into freely
const started = async (): Promise<any[]> => (await call(`GET /campaigns?round_of=${campaignId}`)).body.data;
const actions = async () =>
  (await call('GET /audit?limit=5')).body.data.map(({ action }: { action: string }) => action) as string[];
/** As if the day had begun somewhere. */
const makeDue = (day: string) =>
  parley.db.execute(sql`UPDATE campaign_schedule SET next_at = now() - interval '1 second', next_day = ${day}
    WHERE campaign_id = ${campaignId}`);
const work = (now = new Date()) => startScheduledCampaign(parley.db, now, () => {});
const soon = (days = 1) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

beforeEach(async () => {
  tag = newId('segment');
  const input = { agent_id: agent.agentId, channel_id: agent.channelId, name: 'Weekly' };
  ({ id: campaignId } = (await call('POST /campaigns', input)).body);
  path = `/campaigns/${campaignId}`;
  await call(`PATCH ${path}`, { settings: { opening: { text: { default: 'Hello' } }, time_zone: 'Asia/Qatar' } });
  await call(`POST ${path}/start`);
  ({ id: segmentId } = (await call('POST /segments', { name: tag, filters: { tag } })).body);
  await call(`PUT ${path}/schedule`, { segment_id: segmentId, days: [5, 1], at: '09:00' });
});

describe('a campaign that repeats', () => {
  it('a schedule shows its next three days, and can be changed, paused, continued and stopped', async () => {
    const stored = await schedule();
    expect(stored).toMatchObject({
      segment_id: segmentId,
      segment_name: tag,
      days: [1, 5],
      at: '09:00',
      paused: false,
    });
    const weekdays = stored.next.map((day: string) => new Date(day).getUTCDay());
    expect(weekdays).toHaveLength(3);
    expect(weekdays.every((day: number) => day === 1 || day === 5)).toBe(true);
    const body = { segment_id: segmentId, days: [2], at: '18:30' };
    expect((await call(`PUT ${path}/schedule`, { ...body, paused: true })).body.schedule).toMatchObject({
      paused: true,
      next: [],
    });
    expect((await call(`PUT ${path}/schedule`, body)).body.schedule.next).toHaveLength(3);
    expect((await call(`DELETE ${path}/schedule`)).status).toBe(204);
    expect(await schedule()).toBeNull();
    expect(await actions()).toEqual(expect.arrayContaining(['campaign.scheduled', 'campaign.unscheduled']));
  });

  it('each campaign starts once, however many workers run, with the current people of the segment', async () => {
    await person();
    await person('America/New_York');
    await makeDue(soon());
    const made = await Promise.all(Array.from({ length: 6 }, () => work()));
    // The worker of the program may be first.
    expect(made.filter(Boolean).length).toBeLessThanOrEqual(1);
    await expect.poll(async () => (await started()).length).toBe(1);
    const [first] = await started();
    expect(first).toMatchObject({ name: `Weekly · ${soon()}`, state: 'live', round_of: campaignId, round_day: soon() });
    expect(first.settings).toMatchObject({
      opening: { text: { default: 'Hello' } },
      time_zone: 'Asia/Qatar',
      window: { from: '09:00', to: '23:59' },
    });
    await expect.poll(async () => (await call(`GET /campaigns/${first.id}`)).body.total).toBe(2);
    const late = await person();
    await makeDue(soon(2));
    await work();
    await expect.poll(async () => (await started()).length).toBe(2);
    const [second] = await started();
    // Everyone again, once; also who has come since.
    await expect.poll(async () => (await call(`GET /campaigns/${second.id}`)).body.total).toBe(3);
    const who = (await call(`GET /campaigns/${second.id}/recipients`)).body.data;
    expect(who.map(({ end_user_id: id }: { end_user_id: string }) => id)).toContain(late.body.id);
    expect((await schedule()).next).toHaveLength(3);
  });

  it('a day on which no process ran gets no late campaign, and the schedule continues', async () => {
    await makeDue('2026-01-05');
    await work();
    await expect.poll(async () => (await schedule()).next[0]! >= soon(-1)).toBe(true);
    expect(await started()).toEqual([]);
    expect((await schedule()).paused).toBe(false);
  });

  it('a schedule starts nothing while its campaign is a draft or paused, or after its end', async () => {
    await call(`POST ${path}/pause`);
    await makeDue(soon());
    await work();
    await expect.poll(async () => (await schedule()).next[0]! > soon()).toBe(true);
    expect(await started()).toEqual([]);
    await call(`POST ${path}/resume`);
    await call(`PATCH ${path}`, { settings: { ends_at: '2026-01-01T00:00:00Z' } });
    await makeDue(soon(2));
    await work();
    await expect.poll(schedule).toMatchObject({ paused: true });
    expect(await started()).toEqual([]);
  });

  it('only one campaign starts on a day, even if its time changes after the start', async () => {
    await person();
    await makeDue(soon(3));
    await work();
    await expect.poll(async () => (await started()).length).toBe(1);
    const body = { segment_id: segmentId, days: [1, 2, 3, 4, 5, 6, 7], at: '23:00' };
    const changed = (await call(`PUT ${path}/schedule`, body)).body.schedule;
    expect(changed.next[0]! > soon(3)).toBe(true);
  });

  it('only one campaign starts on a day, even if its time changes during the start', async () => {
    const day = soon(2);
    const days = [new Date(day).getUTCDay() || 7];
    await makeDue(day);
    let changed: Promise<unknown> | undefined;
    await parley.db.transaction(async (tx) => {
      expect(await startScheduledCampaign(tx as unknown as typeof parley.db, new Date(), () => {})).toBe(true);
      changed = call(`PUT ${path}/schedule`, { segment_id: segmentId, days, at: '20:00' });
      const waits = sql`SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
      await expect.poll(async () => (await parley.db.execute(waits)).rows.length).toBeGreaterThan(0);
    });
    expect(await changed).toMatchObject({ status: 200 });
    expect((await schedule()).next[0] > day).toBe(true);
  });

  it('a schedule without its segment is paused, and the campaign shows the reason', async () => {
    await call(`DELETE /segments/${segmentId}`);
    await makeDue(soon());
    await work();
    await expect.poll(schedule).toMatchObject({ segment_name: null, paused: true, next: [] });
    expect(await started()).toEqual([]);
    expect(await actions()).toContain('campaign.round_skipped');
  });

  it('a schedule ends with its campaign, and the campaigns that it started stay and do not repeat', async () => {
    await person();
    await makeDue(soon());
    await work();
    await expect.poll(async () => (await started()).length).toBe(1);
    const [first] = await started();
    const again = await call(`PUT /campaigns/${first.id}/schedule`, { segment_id: segmentId, days: [1], at: '09:00' });
    expect([again.status, again.body.code]).toEqual([409, 'campaign_not_open']);
    await call(`POST ${path}/end`);
    expect(await schedule()).toBeNull();
    const ended = await call(`PUT ${path}/schedule`, { segment_id: segmentId, days: [1], at: '09:00' });
    expect([ended.status, ended.body.code]).toEqual([409, 'campaign_not_open']);
    expect((await call(`GET /campaigns/${first.id}`)).body.state).toBe('live');
  });

  it('a schedule can use a day of the month instead of weekdays', async () => {
    const body = { segment_id: segmentId, days: [], month_day: 31, at: '09:00' };
    const { schedule: stored } = (await call(`PUT ${path}/schedule`, body)).body;
    expect(stored).toMatchObject({ days: [], month_day: 31 });
    const isLast = (day: string): boolean => new Date(Date.parse(day) + 86_400_000).getUTCDate() === 1;
    expect([stored.next.length, stored.next.every(isLast)]).toEqual([3, true]);
    await person();
    await makeDue(soon());
    await work();
    // The worker of the program may have started the campaign first.
    await expect.poll(async () => (await started()).length).toBe(1);
    expect((await schedule()).next.every(isLast)).toBe(true);
    const again = await call(`PUT ${path}/schedule`, { segment_id: segmentId, days: [1], at: '09:00' });
    expect(again.body.schedule).toMatchObject({ days: [1], month_day: null });
  });

  it('a schedule needs a segment of the organization, a day and a time', async () => {
    const body = { segment_id: newId('segment'), days: [1], at: '09:00' };
    const unknown = await call(`PUT ${path}/schedule`, body);
    expect(unknown).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/segment_id', code: 'not_available' }] },
    });
    for (const wrong of [
      { days: [] },
      { days: [0] },
      { month_day: 1 },
      { days: [], month_day: 32 },
      { days: [1, 1] },
      { at: '24:00' },
    ]) {
      expect((await call(`PUT ${path}/schedule`, { ...body, segment_id: segmentId, ...wrong })).status).toBe(422);
    }
    await call(`PATCH ${path}`, { settings: { quiet_hours: { from: '21:00', to: '08:00' } } });
    const quiet = await call(`PUT ${path}/schedule`, { ...body, segment_id: segmentId, at: '22:00' });
    expect(quiet).toMatchObject({ status: 422, body: { errors: [{ pointer: '/at', code: 'not_available' }] } });
    expect((await call(`GET /campaigns/${newId('campaign')}/schedule`)).body.code).toBe('campaign_not_found');
  });
});
