import { expect, test } from 'vitest';
import { MAX_OPEN_ADDITIONS } from '../../../contract/dashboard/additions.ts';
import { givenAgent, givenOrganization } from '../../../test/factories.ts';
import { useDatabase } from '../../../test/use-database.ts';
import { newId } from '../../kernel/ids.ts';
import { eraseAdditions } from '../../store/campaigns/addition-queue.ts';
import { countOpenAdditions } from '../../store/campaigns/additions.ts';
import type { Db } from '../../store/db.ts';
import { campaign } from '../../store/schema/campaign.ts';
import { startAddition } from './start-addition.ts';

let db: Db;
useDatabase((own) => {
  db = own;
});

test('an organization can add only a few audiences at the same time, even if many start at once', async () => {
  const orgId = await givenOrganization(db);
  const place = await givenAgent(db, orgId);
  const ids = Array.from({ length: MAX_OPEN_ADDITIONS + 10 }, () => newId('campaign'));
  await db.insert(campaign).values(ids.map((id) => ({ ...place, orgId, id, name: id, state: 'live' })));
  const deps = { db, wake: { additions: () => {} } };
  const actor = { userId: 'user_test', address: null, requestId: null };
  const started = await Promise.allSettled(ids.map((id) => startAddition(deps, orgId, id, { filter: {} }, actor)));
  expect(started.filter(({ status }) => status === 'fulfilled')).toHaveLength(MAX_OPEN_ADDITIONS);
  expect(await countOpenAdditions(db, orgId)).toBe(MAX_OPEN_ADDITIONS);
});

test.each([
  ['crm/42', String.raw`crm\/42`],
  ['café', String.raw`caf\u00e9`],
  ['crm "42"', String.raw`crm \"42\"`],
])('the erasure of a person with the ID %s stops an addition with this person', async (id, written) => {
  const orgId = await givenOrganization(db);
  const place = await givenAgent(db, orgId);
  const campaignId = newId('campaign');
  await db.insert(campaign).values({ ...place, orgId, id: campaignId, name: 'Spring', state: 'live' });
  const file = `{"end_user":{"external_id":"${written}"}}`;
  const actor = { userId: 'user_test', address: null, requestId: null };
  await startAddition({ db, wake: { additions: () => {} } }, orgId, campaignId, { file }, actor);
  await eraseAdditions(db, orgId, ['crm/43']);
  expect(await countOpenAdditions(db, orgId)).toBe(1);
  await eraseAdditions(db, orgId, [id]);
  expect(await countOpenAdditions(db, orgId)).toBe(0);
});
