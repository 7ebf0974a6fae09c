import { sql } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import { givenKey, givenOrganization } from '../../../test/factories.ts';
import { useDatabase } from '../../../test/use-database.ts';
import { type Db, isUnreachable, type Queryable } from '../db.ts';
import { holdFence } from '../fence/hold-fence.ts';
import { LOCK_HELD_MS, openLeaseTable, takePlaces } from './leases.ts';

let db: Db;
let orgId: string;
let keyId: string;
useDatabase((own) => {
  db = own;
});
beforeAll(async () => {
  orgId = await givenOrganization(db);
  keyId = await givenKey(db, orgId);
});

/** Runs `first` in a transaction and then is silent until `told`; resolves with the outcome of the transaction. */
async function fallSilent(first: (tx: Queryable) => Promise<unknown>) {
  const begun = Promise.withResolvers<number>();
  const told = Promise.withResolvers<void>();
  const ended = db
    .transaction(async (tx) => {
      await first(tx);
      const { rows } = await tx.execute<{ ms: string }>(
        sql`SELECT extract(epoch FROM current_setting('idle_in_transaction_session_timeout')::interval) * 1000 AS ms`,
      );
      begun.resolve(Number(rows[0]!.ms));
      await told.promise;
    })
    .then(
      () => 'committed',
      (error: unknown) => (isUnreachable(error) ? 'ended by the database' : error),
    );
  const silenceMs = await begun.promise;
  if (silenceMs !== LOCK_HELD_MS) told.resolve();
  // Measured by the database's own clock, so a busy machine does not extend it.
  expect(silenceMs).toBe(LOCK_HELD_MS);
  return async () => {
    told.resolve();
    return ended;
  };
}

describe('a silent node', () => {
  test('a silent node does not keep the log locked in the middle of a change', async () => {
    const end = await fallSilent((tx) => takePlaces(tx, [{ kind: 'key', id: 'key_silent' }]));
    await db.transaction((tx) => takePlaces(tx, [{ kind: 'key', id: 'key_next' }]));
    expect(await end()).toBe('ended by the database');
    const log = await db.execute(
      sql`SELECT subject_id FROM authz_change WHERE subject_id IN ('key_silent', 'key_next')`,
    );
    expect(log.rows).toEqual([{ subject_id: 'key_next' }]);
  });

  test('a silent node in the middle of a fenced write does not prevent the revocation of its key', async () => {
    const end = await fallSilent((tx) => holdFence(tx, { orgId, keyId, from: null }));
    await db.execute(sql`UPDATE api_key SET revoked_at = now() WHERE org_id = ${orgId} AND id = ${keyId}`);
    expect(await end()).toBe('ended by the database');
  });
});

describe('a renewal', () => {
  test('reading the log renews the lease in the same statement only if there is nothing to apply', async () => {
    const url = (db.$client as unknown as { options: { connectionString: string } }).options.connectionString;
    const table = openLeaseTable(url, { role: 'test', timeoutMs: 5_000, onError: () => {} });
    const row = async (id: string) => {
      const { rows } = await db.execute<{ seq: string; no: string }>(
        sql`SELECT applied_seq AS seq, renew_no AS no FROM node_lease WHERE node_id = ${id}`,
      );
      return { position: Number(rows[0]!.seq), renewNo: Number(rows[0]!.no) };
    };
    try {
      expect((await table.register('node_one')).nodes).toBe(1);
      const { position, server, nodes } = await table.register('node_two');
      expect(nodes).toBe(2);
      expect((await table.readLog('node_two', position, server)).renewed).toEqual({ nodes: 2 });
      expect(await row('node_two')).toEqual({ position, renewNo: 1 });
      expect((await table.readLog('node_two', position, 'another server')).renewed).toBeNull();
      expect((await table.readLog('node_gone', position, server)).renewed).toBeNull();
      await db.transaction((tx) => takePlaces(tx, [{ kind: 'key', id: 'key_revoked' }]));
      const behind = await table.readLog('node_two', position, server);
      expect(behind).toMatchObject({ head: position + 1, subjects: [{ id: 'key_revoked' }], renewed: null });
      expect(await row('node_two')).toEqual({ position, renewNo: 1 });
    } finally {
      await table.remove('node_one');
      await table.remove('node_two');
      await table.close();
    }
  });
});
