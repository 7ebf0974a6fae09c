import { sql } from 'drizzle-orm';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { MAX_PRESENT } from '../../../contract/dashboard/conversations.ts';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { givenAgent, givenChannel, givenConversation, givenOrganization } from '../../../test/factories.ts';
import { deriveKey } from '../../kernel/seal.ts';
import { forgetPresenceOf } from '../../store/conversations/presence.ts';
import { readFingerprints } from '../../store/organizations/fingerprints.ts';
import { createHousekeeper } from '../../worker/housekeeper.ts';
import { listPresence, setPresence } from './presence.ts';

const asha = { userId: 'user_asha', role: 'member' } as const;
const omar = { userId: 'user_omar', role: 'member' } as const;
const vi = { userId: 'user_vi', role: 'viewer' } as const;

let one: TestApp;
/** Another node, on the same database. */
let two: TestApp;
let orgId: string;
let id: string;

beforeAll(async () => {
  one = await startTestApp();
  two = await startTestApp({ PARLEY_SECRET: one.config.secret }, { database: one.database });
});
beforeEach(async () => {
  orgId = await givenOrganization(one.db);
  const { agentId } = await givenAgent(one.db, orgId);
  const channelId = await givenChannel(one.db, orgId, agentId, { kind: 'sandbox' });
  ({ id } = await givenConversation(one.db, orgId, channelId, { status: 'open' }));
});
afterAll(async () => {
  await two?.stop();
  await one?.stop();
});

const seenBy = (who: { userId: string }, at = two) => listPresence(at, orgId, id, who.userId);
const rows = async () =>
  (await one.db.execute(sql`SELECT user_id, xmin::text FROM conversation_presence WHERE org_id = ${orgId}`)).rows;
const pass = (seconds: number) =>
  one.db.execute(sql`UPDATE conversation_presence SET here_until = here_until - ${seconds}::int * interval '1 second',
    typing_until = typing_until - ${seconds}::int * interval '1 second' WHERE org_id = ${orgId}`);
const print = async () => (await readFingerprints(two.db, [{ orgId, kind: 'presence', id }]))[0];

test('members at another node see who has a conversation open, who is typing, and who has left', async () => {
  await setPresence(one, orgId, id, { presence: 'here' }, asha);
  await setPresence(one, orgId, id, { presence: 'typing' }, omar);
  expect(await seenBy(asha)).toEqual([{ user_id: omar.userId, typing: true, draft: null }]);
  expect(await seenBy(omar)).toEqual([{ user_id: asha.userId, typing: false, draft: null }]);
  expect(await seenBy(vi)).toHaveLength(2);
  // A beat while one writes ends nothing; an empty field does.
  await setPresence(one, orgId, id, { presence: 'here' }, omar);
  expect(await seenBy(asha)).toEqual([{ user_id: omar.userId, typing: true, draft: null }]);
  await setPresence(one, orgId, id, { presence: 'still' }, omar);
  expect(await seenBy(asha)).toEqual([{ user_id: omar.userId, typing: false, draft: null }]);
  await setPresence(one, orgId, id, { presence: 'gone' }, omar);
  expect(await seenBy(asha)).toEqual([]);
});

test('presence ends without a new report: open windows are notified, and no row stays', async () => {
  const none = await print();
  await setPresence(one, orgId, id, { presence: 'typing' }, asha);
  const typing = await print();
  await pass(7);
  const here = await print();
  expect(await seenBy(omar)).toEqual([{ user_id: asha.userId, typing: false, draft: null }]);
  await pass(40);
  expect(await seenBy(omar)).toEqual([]);
  expect(await print()).toBe(none);
  expect(new Set([none, typing, here]).size).toBe(3);
  await setPresence(one, orgId, id, { presence: 'here' }, omar);
  const log = pino({ level: 'silent' });
  const setupKey = deriveKey('a secret', 'setup');
  await createHousekeeper({ db: one.db, log, queueMail: null, setupKey, baseUrl: one.url }).tidy();
  expect(await rows()).toMatchObject([{ user_id: omar.userId }]);
});

test('repeated reports of the same presence are written only at intervals', async () => {
  await setPresence(one, orgId, id, { presence: 'typing' }, asha);
  const [before] = await rows();
  for (let n = 0; n < 5; n++) await setPresence(one, orgId, id, { presence: n % 2 ? 'here' : 'typing' }, asha);
  expect(await rows()).toEqual([before]);
  await pass(11);
  const [old] = await rows();
  await setPresence(one, orgId, id, { presence: 'here' }, asha);
  expect((await rows())[0]).not.toEqual(old);
});

test('typing of a viewer is not reported, because a viewer cannot answer', async () => {
  await setPresence(one, orgId, id, { presence: 'typing' }, vi);
  expect(await seenBy(asha)).toEqual([{ user_id: vi.userId, typing: false, draft: null }]);
});

test('another organization neither sees nor writes presence', async () => {
  await setPresence(one, orgId, id, { presence: 'here' }, asha);
  const other = await givenOrganization(one.db);
  const foreign = { code: 'conversation_not_found' };
  for (const presence of ['here', 'typing', 'still', 'gone'] as const)
    await expect(setPresence(one, other, id, { presence }, omar)).rejects.toMatchObject(foreign);
  await expect(listPresence(one, other, id, omar.userId)).rejects.toMatchObject(foreign);
  expect(await readFingerprints(one.db, [{ orgId: other, kind: 'presence', id }])).toEqual([null]);
  expect(await rows()).toMatchObject([{ user_id: asha.userId }]);
});

test('presence is deleted with the conversation and the member, and its list has a maximum length', async () => {
  await setPresence(one, orgId, id, { presence: 'here' }, asha);
  await setPresence(one, orgId, id, { presence: 'here' }, omar);
  await forgetPresenceOf(one.db, orgId, omar.userId);
  expect(await rows()).toMatchObject([{ user_id: asha.userId }]);
  for (let n = 0; n < MAX_PRESENT + 3; n++)
    await setPresence(one, orgId, id, { presence: 'here' }, { userId: `user_${n}`, role: 'member' });
  expect(await seenBy(vi)).toHaveLength(MAX_PRESENT);
  await one.db.execute(sql`DELETE FROM conversation WHERE org_id = ${orgId} AND id = ${id}`);
  expect(await rows()).toEqual([]);
});

test('other members see an unsent reply only while its author types', async () => {
  const drafts = async () => (await listPresence(one, orgId, id, asha.userId)).map(({ draft }) => draft);
  await setPresence(one, orgId, id, { presence: 'typing', draft: 'Your order' }, omar);
  const before = (await readFingerprints(one.db, [{ orgId, kind: 'presence', id }]))[0];
  expect(await drafts()).toEqual(['Your order']);
  await setPresence(one, orgId, id, { presence: 'typing', draft: 'Your order is here' }, omar);
  expect((await readFingerprints(one.db, [{ orgId, kind: 'presence', id }]))[0]).not.toBe(before);
  await setPresence(one, orgId, id, { presence: 'here' }, omar);
  expect(await drafts()).toEqual(['Your order is here']);
  await setPresence(one, orgId, id, { presence: 'still' }, omar);
  expect(await drafts()).toEqual([null]);
});
