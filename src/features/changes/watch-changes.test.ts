import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { givenAgent, givenKey, givenOrganization } from '../../../test/factories.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts';
import { newId } from '../../kernel/ids.ts';
import { type Db, openDb } from '../../store/db.ts';
import { member, session, user } from '../../store/schema/identity.ts';
import { type ChangeWatch, createChangeWatch, POLL_MS, type Watcher } from './watch-changes.ts';

let database: TestDatabase;
let db: Db;
let orgId: string;
let who: { userId: string; sessionId: string };
let watch: ChangeWatch;
let reported: string[][];
let ended: number;

beforeAll(async () => {
  database = await createTestDatabase();
  db = openDb(database.url);
  orgId = await givenOrganization(db);
  const userId = newId('user');
  await db.insert(user).values({ id: userId, name: 'Asha', email: 'asha@example.com' });
  await db.insert(member).values({ id: newId('member'), organizationId: orgId, userId, role: 'viewer' });
  const sessionId = newId('session');
  const expiresAt = new Date(Date.now() + 3_600_000);
  await db.insert(session).values({ id: sessionId, userId, token: sessionId, expiresAt });
  who = { userId, sessionId };
});
afterEach(() => watch.stop());
afterAll(async () => {
  await db?.$client.end();
  await database?.drop();
});

const watcher = (more: Partial<Watcher> = {}): Watcher => ({
  ...who,
  orgId,
  topics: ['keys'],
  position: null,
  onChange: (topics) => reported.push(topics),
  onEnd: () => ended++,
  ...more,
});

const start = (): void => {
  reported = [];
  ended = 0;
  watch = createChangeWatch(db);
};
/**
 * The maximum queries of one watcher with one kind of topic in this time: one per look, and one access check per
 * second.
 */
const queriesIn = (ms: number): number => ms / POLL_MS + ms / 1_000 + 2;
/** Long enough for several looks. */
const looks = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, POLL_MS * 3));

describe('a member with a page in sight', () => {
  it('a member with a visible page counts as present, and no one else does', async () => {
    start();
    watch.watch(watcher());
    watch.watch(watcher({ userId: 'user_other', sessionId: 'session_other' }));
    const present = async () =>
      (
        await db.execute(sql`SELECT user_id FROM member_attendance WHERE org_id = ${orgId}
        AND seen_at > now() - interval '10 seconds'`)
      ).rows;
    await expect.poll(present, { timeout: 10_000 }).toEqual([{ user_id: who.userId }]);
    await expect.poll(() => ended).toBe(1);
    expect(await present()).toHaveLength(1);
  });
});

describe('watching for changes', () => {
  it('a hundred watchers need as many queries as one, and no watcher needs none', async () => {
    start();
    const execute = vi.spyOn(db, 'execute');
    for (const watchers of [1, 100]) {
      reported = [];
      const leave = Array.from({ length: watchers }, () => watch.watch(watcher()));
      await expect.poll(() => reported).toHaveLength(watchers);
      const begun = performance.now();
      execute.mockClear();
      await looks();
      const { length } = execute.mock.calls;
      expect(length).toBeLessThanOrEqual(queriesIn(performance.now() - begun));
      // Still looking, even if the database is slow.
      await expect.poll(() => execute.mock.calls.length).toBeGreaterThan(0);
      for (const stop of leave) stop();
    }
    await looks();
    execute.mockClear();
    await looks();
    expect(execute).not.toHaveBeenCalled();
    execute.mockRestore();
  });

  it('a watcher receives each change once, and none after it has left', async () => {
    start();
    const leave = watch.watch(watcher());
    await expect.poll(() => reported).toEqual([['keys']]);
    await givenKey(db, orgId, {});
    watch.look();
    await expect.poll(() => reported).toHaveLength(2);
    await looks();
    expect(reported).toHaveLength(2);
    leave();
    await givenKey(db, orgId, {});
    await looks();
    expect([reported.length, ended]).toEqual([2, 0]);
  });

  it('a watcher is not notified of a change in another organization', async () => {
    start();
    watch.watch(watcher({ topics: ['keys', 'first_steps', 'conversations', 'requests', 'audit'] }));
    await expect.poll(() => reported).toHaveLength(1);
    const theirs = await givenOrganization(db);
    await givenAgent(db, theirs);
    await givenKey(db, theirs, {});
    await looks();
    expect(reported).toHaveLength(1);
  });

  it('the watch ends if the database can no longer be read, so that pages notice the failure', async () => {
    start();
    watch.watch(watcher());
    await expect.poll(() => reported).toHaveLength(1);
    const execute = vi.spyOn(db, 'execute').mockRejectedValue(new Error('connection terminated'));
    await expect.poll(() => ended).toBe(1);
    execute.mockRestore();
    watch.watch(watcher());
    await expect.poll(() => reported).toHaveLength(2);
  });
});
