import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { useDatabase } from '../../../test/use-database.ts';
import { newId } from '../../kernel/ids.ts';
import type { Db } from '../db.ts';
import { mail } from '../schema/mail.ts';
import { LEASE_SECONDS } from './lease-seconds.ts';
import { leasedQueue } from './leased-queue.ts';

const QUEUE = leasedQueue('mail', ['id']);
const claimOne = QUEUE.claimOne<{ id: string; lease: string; attempts: number }>({
  set: 'attempts = q.attempts + 1',
  returning: 'q.id, q.lease, q.attempts',
});

let db: Db;
useDatabase((own) => {
  db = own;
});

let id: string;
beforeEach(async () => {
  id = newId('mail');
  await db.delete(mail);
  await db.insert(mail).values({ id, recipient: 'asha@example.qa', sealed: 's', expiresAt: sql`now()` });
});

const dueInSeconds = async (): Promise<number> => {
  const { rows } = await db.execute<{ seconds: number }>(
    sql`SELECT extract(epoch FROM due_at - now())::float8 AS seconds FROM mail WHERE id = ${id}`,
  );
  return rows[0]!.seconds;
};

/** The lease of the first worker ends, and a second worker claims the row. */
async function claimTwice() {
  const first = (await claimOne(db, 'first'))!;
  await db.execute(sql`UPDATE mail SET due_at = now() WHERE id = ${id}`);
  return { first, second: (await claimOne(db, 'second'))! };
}

test('a row is claimed once until its lease ends', async () => {
  expect(await claimOne(db, 'first')).toEqual({ id, lease: 'first', attempts: 1 });
  expect(await claimOne(db, 'second')).toBeNull();
  const left = await dueInSeconds();
  expect(left).toBeGreaterThan(LEASE_SECONDS.mail - 20);
  expect(left).toBeLessThanOrEqual(LEASE_SECONDS.mail);
  await db.execute(sql`UPDATE mail SET due_at = now() WHERE id = ${id}`);
  expect(await claimOne(db, 'second')).toEqual({ id, lease: 'second', attempts: 2 });
});

test('a row that another transaction has locked is skipped', async () => {
  await db.transaction(async (tx) => {
    await tx.execute(sql`SELECT FROM mail WHERE id = ${id} FOR UPDATE`);
    expect(await claimOne(db, 'first')).toBeNull();
  });
  expect((await claimOne(db, 'first'))?.id).toBe(id);
});

test('a worker that lost its lease changes nothing', async () => {
  const { first, second } = await claimTwice();
  const none = sql`attempts = 99`;
  expect(await QUEUE.renew(db, first, none)).toBe(false);
  expect(await QUEUE.release(db, first, 0, none)).toBe(false);
  expect(await QUEUE.finish(db, first, none)).toBe(false);
  expect(await QUEUE.renewAll(db.$client, [first])).toEqual([]);
  const [row] = await db.select().from(mail);
  expect(row).toMatchObject({ lease: 'second', attempts: 2 });
  expect(await QUEUE.renewAll(db.$client, [first, second])).toEqual([{ id }]);
});

test('a release makes the row due after its delay, and a finish at the given time', async () => {
  const claimed = (await claimOne(db, 'first'))!;
  expect(await QUEUE.renew(db, claimed, sql`attempts = 5`, sql`attempts = 7`)).toBe(false);
  expect(await QUEUE.renew(db, claimed, sql`attempts = 5`)).toBe(true);
  expect(await QUEUE.release(db, claimed, 0)).toBe(true);
  const again = (await claimOne(db, 'second'))!;
  expect(again.attempts).toBe(6);
  expect(await QUEUE.release(db, again, 600)).toBe(true);
  expect(await dueInSeconds()).toBeGreaterThan(500);
  await db.execute(sql`UPDATE mail SET due_at = now() WHERE id = ${id}`);
  const last = (await claimOne(db, 'third'))!;
  expect(await QUEUE.finish(db, last, undefined, sql`now() + interval '1 day'`)).toBe(true);
  expect(await dueInSeconds()).toBeGreaterThan(80_000);
});
