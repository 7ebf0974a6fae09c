import { expect, test, vi } from 'vitest';
import { givenOrganization } from '../../../test/factories.ts';
import { useDatabase } from '../../../test/use-database.ts';
import type { Db } from '../db.ts';
import { EndUserBook } from './resolve.ts';

let db: Db;

useDatabase((own) => {
  db = own;
});

test('the row of a person is read once, however many calls of a batch refer to them', async () => {
  const orgId = await givenOrganization(db);
  await db.$client.query(
    `INSERT INTO end_user (org_id, id, external_id, email) VALUES ($1, 'enduser_a', 'crm-42', 'asha@example.com')`,
    [orgId],
  );
  const endUser = { external_id: 'crm-42', email: 'Asha@Example.com' };
  const query = vi.spyOn(db.$client, 'query');
  const book = await EndUserBook.read(
    db.$client,
    Array.from({ length: 1_000 }, () => ({ orgId, endUser })),
  );
  const found = (await query.mock.results[0]!.value) as unknown as { rows: unknown[] };
  expect(query).toHaveBeenCalledTimes(1);
  // By its external id and by its address.
  expect(found.rows).toHaveLength(2);
  expect(book.take(orgId, endUser)).toMatchObject({ row: { id: 'enduser_a' } });
});
