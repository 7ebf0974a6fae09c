/** @module-tag long */
import { createHash, randomBytes } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDigest, digestBytes } from '../../../src/access/api-keys/digest.ts';
import { mintKey } from '../../../src/access/api-keys/key-format.ts';
import { deriveSecrets } from '../../../src/config/secrets.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { type Db, openDb } from '../../../src/store/db.ts';
import { campaign as campaignTable } from '../../../src/store/schema/campaign.ts';
import { givenAgent, givenChannel, givenKey, givenOrganization } from '../../factories.ts';
import { type Receiver, startReceiver } from '../../fakes/receiver.ts';
import { createTestDatabase, type TestDatabase } from '../../postgres.ts';
import { freePort, killProgram, type Program, runProgram } from '../../program.ts';

/**
 * A campaign over a provider that counts its calls, while the program is killed at random moments. The receiver's calls
 * show exactly who was messaged, and how often. (Set TEST_SEED to repeat the same moments.)
 */
const SEED = Number(process.env['TEST_SEED'] ?? Math.floor(Math.random() * 1e9));
const RECIPIENTS = 1_000;
const KILLS = 4;
const SECRET = randomBytes(36).toString('base64url');

let random = SEED % 2_147_483_647;
const upTo = (ms: number) => (random = (random * 48_271) % 2_147_483_647) % ms;
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

let database: TestDatabase;
let db: Db;
let receiver: Receiver;
let program: Program;
let env: Record<string, string>;
let orgId: string;
let agentId: string;
let channelId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  db = openDb(database.url);
  receiver = await startReceiver(() => ({ delayMs: 15 }));
  orgId = await givenOrganization(db);
  ({ agentId } = await givenAgent(db, orgId));
  channelId = await givenChannel(db, orgId, agentId, {
    kind: 'webhook',
    settings: { url: receiver.url },
    secrets: { secret: `whsec_${createHash('sha256').update('crash').digest('base64')}` },
    sealingKey: deriveSecrets(SECRET).sealingKey,
  });
  env = {
    DATABASE_URL: database.url,
    PARLEY_SECRET: SECRET,
    PARLEY_DEMO: '0',
    PARLEY_EGRESS_ALLOW: '127.0.0.1',
    PARLEY_LIMITS: '{"campaigns":{"key":10000,"organization":10000}}',
    PORT: String(await freePort()),
  };
  await start();
});
afterAll(async () => {
  await program?.stop();
  await receiver?.stop();
  await db?.$client.end();
  await database?.drop();
});

async function start(): Promise<void> {
  program = runProgram(env);
  await program.printed('Parley is ready');
}

/** Simulates the end of the 30 s leases of the dead process. */
async function leasesRunOut(): Promise<void> {
  for (const table of [sql`run`, sql`message`])
    await db.execute(sql`UPDATE ${table} SET due_at = now() WHERE lease IS NOT NULL AND due_at IS NOT NULL`);
}

async function givenCampaign() {
  const id = newId('campaign');
  const settings = { opening: { text: { default: 'Hello {{end_user.name}}' } } };
  await db
    .insert(campaignTable)
    .values({ orgId, id, agentId, channelId, name: 'Crash', state: 'live', attended: true, settings });
  const key = mintKey('us');
  const digest = digestBytes(createDigest(deriveSecrets(SECRET).apiKeyPepper)(key));
  await givenKey(db, orgId, { digest, scope: 'campaign', campaignId: id, permissions: ['campaigns'] });
  const call = async (method: string, path = '', body?: unknown, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${program.url}/api/campaigns/${id}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    // oxlint-disable-next-line typescript/no-explicit-any -- tests look into it freely
    return { status: answer.status, body: (await answer.json()) as any };
  };
  return { id, call };
}

const people = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, n) => ({
    end_user: { external_id: `${prefix}-${n}`, name: `Person ${n}` },
    ref: `${prefix}-${n}`,
  }));

/** The number of messages per person. */
const callsOf = (prefix: string): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const call of receiver.calls) {
    const { address } = JSON.parse(call.body.toString()) as { address: string };
    if (address.startsWith(`${prefix}-`)) counts.set(address, (counts.get(address) ?? 0) + 1);
  }
  return counts;
};

const delivered = async (given: Awaited<ReturnType<typeof givenCampaign>>) => {
  const { body } = await given.call('GET');
  return body.counts.sent + body.counts.delivered;
};

test(`a killed worker loses none of a thousand recipients, and marks every possible duplicate (seed ${SEED})`, async () => {
  const given = await givenCampaign();
  const headers = { 'idempotency-key': 'crash-push' };
  const recipients = people('crash', RECIPIENTS);
  const first = await given.call('POST', '/recipients', { recipients }, headers);
  expect([first.status, first.body.accepted]).toEqual([202, RECIPIENTS]);
  for (let kill = 0; kill < KILLS; kill++) {
    // Early kills hit the dispatch, later ones the sending.
    await wait(upTo(100 + kill * 300));
    await killProgram(program, db.$client);
    await leasesRunOut();
    await start();
  }
  // The caller whose connection broke retries.
  const again = await given.call('POST', '/recipients', { recipients }, headers);
  expect(again.body).toEqual(first.body);
  await expect.poll(() => delivered(given), { timeout: 120_000, interval: 200 }).toBe(RECIPIENTS);

  const counts = callsOf('crash');
  expect(counts.size).toBe(RECIPIENTS);
  const twice = [...counts].filter(([, calls]) => calls > 1);
  for (const [who, calls] of twice) expect([who, calls <= 1 + KILLS]).toEqual([who, true]);
  const { rows: flagged } = await db.execute<{ external_id: string }>(sql`SELECT e.external_id FROM message m
    JOIN conversation c ON c.org_id = m.org_id AND c.id = m.conversation_id
    JOIN end_user e ON e.org_id = c.org_id AND e.id = c.end_user_id
    WHERE m.org_id = ${orgId} AND m.possible_duplicate`);
  const known = new Set(flagged.map((row) => row.external_id));
  expect(twice.filter(([who]) => !known.has(who))).toEqual([]);
  const { rows: made } = await db.execute<{ n: number }>(
    sql`SELECT count(*)::int AS n FROM run WHERE org_id = ${orgId} AND input ->> 'campaign_id' = ${given.id}`,
  );
  expect(made[0]!.n).toBe(RECIPIENTS);
}, 300_000);

test('no one is messaged after a pause was confirmed, and a resume messages each remaining recipient once', async () => {
  // The rate is so slow that most recipients are not messaged yet when the pause comes.
  receiver.answer = () => ({ delayMs: 200 });
  const given = await givenCampaign();
  await given.call('POST', '/recipients', { recipients: people('pause', 300) });
  await expect.poll(() => callsOf('pause').size, { timeout: 60_000, interval: 20 }).toBeGreaterThan(20);
  const paused = await given.call('POST', '/pause');
  expect(paused.body.state).toBe('paused');
  // The number of provider calls that are in progress at the moment of the pause. Their leases are still active. It is
  // read before the calls are counted, because some end in between.
  const { rows } = await db.execute<{ n: number }>(sql`SELECT count(*)::int AS n FROM message m
    WHERE m.org_id = ${orgId} AND m.lease IS NOT NULL`);
  const inFlight = rows[0]!.n;
  const atAnswer = [...callsOf('pause').values()].reduce((sum, calls) => sum + calls, 0);
  await wait(1_500);
  const later = [...callsOf('pause').values()].reduce((sum, calls) => sum + calls, 0);
  expect(later - atAnswer).toBeLessThanOrEqual(inFlight);
  expect(later).toBeLessThan(300);
  const cancelled = await given.call('GET', '/recipients?status=sending&limit=1');
  const victim = cancelled.body.data[0];
  expect((await given.call('DELETE', `/recipients/${victim.id}`)).body.status).toBe('cancelled');
  await given.call('POST', '/resume');
  await expect.poll(() => delivered(given), { timeout: 60_000, interval: 100 }).toBe(299);
  const counts = callsOf('pause');
  expect([...counts.values()].filter((calls) => calls !== 1)).toEqual([]);
  expect(counts.has(victim.ref)).toBe(false);
  expect(counts.size).toBe(299);
}, 180_000);

test('a killed worker adds and counts each row of a file once', async () => {
  const id = newId('campaign');
  const settings = { starts_at: '2037-12-04T00:00:00.000Z' };
  await db
    .insert(campaignTable)
    .values({ orgId, id, agentId, channelId, name: 'File', state: 'live', attended: true, settings });
  const file = ['id,name', ...Array.from({ length: 8_000 }, (_, n) => `file-${n},Person ${n}`)].join('\n');
  await db.execute(sql`INSERT INTO campaign_push (org_id, campaign_id, id, source, file, total, created_by, due_at)
    VALUES (${orgId}, ${id}, ${newId('push')}, 'file', ${file}, 8000, 'user_x', now())`);
  const read = async () =>
    (
      await db.execute<{ state: string; done: number; accepted: number; duplicates: number }>(
        sql`SELECT state, done, accepted, duplicates FROM campaign_push WHERE campaign_id = ${id}`,
      )
    ).rows[0]!;
  const moments: number[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    const before = (await read()).done;
    if (before === 8_000) break;
    // The kill happens during the work: after a page, at a random moment of the next ones.
    await expect.poll(async () => (await read()).done, { timeout: 60_000, interval: 5 }).toBeGreaterThan(before);
    await wait(upTo(100));
    await killProgram(program, db.$client);
    moments.push((await read()).done);
    await db.execute(sql`UPDATE campaign_push SET due_at = now() WHERE campaign_id = ${id} AND lease IS NOT NULL`);
    await start();
  }
  expect(moments.some((done) => done < 8_000)).toBe(true);
  await expect.poll(async () => (await read()).state, { timeout: 60_000 }).toBe('done');
  expect(await read()).toEqual({ state: 'done', done: 8_000, accepted: 8_000, duplicates: 0 });
  const { rows } = await db.execute(sql`SELECT count(*)::int AS all, count(DISTINCT end_user_id)::int AS people
    FROM recipient WHERE campaign_id = ${id}`);
  expect(rows).toEqual([{ all: 8_000, people: 8_000 }]);
}, 300_000);
