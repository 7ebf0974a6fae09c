import { eq, sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { CampaignSettings, RecipientInput } from '../../../../contract/campaigns.ts';
import { givenAgent, givenOrganization } from '../../../../test/factories.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/postgres.ts';
import { newId } from '../../../kernel/ids.ts';
import { type Db, openDb } from '../../../store/db.ts';
import { createSuppression } from '../../../store/end-users/suppression.ts';
import { expireRecipients, findDueCampaigns } from '../../../store/recipients/dispatch.ts';
import { type AdditionOutcome, addRecipients } from '../../../store/recipients/add-recipients.ts';
import { campaign, recipient } from '../../../store/schema/campaign.ts';
import { endUser } from '../../../store/schema/end-user.ts';
import { run } from '../../../store/schema/run.ts';
import { dispatchDue } from '../../../worker/campaigns/campaign-worker.ts';
import { LOOK_MS } from '../plan-dispatch.ts';
import { type AskedRehearsal, rehearseCampaign } from './rehearse-campaign.ts';

/**
 * The same campaign, rehearsed and really run: addition, claims, plans and writes of the real code on the real
 * database, whose clock the test shows. `now()` of this database is found in another schema first.
 */
const suppression = createSuppression(Buffer.alloc(32, 7));
let database: TestDatabase;
let db: Db;
let orgId: string;
let place: { agentId: string; channelId: string };
const rehearse = (...which: [orgId: string, id: string, asked: AskedRehearsal]) =>
  rehearseCampaign({ db, suppression }, ...which);

beforeAll(async () => {
  database = await createTestDatabase();
  const plain = openDb(database.url);
  orgId = await givenOrganization(plain);
  place = await givenAgent(plain, orgId);
  await plain.execute(sql`CREATE SCHEMA test_clock;
    CREATE TABLE test_clock.shown AS SELECT now() AS at;
    CREATE FUNCTION test_clock.now() RETURNS timestamptz STABLE LANGUAGE sql AS 'SELECT at FROM test_clock.shown';
    CREATE FUNCTION test_clock.clock_timestamp() RETURNS timestamptz STABLE LANGUAGE sql
      AS 'SELECT at FROM test_clock.shown';
    CREATE FUNCTION test_clock.statement_timestamp() RETURNS timestamptz STABLE LANGUAGE sql
      AS 'SELECT at FROM test_clock.shown'`);
  await plain.$client.end();
  const url = new URL(database.url);
  url.searchParams.set('options', '-c search_path=test_clock,public,pg_catalog');
  db = openDb(url.href);
});
afterEach(() => {
  vi.useRealTimers();
});
afterAll(async () => {
  await db?.$client.end();
  await database?.drop();
});

async function show(time: number): Promise<void> {
  vi.setSystemTime(time);
  await db.execute(sql`UPDATE test_clock.shown SET at = ${new Date(time)}`);
}

let seed = 0;
const chance = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
const clock = () => `${String(chance(24)).padStart(2, '0')}:${['00', '30'][chance(2)]}`;
const ZONES = ['Asia/Qatar', 'America/New_York', 'Europe/Berlin', 'Asia/Kathmandu', 'Pacific/Apia', undefined];
const HOUR = 3_600_000;

function randomSettings(begins: number): CampaignSettings {
  const later = (hours: number) => new Date(begins + hours * HOUR).toISOString();
  const from = clock();
  return {
    opening: { text: { default: 'Hi {{end_user.name|there}}, {{voucher}}', ar: 'أهلاً {{end_user.name}}' } },
    ...(chance(3) > 0 && {
      window: { from, to: `${String((Number(from.slice(0, 2)) + 9) % 24).padStart(2, '0')}:00` },
    }),
    ...(chance(2) > 0 && { quiet_hours: { from: '23:00', to: '05:30' } }),
    ...(chance(2) > 0 && { per_minute: [1, 90, 1_200][chance(3)]! }),
    ...(chance(3) > 0 && { time_zone: 'Asia/Kolkata' }),
    ...(chance(3) === 0 && { starts_at: later(1 + chance(5)) }),
    ...(chance(2) === 0 && { ends_at: later(8 + chance(30)) }),
  };
}

const someone = (name: string, begins: number): RecipientInput => ({
  ref: name,
  end_user: {
    external_id: name,
    ...(chance(4) > 0 && { name: `Person ${name}` }),
    ...(chance(2) === 0 && { locale: 'ar' }),
    ...(ZONES[chance(ZONES.length)] !== undefined && { time_zone: ZONES[chance(5)]! }),
  },
  variables: { voucher: `W-${name}` },
  // Everyone has a moment of their own, so that the order among those who wait is the same.
  send_at: new Date(begins + chance(30) * HOUR + chance(3_600_000)).toISOString(),
});

async function enroll(campaignId: string, people: readonly RecipientInput[]): Promise<void> {
  const recipients = people.map((one) => ({
    endUser: one.end_user,
    variables: one.variables ?? {},
    sendAt: new Date(one.send_at!),
    ref: one.ref!,
  }));
  const by = { keyId: null, from: null, requestId: null, idempotency: null };
  const call = { ...by, orgId, campaignId, channelKind: 'sandbox', dedupe: 'campaign' as const, recipients };
  const answer = (outcomes: readonly AdditionOutcome[]) => ({ status: 202, body: JSON.stringify(outcomes) });
  await addRecipients(db, { ...call, tally: null, answer }, suppression);
}

/** The worker's looks, at the moments at which there is something to do. */
async function reallyRun(campaignId: string, begins: number, endsAt: number): Promise<void> {
  for (let time = begins; ;) {
    await show(time);
    if (time >= endsAt) {
      await expireRecipients(db, 10_000);
      return;
    }
    for (const key of await findDueCampaigns(db.$client, null, 50)) while ((await dispatchDue(db, key)).isMore);
    const { rows } = await db.execute<{ due: Date | null; paced: Date | null }>(
      sql`SELECT (SELECT min(due_at) FROM recipient WHERE campaign_id = ${campaignId}) AS due, paced_until AS paced
        FROM campaign WHERE id = ${campaignId}`,
    );
    const { due, paced } = rows[0]!;
    if (due === null) return;
    const next = Math.max(time + LOOK_MS, new Date(due).getTime(), paced ? new Date(paced).getTime() : 0);
    time = Math.min(next, endsAt);
  }
}

async function whatHappened(campaignId: string) {
  const rows = await db
    .select({ recipient, opening: sql<string | null>`${run.input} -> 'opening' ->> 'text'` })
    .from(recipient)
    .leftJoin(run, eq(run.id, recipient.runId))
    .where(eq(recipient.campaignId, campaignId));
  return rows.map(({ recipient: one, opening }) => ({
    ref: one.ref,
    status: one.status === 'sending' ? 'sent' : one.status,
    reason: one.reason,
    // An addition that leaves someone out has no moment of its own.
    at: one.status === 'suppressed' ? null : one.updatedAt.toISOString(),
    text: opening,
  }));
}

type Row = { ref: string | null; status: string; reason: string | null; at: string | null };
const exactly = (rows: readonly Row[]) => rows.toSorted((one, other) => one.ref!.localeCompare(other.ref!));
const momentsOf = (rows: readonly Row[]) =>
  rows.map(({ status, reason, at }) => `${at} ${status} ${reason}`).toSorted();

test.each([11, 23, 58, 131])('a random campaign (%i) runs in the same way as its rehearsal', async (which) => {
  vi.useFakeTimers({ toFake: ['Date'] });
  seed = which;
  // Days around the end of daylight saving time in Berlin and New York.
  const begins = Date.parse('2026-10-24T20:00:00Z') + chance(14 * 24) * HOUR;
  await show(begins);
  const settings = randomSettings(begins);
  const id = newId('campaign');
  await db.insert(campaign).values({ orgId, id, ...place, name: 'Run', state: 'live', settings, attended: true });
  for (const kind of ['blocked', 'consent'] as const)
    await db.insert(endUser).values({
      orgId,
      id: newId('enduser'),
      externalId: `${which}-${kind}`,
      ...(kind === 'blocked' ? { blocked: true } : { consent: { sandbox: { status: 'opted_out' } } }),
    });
  const names = ['blocked', 'consent', ...Array.from({ length: 60 }, (_, n) => `${n}`)];
  const people = names.map((name) => someone(`${which}-${name}`, begins));

  const file = people.map((one) => JSON.stringify(one)).join('\n');
  const asked = { filter: null, begins_at: new Date(begins).toISOString(), file, all_rows: true };
  const report = await rehearse(orgId, id, asked);

  await enroll(id, people);
  await reallyRun(id, begins, settings.ends_at ? Date.parse(settings.ends_at) : Number.POSITIVE_INFINITY);
  const rehearsed = report.rows.map(({ ref, status, reason, at, text }) => ({ ref, status, reason, at, text }));
  expect(report.sent).toBeGreaterThan(0);
  const happened = await whatHappened(id);
  // Who of those held until the same moment is first at a rate limit is up to the database.
  const compared = settings.per_minute === undefined ? exactly : momentsOf;
  expect(compared(rehearsed)).toEqual(compared(happened));
  // Nothing is due that a later campaign would meet.
  await db.execute(sql`UPDATE campaign SET state = 'ended', attended = false WHERE id = ${id}`);
});
