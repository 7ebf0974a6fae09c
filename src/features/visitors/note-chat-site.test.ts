import { afterAll, beforeAll, expect, test } from 'vitest';
import { givenAgent, givenChannel, givenOrganization } from '../../../test/factories.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts';
import { listChatSites } from '../../store/channels/chat-sites.ts';
import { type Db, openDb } from '../../store/db.ts';
import { createChatSites } from './note-chat-site.ts';

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await createTestDatabase();
  db = openDb(database.url);
});
afterAll(() => db.$client.end());

const MINUTE = 60_000;

test('a channel records at most five refused origins, and each at most once a minute', async () => {
  const orgId = await givenOrganization(db);
  const { agentId } = await givenAgent(db, orgId);
  const id = await givenChannel(db, orgId, agentId, { kind: 'web_chat' });
  const stored = async () => (await listChatSites(db, orgId, id)).map(({ origin }) => origin).toSorted();
  let now = MINUTE;
  const note = createChatSites({ db }, () => now);
  const noted = (origins: (string | undefined)[]) => origins.forEach((origin) => note({ orgId, id }, origin, false));

  noted([
    undefined,
    'null',
    'file://',
    'https://a.example/page',
    'https://A.example',
    `https://${'a'.repeat(300)}.example`,
  ]);
  noted([1, 2, 3, 4, 5, 6, 7].map((n) => `https://s${n}.example`));
  const first = [1, 2, 3, 4, 5].map((n) => `https://s${n}.example`);
  await expect.poll(stored).toEqual(first);

  now += MINUTE;
  noted(['https://s9.example:8443']);
  await expect.poll(stored).toContain('https://s9.example:8443');
  await expect.poll(stored).toHaveLength(5);

  // A site that showed the chat is not displaced by invented ones.
  note({ orgId, id }, 'https://shop.example', true);
  const reached = async () => (await listChatSites(db, orgId, id)).filter(({ reachedAt }) => reachedAt !== null);
  await expect.poll(async () => (await reached()).map(({ origin }) => origin)).toEqual(['https://shop.example']);
  now += MINUTE;
  noted([11, 12, 13, 14, 15].map((n) => `https://s${n}.example`));
  await expect.poll(stored).toContain('https://s15.example');
  expect(await reached()).toHaveLength(1);
});
