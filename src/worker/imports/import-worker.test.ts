import { sql } from 'drizzle-orm';
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { givenOrganization } from '../../../test/factories.ts';
import { useDatabase } from '../../../test/use-database.ts';
import { cancelImport } from '../../features/imports/run-import.ts';
import { newId } from '../../kernel/ids.ts';
import type { Db } from '../../store/db.ts';
import { createEndUserQueue } from '../../store/end-users/upsert.ts';
import { createIdempotencyGuard } from '../../store/idempotency/guard.ts';
import { queueImport } from '../../store/imports/read.ts';
import { endUser } from '../../store/schema/end-user.ts';
import type { PagedLoop } from '../paged-loop.ts';
import { createImportWorker, type ImportWorkerDeps } from './import-worker.ts';

let db: Db;
let worker: PagedLoop | undefined;

useDatabase((made) => (db = made));
afterEach(() => worker?.stop());

/** A database in which this function runs before the worker reads the second piece of a file. */
function beforeSecondPiece(run: () => Promise<unknown>): Db {
  let pieces = 0;
  const select = ((fields: Parameters<Db['select']>[0] & object) => {
    const chosen = db.select(fields);
    if (!('bytes' in fields) || ++pieces !== 2) return chosen;
    type From = ReturnType<typeof chosen.from>;
    return {
      from: (table: Parameters<typeof chosen.from>[0]) => ({
        where: async (...condition: Parameters<From['where']>) => {
          await run();
          return chosen.from(table).where(...condition);
        },
      }),
    };
  }) as unknown as Db['select'];
  return new Proxy(db, { get: (target, name) => (name === 'select' ? select : Reflect.get(target, name)) });
}

const ACTOR = { userId: 'user_test', address: null, requestId: null };

async function givenImport(orgId: string, ...pieces: string[]): Promise<string> {
  const id = newId('import');
  await db.execute(sql`INSERT INTO end_user_import (org_id, id, name, bytes, created_by, state)
    VALUES (${orgId}, ${id}, 'people.csv', 22, 'user_test', 'uploading')`);
  for (const [n, bytes] of pieces.entries())
    await db.execute(sql`INSERT INTO end_user_import_piece (org_id, import_id, n, bytes)
      VALUES (${orgId}, ${id}, ${n}, ${Buffer.from(bytes)})`);
  const settings = { columns: ['external_id' as const], delimiter: ',' as const, encoding: 'utf-8' as const };
  await queueImport(db, orgId, id, { settings, dryRun: false });
  return id;
}

function startWorker(more: Partial<ImportWorkerDeps>): PagedLoop {
  worker = createImportWorker({
    db,
    endUserQueue: createEndUserQueue(db),
    guard: createIdempotencyGuard(),
    suppression: Object.assign(() => [], { generation: 0 }),
    log: pino({ level: 'silent' }),
    check: () => {},
    ...more,
  });
  worker.start();
  return worker;
}

test.each(['while its file is read', 'before its rows are written'])(
  'an import that is cancelled %s imports no one',
  async (when) => {
    const orgId = await givenOrganization(db);
    const id = await givenImport(orgId, 'external_id\nfirst\nsec', 'ond\n');
    const cancelled = Promise.withResolvers<void>();
    const cancel = async (): Promise<void> => {
      await cancelImport({ db }, orgId, id, ACTOR);
      cancelled.resolve();
    };
    const started = startWorker(
      when === 'while its file is read'
        ? { db: beforeSecondPiece(cancel) }
        : { guard: async (_call, work) => cancel().then(work) },
    );
    await cancelled.promise;
    // It ends its work before it stops.
    await started.stop();
    const { rows } = await db.execute(sql`SELECT external_id FROM end_user WHERE org_id = ${orgId}`);
    expect(rows).toEqual([]);
  },
);

test('after a cancel, an import whose rows are being written imports no one', async () => {
  const orgId = await givenOrganization(db);
  const id = await givenImport(orgId, 'external_id\nfirst\n');
  let started: PagedLoop | undefined;
  const cancelled = db.transaction(async (tx) => {
    // The statement of the import waits for this person.
    await tx.insert(endUser).values({ orgId, id: newId('enduser'), externalId: 'first' });
    started = startWorker({});
    const waits = sql`SELECT 1 FROM pg_stat_activity WHERE wait_event = 'transactionid' AND datname = current_database()`;
    await expect.poll(async () => (await db.execute(waits)).rowCount, { timeout: 20_000 }).toBe(1);
    await cancelImport({ db }, orgId, id, ACTOR);
    tx.rollback();
  });
  await expect(cancelled).rejects.toThrow('Rollback');
  await started!.stop();
  const { rows } = await db.execute(sql`SELECT external_id FROM end_user WHERE org_id = ${orgId}`);
  expect(rows).toEqual([]);
});
