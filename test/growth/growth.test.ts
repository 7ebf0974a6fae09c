import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../app.ts';
import { givenOrganization } from '../factories.ts';
import { rowsRead } from '../rows-read.ts';
import { call, type Caller, type GrowthCall, growthCalls, signIn } from './calls.ts';
import { fill, OWNER, prepareGrowth } from './insert-rows.ts';

/**
 * No list, search or count may read all rows of an organization. The proof is the number of rows and index entries that
 * PostgreSQL reads. A plan is no proof, because it can use an index and still read all of it. A call may read as many
 * rows as the largest limit in the code allows (20,000 people, src/store/end-users/search.ts). The organization has
 * more. `npm run bench -- growth` measures the same calls with a million.
 */
const ROWS = 30_000;
const MOST_READ = 24_000;

let parley: TestApp;
let caller: Caller;
let calls: GrowthCall[];

beforeAll(async () => {
  parley = await startTestApp({}, { role: 'api' });
  const { db, url } = parley;
  const orgId = await givenOrganization(db);
  const { id, value: key } = await parley.key(orgId, { permissions: ['triggers', 'channels', 'end_users'] });
  const grown = await prepareGrowth(db, orgId, id);
  const { campaignId } = grown;
  const campaign = await parley.key(orgId, { scope: 'campaign', campaignId, permissions: ['campaigns'] });
  await fill(db, grown, 0, ROWS);
  calls = await growthCalls(db, grown);
  caller = { origin: url, key, campaignKey: campaign.value, cookie: await signIn(url, OWNER) };
});
afterAll(() => parley.stop());

test('no list, search or count reads all rows of an organization', async () => {
  const wide: object[] = [];
  for (const one of calls) {
    // The first requests count each completed day, for three seconds each. The server stores these counts.
    while (one.name.startsWith('readStatistics') && !(await isComplete(one)));
    let status = 0;
    const readWide = async () => {
      const read = await rowsRead(parley.db, async () => {
        ({ status } = await call(caller, one));
      });
      return Object.entries(read).filter(([, rows]) => rows > MOST_READ);
    };
    let tables = await readWide();
    // The count of today is repeated once a minute, perhaps just now.
    if (one.name.startsWith('readStatistics') && tables.length > 0) tables = await readWide();
    if (status !== 200 || tables.length > 0) wide.push({ name: one.name, status, tables: Object.fromEntries(tables) });
  }
  expect(wide).toEqual([]);
});

async function isComplete(one: GrowthCall): Promise<boolean> {
  const { text } = await call(caller, one);
  return (JSON.parse(text) as { complete: boolean }).complete;
}
