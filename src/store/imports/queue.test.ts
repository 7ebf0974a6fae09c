import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { givenOrganization } from '../../../test/factories.ts';
import { useDatabase } from '../../../test/use-database.ts';
import { newId } from '../../kernel/ids.ts';
import type { Db } from '../db.ts';
import { endUserImport } from '../schema/end-user-import.ts';
import { claimImport, finishImport } from './queue.ts';

let db: Db;
useDatabase((own) => {
  db = own;
});

test('only one file of an organization is read at a time, so that files of others are read too', async () => {
  const [many, one] = [await givenOrganization(db), await givenOrganization(db)];
  const row = { name: 'people.csv', bytes: 1, state: 'queued', createdBy: 'user_test' };
  const ids = [newId('import'), newId('import'), newId('import')] as const;
  for (const [at, orgId] of [many, many, one].entries())
    await db
      .insert(endUserImport)
      .values({ ...row, orgId, id: ids[at]!, dueAt: sql`now() - ${3 - at}::int * interval '1 minute'` });
  const next = async () => claimImport(db, newId('node'));
  const first = await next();
  expect([first?.id, (await next())?.id, await next()]).toEqual([ids[0], ids[2], null]);
  await finishImport(db, first!, null);
  expect((await next())?.id).toBe(ids[1]);
  // The lease of a worker that died is over.
  await db.execute(sql`UPDATE end_user_import SET due_at = now() WHERE id = ${ids[1]}`);
  expect((await next())?.id).toBe(ids[1]);
});
