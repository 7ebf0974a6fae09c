import { expect, test } from 'vitest';
import { givenOrganization } from '../../../test/factories.ts';
import { useDatabase } from '../../../test/use-database.ts';
import { eraseEndUser } from '../../features/end-users/erase-end-user.ts';
import type { Db } from '../db.ts';
import { createSuppression } from '../end-users/suppression.ts';
import { scrubInPages } from './erase.ts';

let db: Db;
useDatabase((own) => {
  db = own;
});

const PERSON = 'enduser_erased';

async function givenAnswers(orgId: string, ids: readonly string[], age: string): Promise<void> {
  for (const [n, id] of ids.entries())
    await db.$client.query(
      `INSERT INTO idempotency (org_id, scope, request, status, body, created_at)
       VALUES ($1, $2, '', 202, $3, now() - $4::interval)`,
      [orgId, Buffer.from(`${age} ${n}`), JSON.stringify({ id: `run_${n}`, end_user_id: id }), age],
    );
}

async function peopleOf(orgId: string): Promise<string[]> {
  const { rows } = await db.$client.query<{ body: string }>(
    'SELECT body FROM idempotency WHERE org_id = $1 ORDER BY scope',
    [orgId],
  );
  return rows.map(({ body }) => {
    const { erased, end_user_id: id } = JSON.parse(body) as { erased?: true; end_user_id?: string };
    return erased ? 'erased' : id!;
  });
}

test.each([1, 2, 5, 100])('a person is removed from stored responses in pages of %i', async (size) => {
  const orgId = await givenOrganization(db);
  await givenAnswers(orgId, [PERSON, 'a', 'b', PERSON, PERSON], '1 hour');
  await scrubInPages(db, orgId, { endUserId: PERSON, recipientIds: [], approvalIds: [] }, size);
  expect(await peopleOf(orgId)).toEqual(['erased', 'a', 'b', 'erased', 'erased']);
});

test('stored responses lose the person before the transaction of the erasure, which can be repeated', async () => {
  const orgId = await givenOrganization(db);
  await db.$client.query(`INSERT INTO end_user (org_id, id, external_id) VALUES ($1, $2, 'crm-1')`, [orgId, PERSON]);
  await givenAnswers(orgId, [PERSON, 'a'], '1 hour');
  const works = createSuppression(Buffer.alloc(32));
  const fails = Object.assign((): never => {
    throw new Error('the process ends');
  }, works);
  const erase = (suppression: typeof works) =>
    eraseEndUser({ db, suppression }, { orgId, keyId: null, from: null }, PERSON);
  await expect(erase(fails)).rejects.toThrow('the process ends');
  expect(await peopleOf(orgId)).toEqual(['erased', 'a']);
  await givenAnswers(orgId, [PERSON, 'a'], '1 minute');
  await erase(works);
  expect(await peopleOf(orgId)).toEqual(['erased', 'a', 'erased', 'a']);
  await expect(erase(works)).rejects.toMatchObject({ code: 'end_user_not_found' });
});
