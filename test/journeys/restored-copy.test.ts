import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/kernel/ids.ts';
import { backup } from '../../src/store/backup/backup.ts';
import { restore } from '../../src/store/backup/restore.ts';
import { createQueueMail } from '../../src/store/mail.ts';
import { campaign } from '../../src/store/schema/campaign.ts';
import { startTestApp, type TestApp } from '../app.ts';
import { givenAgent, givenChannel, givenTrigger } from '../factories.ts';
import { type Receiver, startReceiver } from '../fakes/receiver.ts';
import { type Site, sitePage, startSite } from '../fakes/site.ts';
import { type FakeSmtp, startSmtp } from '../fakes/smtp.ts';
import { givenOwner, OWNER } from '../owner.ts';
import { createTestDatabase, type TestDatabase } from '../postgres.ts';
import { runProgram } from '../program.ts';

/** A copy of an installation with due work. It sends nothing until it is resumed, then everything once. */
const SIGNING_SECRET = `whsec_${randomBytes(32).toString('base64')}`;
/** Three polls of the slowest queue with due rows. */
const LONG_ENOUGH_MS = 3_000;
let original: TestApp;
let databases: TestDatabase[];
let receiver: Receiver;
let site: Site;
let smtp: FakeSmtp;
let env: Record<string, string>;
let folder: string;
let file: string;
let key: string;
let trigger: string;

beforeAll(async () => {
  [receiver, site, smtp] = await Promise.all([startReceiver(), startSite(), startSmtp()]);
  site.pages.set('/help', sitePage('Help', 'Delivery costs 20 riyals.'));
  folder = mkdtempSync(path.join(tmpdir(), 'parley-copy-'));
  file = path.join(folder, 'backup.gz');
  databases = await Promise.all([createTestDatabase(), createTestDatabase()]);
  env = {
    PARLEY_SECRET: randomBytes(48).toString('base64'),
    PARLEY_EGRESS_ALLOW: '127.0.0.1',
    SMTP_URL: `smtp://${encodeURIComponent(smtp.user)}:${encodeURIComponent(smtp.password)}@127.0.0.1:${smtp.port}?security=none`,
    MAIL_FROM: 'Parley <noreply@example.com>',
  };
  // Without a worker, everything that is due stays due.
  original = await startTestApp(env, { role: 'api', database: databases[0]! });
  await makeDueWork();
  await backup(databases[0]!.url, file);
});
afterAll(async () => {
  await original.app.stop();
  await original.db.$client.end();
  for (const database of databases) await database.drop();
  await Promise.all([receiver.stop(), site.stop(), smtp.stop()]);
  rmSync(folder, { recursive: true });
});

async function makeDueWork(): Promise<void> {
  const { db, secrets } = original;
  const owner = await givenOwner(original);
  const { orgId } = owner;
  const { agentId } = await givenAgent(db, orgId, { definition: { opening: { default: 'Hello from the campaign' } } });
  const channelId = await givenChannel(db, orgId, agentId, {
    kind: 'webhook',
    settings: { url: `${receiver.url}/channel` },
    secrets: { secret: SIGNING_SECRET },
    sealingKey: secrets.sealingKey,
  });
  trigger = `/api/triggers/${agentId}/${await givenTrigger(db, orgId, agentId)}`;
  key = (await original.key(orgId, { permissions: ['triggers', 'channels'] })).value;
  expect((await owner.call('POST /webhooks', { url: `${receiver.url}/events` })).status).toBe(201);
  const source = { url: `${site.url}/help`, kind: 'page' };
  expect((await owner.call(`POST /agents/${agentId}/sources`, source)).status).toBe(201);
  const content = { type: 'text', text: 'Your order shipped' };
  const message = { to: { end_user: { external_id: 'c-1' } }, content };
  const sent = await original.call('POST', `/api/channels/${agentId}/${channelId}/messages`, { key, body: message });
  expect(sent.status).toBe(202);
  await call(original);
  const id = newId('campaign');
  await db
    .insert(campaign)
    .values({ orgId, id, agentId, channelId, name: 'Autumn', state: 'live', settings: {}, attended: true });
  const own = await original.key(orgId, { scope: 'campaign', campaignId: id, permissions: ['campaigns'] });
  const recipients = [{ end_user: { external_id: 'c-2' } }];
  const pushed = await original.call('POST', `/api/campaigns/${id}/recipients`, {
    key: own.value,
    body: { recipients },
  });
  expect(pushed.status).toBe(202);
}

const call = async (app: TestApp): Promise<void> => {
  expect((await app.call('POST', trigger, { key, body: { message: 'hello' } })).status).toBe(202);
};
const ids = (to: string): string[] =>
  receiver.calls.flatMap(({ path: at, headers }) => (at === to ? [String(headers['webhook-id'])] : []));
const channelTexts = (): string[] =>
  receiver.calls
    .filter(({ path: at }) => at === '/channel')
    .map(({ body }) => /Your order shipped|Hello from the campaign/.exec(body.toString())![0]);
const sentSoFar = () => [receiver.calls.length, site.asked.length, smtp.attempts()];
const runs = async ({ db }: TestApp): Promise<string[]> =>
  (await db.execute<{ status: string }>(sql`SELECT status FROM run`)).rows.map(({ status }) => status);

async function startCopy(role: 'all' | 'worker', lines: object[]): Promise<TestApp> {
  return startTestApp({ ...env, LOG_LEVEL: 'info' }, { role, database: databases[1]!, lines });
}

async function resume(): Promise<unknown> {
  const program = runProgram({ ...env, DATABASE_URL: databases[1]!.url, DATA_DIR: folder }, ['resume']);
  expect(await once(program.child, 'close')).toEqual([0, null]);
  return JSON.parse(program.output());
}

/** The notice that the dashboard shows to each member. */
async function pausedSince(copy: TestApp): Promise<unknown> {
  const answer = await fetch(`${copy.url}/dashboard/api/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(OWNER),
  });
  return ((await answer.json()) as { paused_since: unknown }).paused_since;
}

test('a restored copy sends nothing until it is resumed, and then sends everything once', async () => {
  expect(await restore(databases[1]!.url, file, { keepKeys: true, resume: false })).toMatchObject({ paused: true });
  const lines: object[] = [];
  const copies = [await startCopy('all', lines), await startCopy('worker', lines)];
  try {
    const [copy] = copies as [TestApp, TestApp];
    await createQueueMail(copy.secrets.mailKey)(copy.db, { to: 'asha@example.com', subject: 'Waits', lines: ['x'] });
    // The call is accepted, but the message waits.
    await call(copy);
    await sleep(LONG_ENOUGH_MS);
    expect(sentSoFar()).toEqual([0, 0, 0]);
    expect(new Set(await runs(copy))).toEqual(new Set(['queued']));
    expect(lines.filter((one) => JSON.stringify(one).includes('./parley resume'))).toHaveLength(2);

    expect(await pausedSince(copy)).toEqual(expect.any(String));
    expect(await resume()).toEqual({ resumed: true });
    expect(await pausedSince(copy)).toBeNull();
    expect(await resume()).toEqual({ resumed: false });
    await expect
      .poll(() => channelTexts().toSorted(), { timeout: 30_000 })
      .toEqual(['Hello from the campaign', 'Your order shipped']);
    await expect.poll(() => smtp.mails.length).toBe(1);
    await expect.poll(() => site.asked.map(({ path: at }) => at)).toContain('/help');
    await expect
      .poll(async () => (await runs(copy)).filter((one) => one === 'queued' || one === 'running'))
      .toEqual([]);
    await expect.poll(() => ids('/events').length).toBeGreaterThan(0);
    await sleep(LONG_ENOUGH_MS);
    expect(channelTexts()).toHaveLength(2);
    expect(smtp.attempts()).toBe(1);
    expect(site.asked.filter(({ path: at }) => at === '/help')).toHaveLength(1);
    expect(new Set(ids('/events')).size).toBe(ids('/events').length);
  } finally {
    for (const { app, db } of copies.toReversed()) {
      await app.stop();
      await db.$client.end();
    }
  }
});
