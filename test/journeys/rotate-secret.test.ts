import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type SQL, sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createRunningProcess } from '../../src/app/running-process.ts';
import { deriveSecrets } from '../../src/config/secrets.ts';
import { rotateSecrets } from '../../src/start/rotate-secrets.ts';
import { newTotpSecret } from '../../src/access/sessions/second-factor.ts';
import { createLogger } from '../../src/kernel/log.ts';
import { open, placeOf } from '../../src/kernel/seal.ts';
import {
  credentialIn,
  openCredential,
  SEALED_BY_INSTALLATION,
  SEALED_COLUMNS,
  sealCredential,
  signInCredential,
} from '../../src/store/credentials.ts';
import { backup } from '../../src/store/backup/backup.ts';
import { type Db, openDb } from '../../src/store/db.ts';
import { readSecretGeneration } from '../../src/store/installation/installation.ts';
import { forgetProcess, seeProcess } from '../../src/store/installation/processes.ts';
import { createQueueMail } from '../../src/store/mail.ts';
import { beginAuthenticator } from '../../src/store/accounts/authenticator.ts';
import { writeSignInProvider } from '../../src/store/sign-in/providers.ts';
import { createSuppression } from '../../src/store/end-users/suppression.ts';
import { startTestApp, type TestApp } from '../app.ts';
import { givenAgent } from '../factories.ts';
import { startReceiver } from '../fakes/receiver.ts';
import { givenOwner, type Owner } from '../owner.ts';
import { createTestDatabase, type TestDatabase } from '../postgres.ts';
import { runProgram } from '../program.ts';

/** PARLEY_SECRET changes on a running installation. Nothing is revoked, and no data remains under the old secret. */
const newSecret = (): string => randomBytes(48).toString('base64');
let database: TestDatabase;
let apps: TestApp[] = [];
const pools: TestApp['db'][] = [];
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  for (const app of apps.splice(0)) await app.app.stop();
  for (const db of pools.splice(0)) await db.$client.end();
  await database.drop();
});

async function start(secret: string, previous = '', more: Parameters<typeof startTestApp>[1] = {}): Promise<TestApp> {
  const env = { PARLEY_SECRET: secret, PARLEY_SECRET_PREVIOUS: previous, PARLEY_EGRESS_ALLOW: '127.0.0.1' };
  const app = await startTestApp(env, { database, ...more });
  apps.push(app);
  pools.push(app.db);
  return app;
}
async function stop(app: TestApp): Promise<void> {
  apps = apps.filter((one) => one !== app);
  await app.app.stop();
}

/** The content of every encrypted column, decrypted with the keys of a process. */
async function openAll({ db, secrets }: TestApp): Promise<Record<string, string[]>> {
  const all: Record<string, string[]> = {};
  for (const name of Object.keys(SEALED_COLUMNS) as (keyof typeof SEALED_COLUMNS)[]) {
    const { table, column } = SEALED_COLUMNS[name];
    const { rows } = await db.execute<Row & { org_id: string }>(sql`
      SELECT * FROM ${sql.identifier(table)} WHERE ${sql.identifier(column)} IS NOT NULL`);
    all[`${table}.${column}`] = await Promise.all(
      rows.map((row) => openCredential(db, secrets.sealingKey, credentialIn(name, row), String(row[column]))),
    );
  }
  for (const { table, column, id, key } of SEALED_BY_INSTALLATION) {
    const { rows } = await db.execute<Row>(sql`SELECT * FROM ${sql.identifier(table)}`);
    all[`${table}.${column}`] = rows.map((row) =>
      open(secrets[key], String(row[column]), placeOf({ table, column, row: String(row[id]), organization: '' })),
    );
  }
  return all;
}
type Row = Record<string, unknown>;

/** The encrypted texts in the database. */
async function storedTexts({ db }: TestApp): Promise<string[]> {
  const columns = [...Object.values(SEALED_COLUMNS), ...SEALED_BY_INSTALLATION];
  const read = columns.map(({ table, column }) =>
    db.execute<{ text: string }>(sql`
      SELECT ${sql.identifier(column)} AS text FROM ${sql.identifier(table)} WHERE ${sql.identifier(column)} IS NOT NULL`),
  );
  return (await Promise.all(read)).flatMap(({ rows }) => rows.map(({ text }) => text));
}

type Made = { owner: Owner; token: string; keys: string[]; sealed: Record<string, string[]>; stored: string[] };
const PERSON = { kind: 'phone', value: '+97412345678' } as const;

async function make(app: TestApp, receiver: string): Promise<Made> {
  const { db, secrets } = app;
  const owner = await givenOwner(app);
  const { orgId } = owner;
  const { agentId } = await givenAgent(db, orgId);
  const keys = await Promise.all([0, 1, 2].map(async () => (await app.key(orgId)).value));
  const token: string = (await owner.call('POST /access-tokens', { label: 'CI', verbs: ['read'] })).body.value;
  const settings = { url: receiver };
  await owner.call('POST /channels', { agent_id: agentId, kind: 'webhook', name: 'W', settings });
  await owner.call('POST /webhooks', { url: receiver });
  await owner.call(`POST /agents/${agentId}/tool-secrets`, { tool: 'orders', url: receiver });
  await owner.call('PUT /models/openai', { key: 'sk-of-the-organization' });
  const issuer = 'https://id.example.com';
  const sealed = await db.transaction((tx) =>
    sealCredential(tx, secrets.sealingKey, signInCredential(orgId, issuer), 'of the client'),
  );
  await writeSignInProvider(db, { orgId, issuer, clientId: 'parley', sealed, defaultRole: 'member', enabled: true });
  await createQueueMail(secrets.mailKey)(db, { to: 'asha@example.com', subject: 'Waits', lines: ['for the server'] });
  const { rows } = await db.execute<{ id: string }>(sql`SELECT id FROM "user"`);
  await beginAuthenticator(db, rows[0]!.id, newTotpSecret(secrets.sealingKey, rows[0]!.id).sealed);
  const [digest] = createSuppression(secrets.suppressionKey)({ orgId, ...PERSON });
  await db.execute(sql`INSERT INTO suppression (org_id, digest, consent, blocked)
    VALUES (${orgId}, ${digest}, '{"sms":{"status":"opted_out"}}', false)`);
  const made = { owner, token, keys, sealed: await openAll(app), stored: await storedTexts(app) };
  for (const [column, texts] of Object.entries(made.sealed)) expect([column, texts.length]).toEqual([column, 1]);
  return made;
}

async function holds(app: TestApp, { owner, token, keys, sealed }: Made): Promise<void> {
  expect((await app.call('GET', '/dashboard/api/session', { key: token })).status).toBe(200);
  for (const key of keys) expect((await app.call('GET', '/api/me', { key })).status).toBe(200);
  expect(await openAll(app)).toEqual(sealed);
  const forms = createSuppression(app.secrets.suppressionKey)({ orgId: owner.orgId, ...PERSON });
  const digests = (await app.db.execute<{ digest: Buffer }>(sql`SELECT digest FROM suppression`)).rows;
  expect(digests.some(({ digest }) => forms.some((form) => form.equals(digest)))).toBe(true);
}

/** Changes the row that a rotation changes. The returned function commits. */
async function holdInstallation(db: Db, set: SQL): Promise<() => Promise<void>> {
  const [locked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const done = db.transaction(async (tx) => {
    await tx.execute(sql`UPDATE installation SET ${set}`);
    locked.resolve();
    await released.promise;
  });
  await locked.promise;
  return () => {
    released.resolve();
    return done;
  };
}

const config = (secret: string, previousSecret: string | null) => ({ secret, previousSecret });
const session = (app: TestApp, cookie: string) =>
  fetch(`${app.url}/dashboard/api/session`, { headers: { cookie } }).then(({ status }) => status);

describe('a rotation', () => {
  test('a process without the new secret that starts during a rotation ends, or the rotation changes nothing', async () => {
    const [one, two] = [newSecret(), newSecret()];
    const app = await start(one);
    await givenOwner(app);
    await stop(app);
    const db = openDb(database.url);
    pools.push(db);
    const processes = async () => (await db.execute(sql`SELECT id FROM running_process`)).rows;
    const isWaiting = async () =>
      (
        await db.execute(
          sql`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        )
      ).rows.length > 0;

    // The process writes its row after the rotation has counted the processes.
    const release = await holdInstallation(db, sql`secret_generation = 0`);
    const rotation = rotateSecrets(db, config(two, one)).then(String, String);
    await expect.poll(isWaiting).toBe(true);
    await seeProcess(db, 'node_late', 0, 0);
    await release();
    expect(await rotation).toContain('does not know the new secret');
    expect(await readSecretGeneration(db)).toBe(0);
    await forgetProcess(db, 'node_late');

    // The process has read its secrets before the rotation, and starts after it.
    const commit = await holdInstallation(db, sql`secret_generation = 1`);
    const starting = createRunningProcess({
      db,
      newestGeneration: 0,
      log: createLogger({ level: 'silent', pretty: false }),
    });
    const started = starting.start().then(() => 'started', String);
    await expect.poll(isWaiting).toBe(true);
    await commit();
    expect(await started).toContain('PARLEY_SECRET was rotated while this process started.');
    expect(await processes()).toEqual([]);
  });

  test('keys and sessions stay valid during a rotation on two nodes; afterwards the old secret decrypts nothing', async () => {
    const receiver = await startReceiver();
    const [one, two] = [newSecret(), newSecret()];
    const first = await start(one);
    const made = await make(first, receiver.url);
    // While a node knows only the old secret, nothing is changed.
    await expect(rotateSecrets(first.db, config(two, one))).rejects.toThrow('does not know the new secret');
    const second = await start(two, one);
    await holds(first, made);
    await holds(second, made);
    expect(await session(second, made.owner.cookie)).toBe(200);
    // The old node accepts a key that the new node creates.
    const between = await made.owner.call('GET /models');
    expect(between.status).toBe(200);
    await stop(first);
    const moved = await rotateSecrets(second.db, config(two, one));
    expect(moved).toMatchObject({ generation: 1, api_keys: 3, access_tokens: 1, opt_outs: 1, organizations: 1 });
    expect(moved.credentials).toBe(7);
    const after = await storedTexts(second);
    expect(made.stored.filter((text) => after.includes(text))).toEqual([]);
    // The node that ran all the time continues with and without its cache.
    await holds(second, made);
    const third = await start(two, one);
    await holds(third, made);
    expect(await session(third, made.owner.cookie)).toBe(200);
    await stop(second);
    await stop(third);
    // Without the previous secret, everything works except data that it signed.
    const fourth = await start(two);
    await holds(fourth, made);
    expect(await session(fourth, made.owner.cookie)).toBe(401);
    await expect(start(one)).rejects.toThrow('another PARLEY_SECRET');
    // The old secret decrypts no stored text, and no digest depends on it.
    await expect(openAll({ ...fourth, secrets: deriveSecrets(one) })).rejects.toThrow('cannot be decrypted');
    const left = await fourth.db.execute(sql`SELECT (SELECT count(*) FROM api_key_digest WHERE generation = 0)
      + (SELECT count(*) FROM suppression WHERE generation = 0) + (SELECT count(*) FROM data_key WHERE moving) AS left`);
    expect(left.rows[0]).toEqual({ left: '0' });
    await receiver.stop();
  });

  test(
    'an interrupted rotation continues in the next run, and keys work after every step',
    { tags: ['long'] },
    async () => {
      const receiver = await startReceiver();
      const secrets = [newSecret(), newSecret()];
      const first = await start(secrets[0]!);
      const made = await make(first, receiver.url);
      await stop(first);
      const node = await start(secrets[1]!, secrets[0]);
      for (let steps = 1, ended = false; !ended; steps++) {
        let accepted = 0;
        const crash = () => {
          if (++accepted === steps) throw new Error('stopped');
        };
        ended = await rotateSecrets(node.db, config(secrets[1]!, secrets[0]!), crash).then(
          () => true,
          (error: Error) => {
            expect(error.message).toBe('stopped');
            return false;
          },
        );
        await holds(node, made);
        // A node that starts during the rotation works too. This is not tested at every step, because each start takes
        // time.
        if (steps % 3 !== 0) continue;
        const other = await start(secrets[1]!, secrets[0]);
        await holds(other, made);
        await stop(other);
      }
      await stop(node);
      const last = await start(secrets[1]!);
      await holds(last, made);
      await receiver.stop();
    },
  );

  test('the secret can be rotated a second time', { tags: ['long'] }, async () => {
    const receiver = await startReceiver();
    const [one, two, three] = [newSecret(), newSecret(), newSecret()];
    const first = await start(one);
    const made = await make(first, receiver.url);
    await stop(first);
    await rotateSecrets(first.db, config(two, one));
    const between = await start(two);
    made.keys.push((await between.key(made.owner.orgId)).value);
    await stop(between);
    await rotateSecrets(between.db, config(three, two));
    const last = await start(three);
    await holds(last, made);
    expect((await rotateSecrets(last.db, config(three, null))).api_keys).toBe(0);
    await receiver.stop();
  });

  test('a rotation waits for workers, because one with only the old secret would drop mails and fail runs', async () => {
    const [one, two] = [newSecret(), newSecret()];
    const first = await start(one);
    await givenOwner(first);
    await stop(first);
    const worker = await start(one, '', { role: 'worker' });
    await expect(rotateSecrets(worker.db, config(two, one))).rejects.toThrow('A process runs that does not know');
    await stop(worker);
    const { db } = await start(two, one, { role: 'worker' });
    await rotateSecrets(db, config(two, one));
  });

  test('a rotation works after an older backup is restored with both secrets', async () => {
    const receiver = await startReceiver();
    const [one, two] = [newSecret(), newSecret()];
    const first = await start(one);
    const made = await make(first, receiver.url);
    const folder = mkdtempSync(path.join(tmpdir(), 'parley-rotate-'));
    const file = path.join(folder, 'backup.gz');
    await backup(database.url, file);
    await stop(first);
    await rotateSecrets(first.db, config(two, one));
    await using target = await createTestDatabase();
    const env = { DATABASE_URL: target.url, PARLEY_SECRET: two };
    await runProgram(env, ['restore', file, '--keep-keys', '--resume', '--yes']).printed(
      'set PARLEY_SECRET_PREVIOUS to the original secret',
    );
    rmSync(folder, { recursive: true });
    await expect(start(two, '', { database: target })).rejects.toThrow('another PARLEY_SECRET');
    // Mails are not in a backup.
    const there = { ...made, sealed: { ...made.sealed, 'mail.sealed': [] } };
    const both = await start(two, one, { database: target });
    await holds(both, there);
    await rotateSecrets(both.db, config(two, one));
    await holds(both, there);
    await stop(both);
    const last = await start(two, '', { database: target });
    await holds(last, there);
    await stop(last);
    await last.db.$client.end();
    pools.splice(pools.indexOf(last.db), 1);
    await both.db.$client.end();
    pools.splice(pools.indexOf(both.db), 1);
    await receiver.stop();
  });
});
