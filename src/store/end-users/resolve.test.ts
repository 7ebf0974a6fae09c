import { expect, test, vi } from 'vitest';
import { givenOrganization } from '../../../test/factories.ts';
import { useDatabase } from '../../../test/use-database.ts';
import type { Db } from '../db.ts';
import { EndUserBook } from './resolve.ts';
import { setConsent } from './set-consent.ts';
import { tagPeople } from './tag.ts';
import { createEndUserQueue } from './upsert.ts';

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

const upsert = (orgId: string, id: string) =>
  createEndUserQueue(db).upsert({
    orgId,
    keyId: null,
    from: null,
    mode: 'upsert',
    people: [{ id, name: 'Asha' }],
    idempotency: null,
  });

// A batch that has read the person recognizes the change by this time. The clock shows the time of the read or less.
test.each<[string, (orgId: string, id: string) => Promise<unknown>]>([
  ['consent', (orgId, id) => setConsent(db, orgId, id, 'sms', 'opted_out', 'stop_word')],
  ['tags', (orgId, id) => tagPeople(db, orgId, { ids: [id], action: 'add', tag: 'vip' })],
  ['data', upsert],
])('a change of %s moves the time of the person forward, even if the clock did not move', async (kind, change) => {
  const orgId = await givenOrganization(db);
  const id = `enduser_${kind}`;
  const seen = new Date(Date.now() + 60_000);
  await db.$client.query('INSERT INTO end_user (org_id, id, updated_at) VALUES ($1, $2, $3)', [orgId, id, seen]);
  await change(orgId, id);
  const { rows } = await db.$client.query<{ updated_at: Date }>(
    'SELECT updated_at FROM end_user WHERE org_id = $1 AND id = $2',
    [orgId, id],
  );
  expect(rows[0]!.updated_at.getTime()).toBe(seen.getTime() + 1);
});
