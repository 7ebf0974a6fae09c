import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { sql } from 'drizzle-orm';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { givenAgent, givenKey, givenOrganization, givenTrigger } from '../../../test/factories.ts';
import { type TestDatabase, createTestDatabase } from '../../../test/postgres.ts';
import { backup } from './backup.ts';
import { type Db, openDb } from '../db.ts';
import { insertInvitation, listInvitations } from '../members/invitations.ts';
import { insertPerson } from '../accounts/accounts.ts';
import { restore } from './restore.ts';
import { session, user } from '../schema/identity.ts';

/** Every kind of text that may break a format. */
const HARD_TEXT = 'أهلاً {"table":"x"}\n{"end":true,\r\t\u2028\u2029 \\u0041 \'quoted\' "quoted" 🎉 हिन्दी';

let folder: string;
let source: TestDatabase;
let db: Db;
let orgId: string;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'parley-backup-'));
  source = await createTestDatabase();
  db = openDb(source.url);
  orgId = await givenOrganization(db);
  const { agentId } = await givenAgent(db, orgId, { name: HARD_TEXT, definition: { opening: { default: HARD_TEXT } } });
  await givenTrigger(db, orgId, agentId);
  await givenKey(db, orgId, { permissions: ['triggers'] });
  await db.insert(user).values({ id: 'user_1', name: 'Asha', email: 'asha@example.qa' });
  await db.insert(session).values({ id: 's1', token: 'canary', userId: 'user_1', expiresAt: new Date() });
  await db.execute(sql`UPDATE authz_clock SET seq = 9007199254740993`);
});
afterAll(async () => {
  await db?.$client.end();
  await source?.drop();
  rmSync(folder, { recursive: true, force: true });
});

let count = 0;
let file: string;
beforeEach(() => {
  file = path.join(folder, `backup-${(count += 1)}.gz`);
});

async function withEmptyDatabase(use: (target: Db, url: string) => Promise<void>): Promise<void> {
  await using target = await createTestDatabase();
  const targetDb = openDb(target.url);
  try {
    await use(targetDb, target.url);
  } finally {
    await targetDb.$client.end();
  }
}

const dump = async (from: Db, table: string): Promise<unknown> =>
  (await from.execute(sql.raw(`SELECT t::text FROM "${table}" t ORDER BY 1`))).rows;

const rewrite = (change: (lines: string[]) => string[]): void => {
  const lines = gunzipSync(readFileSync(file)).toString().split('\n').slice(0, -1);
  writeFileSync(file, gzipSync(`${change(lines).join('\n')}\n`));
};

describe('a backup', () => {
  test('each row of a backup is restored exactly, except for sessions', async () => {
    await backup(source.url, file);
    await withEmptyDatabase(async (target, url) => {
      await restore(url, file, { keepKeys: true, resume: false });
      for (const table of [
        'organization',
        'agent',
        'channel',
        'trigger',
        'api_key',
        'api_key_digest',
        'user',
        'authz_clock',
      ]) {
        expect({ table, rows: await dump(target, table) }).toEqual({ table, rows: await dump(db, table) });
      }
      expect(await dump(target, 'session')).toEqual([]);
    });
    expect(gunzipSync(readFileSync(file)).toString()).not.toContain('canary');
  });

  test('a backup fetches few rows at a time, so that large rows fit into memory', async () => {
    await db.execute(
      sql`INSERT INTO authz_change (seq, kind, subject_id) SELECT n, 'key', 'small' FROM generate_series(1, 300) n`,
    );
    const query = vi.spyOn(pg.Client.prototype, 'query');
    await backup(source.url, file);
    const fetched = query.mock.calls.flatMap(([text]) => /^FETCH (\d+)/.exec(text)?.[1] ?? []).map(Number);
    query.mockRestore();
    expect(fetched.length).toBeGreaterThan(300 / 50);
    expect(Math.max(...fetched)).toBeLessThanOrEqual(50);
  });

  test('a backup fetches at most four files of conversations at a time, because each may have 10 MiB', async () => {
    await db.execute(sql`INSERT INTO attachment (org_id, id, token, name, type, size, hash, bytes)
      SELECT ${orgId}, 'small_' || n, 'token_' || n, 'a.txt', 'text/plain', 1, 'hash', '\\x00'
      FROM generate_series(1, 66) n`);
    const query = vi.spyOn(pg.Client.prototype, 'query');
    await backup(source.url, file);
    const texts = query.mock.calls.map(([text]) => text);
    query.mockRestore();
    await db.execute(sql`DELETE FROM attachment WHERE org_id = ${orgId}`);
    const from = texts.findIndex((text) => text.includes('"attachment"'));
    const fetches = texts.slice(from + 1, texts.indexOf('CLOSE rows', from));
    expect(fetches.length).toBeGreaterThan(66 / 4);
    expect(new Set(fetches)).toEqual(new Set(['FETCH 4 FROM rows']));
  });

  test('a backup contains the state of one moment, even if rows are written during the backup', async () => {
    const { rows: before } = await db.execute(sql`SELECT count(*)::int AS n FROM organization`);
    const writing = Promise.all(Array.from({ length: 30 }, () => givenAgentOfNewOrganization()));
    await backup(source.url, file);
    await writing;
    await withEmptyDatabase(async (target, url) => {
      // An agent without its organization would break its foreign key here.
      await restore(url, file, { keepKeys: false, resume: false });
      const { rows } = await target.execute(sql`SELECT count(*)::int AS n FROM organization`);
      expect(rows[0]!['n']).toBeGreaterThanOrEqual(before[0]!['n'] as number);
    });
  });

  test('a backup file is readable only by its owner and never overwrites a file', async () => {
    await backup(source.url, file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const first = readFileSync(file);
    await expect(backup(source.url, file)).rejects.toThrow(/exists already/);
    expect(readFileSync(file)).toEqual(first);
  });
});

describe('events', () => {
  test('events are restored with their endpoints and waiting deliveries, and the restore itself is not an event', async () => {
    await db.execute(
      sql`INSERT INTO webhook_endpoint (org_id, id, url, sealed) VALUES (${orgId}, 'whk_1', 'https://x.example', 'v1.x')`,
    );
    await db.execute(
      sql`INSERT INTO event_tail (org_id, wanted_until) VALUES (${orgId}, now() + interval '5 minutes')`,
    );
    await db.execute(sql`INSERT INTO end_user (org_id, id, name) VALUES (${orgId}, 'enduser_1', ${HARD_TEXT})`);
    await backup(source.url, file);
    await withEmptyDatabase(async (target, url) => {
      await restore(url, file, { keepKeys: true, resume: false });
      const eventsOf = async (from: Db) =>
        (await from.execute(sql`SELECT id, type, data::text, created_at FROM event`)).rows;
      expect(await eventsOf(target)).toEqual(await eventsOf(db));
      expect(await eventsOf(target)).toHaveLength(1);
      for (const table of ['webhook_endpoint', 'event_delivery'])
        expect({ table, rows: await dump(target, table) }).toEqual({ table, rows: await dump(db, table) });
      expect(await dump(target, 'event_tail')).toEqual([]);
      // Readers use this server's transactions, not those of the server that was backed up.
      const standing = async () =>
        (
          await target.execute(sql`SELECT tx = pg_current_xact_id()::text::bigint AS later,
            tx < pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS past FROM event`)
        ).rows;
      // Past when no older transaction is in progress on this server, in any database.
      await expect.poll(standing).toEqual([{ later: false, past: true }]);
    });
  });
});

const givenAgentOfNewOrganization = async () => givenAgent(db, await givenOrganization(db));

describe('a restore', () => {
  test('a restore revokes every key and access token, because they may have been revoked after the backup', async () => {
    await db.execute(sql`INSERT INTO access_token
        (org_id, id, label, prefix, kind, user_id, verbs, by_provider, sign_in_factor)
      VALUES (${orgId}, 'token_1', 'CI', 'parley_token_us_x', 'person', 'user_1', '{read}', false, false)`);
    await backup(source.url, file);
    await withEmptyDatabase(async (target, url) => {
      const { revoked_keys: revoked } = await restore(url, file, { keepKeys: false, resume: false });
      expect(revoked).toBe(1);
      const { rows } = await target.execute(
        sql`SELECT count(*)::int AS n FROM api_key WHERE revoked_at IS NULL OR effective_at IS NULL`,
      );
      expect(rows).toEqual([{ n: 0 }]);
      const tokens = await target.execute(sql`SELECT 1 FROM access_token WHERE revoked_at IS NULL`);
      expect(tokens.rows).toEqual([]);
      const audit = await target.execute(
        sql`SELECT action, actor FROM audit WHERE facts ? 'restored_from' ORDER BY action`,
      );
      expect(audit.rows).toEqual([
        { action: 'access_token.revoked', actor: 'system' },
        { action: 'api_key.revoked', actor: 'system' },
      ]);
    });
  });

  test('a restore ends every invitation, because its link may have been used or withdrawn after the backup', async () => {
    await insertPerson(db, { name: 'Inviter', email: 'inviter@example.qa', passwordHash: 'x' }).then((inviter) =>
      insertInvitation(db, orgId, {
        email: 'late@example.qa',
        role: 'owner',
        replaces: [],
        inviterId: inviter.id,
        digest: Buffer.of(1),
        mailed: false,
        days: 7,
      }),
    );
    expect(await listInvitations(db, orgId)).toHaveLength(1);
    await backup(source.url, file);
    await withEmptyDatabase(async (target, url) => {
      await restore(url, file, { keepKeys: true, resume: false });
      expect(await listInvitations(target, orgId)).toEqual([]);
      const { rows } = await target.execute(sql`SELECT actor, facts->>'restored_from' IS NOT NULL AS told FROM audit
        WHERE org_id = ${orgId} AND action = 'invitation.withdrawn'`);
      expect(rows).toEqual([{ actor: 'system', told: true }]);
    });
  });

  test('a restore refuses a database that is not empty, and does not change it', async () => {
    await backup(source.url, file);
    const before = await dump(db, 'agent');
    await expect(restore(source.url, file, { keepKeys: true, resume: false })).rejects.toThrow(/not empty/);
    expect(await dump(db, 'agent')).toEqual(before);
  });

  test.each([
    ['was cut off', () => truncateSync(file, statSync(file).size - 20), /damaged/],
    ['lost its last rows but is whole gzip', () => rewrite((lines) => lines.slice(0, -3)), /damaged/],
    [
      'lost a row in the middle',
      () =>
        rewrite((lines) =>
          lines.toSpliced(
            lines.findIndex((line) => line.includes('"kind":"sandbox"')),
            1,
          ),
        ),
      /damaged/,
    ],
    ['is not gzip', () => writeFileSync(file, 'hello'), /damaged/],
    ['is something else', () => writeFileSync(file, gzipSync('{"hello":1}\n')), /not a backup/],
    [
      'is of a newer schema',
      () => rewrite((lines) => [lines[0]!.replace(/"schema":\d+/, '"schema":99999999999999'), ...lines.slice(1)]),
      /newer version of Parley/,
    ],
    [
      'is of an early development version',
      () => rewrite((lines) => [lines[0]!.replace(/"schema":\d+/, '"schema":1795279223305'), ...lines.slice(1)]),
      /early development version/,
    ],
    [
      'names an unknown table',
      () => rewrite((lines) => lines.map((line) => line.replace('{"table":"agent"', '{"table":"agent\\"; DROP"'))),
      /does not know/,
    ],
  ])('a restore loads nothing from a file that %s', async (_what, spoil, message) => {
    await backup(source.url, file);
    spoil();
    await withEmptyDatabase(async (target, url) => {
      await expect(restore(url, file, { keepKeys: true, resume: false })).rejects.toThrow(message);
      expect(await dump(target, 'organization')).toEqual([]);
      expect(await dump(target, 'authz_clock')).toEqual([{ t: '(1,0)' }]);
    });
  });
});
