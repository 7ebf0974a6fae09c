import { expect, test } from 'vitest';
import { MAX_OPEN_PUSHES } from '../../../contract/dashboard/additions.ts';
import { givenAgent, givenOrganization } from '../../../test/factories.ts';
import { useDatabase } from '../../../test/use-database.ts';
import { newId } from '../../kernel/ids.ts';
import { countOpenPushes } from '../../store/campaigns/pushes.ts';
import type { Db } from '../../store/db.ts';
import { campaign } from '../../store/schema/campaign.ts';
import { startPush } from './start-push.ts';

let db: Db;
useDatabase((own) => {
  db = own;
});

test('an organization has a maximum number of audiences in progress, even if many start at once', async () => {
  const orgId = await givenOrganization(db);
  const place = await givenAgent(db, orgId);
  const ids = Array.from({ length: MAX_OPEN_PUSHES + 10 }, () => newId('campaign'));
  await db.insert(campaign).values(ids.map((id) => ({ ...place, orgId, id, name: id, state: 'live' })));
  const deps = { db, wake: { pushes: () => {} } };
  const actor = { userId: 'user_test', address: null, requestId: null };
  const started = await Promise.allSettled(ids.map((id) => startPush(deps, orgId, id, { filter: {} }, actor)));
  expect(started.filter(({ status }) => status === 'fulfilled')).toHaveLength(MAX_OPEN_PUSHES);
  expect(await countOpenPushes(db, orgId)).toBe(MAX_OPEN_PUSHES);
});
