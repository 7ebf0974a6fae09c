import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { givenAgent, givenChannel, givenConversation, givenOrganization } from '../../../test/factories.ts';
import type { ChangeConversationsBody } from '../../../contract/dashboard/conversations.ts';
import { changeConversations } from './change-conversations.ts';

const asha = { userId: 'user_asha', address: null, requestId: null };

let parley: TestApp;
let orgId: string;
let made: (status: string) => Promise<string>;

beforeAll(async () => {
  parley = await startTestApp();
});
beforeEach(async () => {
  orgId = await givenOrganization(parley.db);
  const { agentId } = await givenAgent(parley.db, orgId);
  const channelId = await givenChannel(parley.db, orgId, agentId, { kind: 'sandbox' });
  made = async (status) => (await givenConversation(parley.db, orgId, channelId, { status })).id;
});
afterAll(() => parley.stop());

const change = async (ids: string[], action: ChangeConversationsBody['action'], of = orgId) =>
  (await changeConversations({ db: parley.db, now: Date.now }, of, { ids, action }, asha)).results;
const statusOf = async (ids: string[]) => {
  const { rows } = await parley.db.$client.query(
    'SELECT status, snoozed_until IS NOT NULL AS snoozed FROM conversation WHERE id = ANY ($1) ORDER BY id',
    [ids],
  );
  return rows.map(({ status, snoozed }) => (snoozed ? 'snoozed' : status));
};
const done = (id: string) => ({ id, done: true, code: null });

test('several conversations can be resolved, handed back or snoozed at once, each with its own outcome', async () => {
  const ids = [await made('handed_off'), await made('open'), await made('handed_off')];
  const [first, withAgent, last] = ids as [string, string, string];
  const until = new Date(Date.now() + 3_600_000).toISOString();
  expect(await change(ids, { type: 'snooze', until })).toEqual([
    done(first),
    { id: withAgent, done: false, code: 'validation_failed' },
    done(last),
  ]);
  expect(await statusOf(ids)).toEqual(['snoozed', 'open', 'snoozed']);
  expect(await change([first], { type: 'hand_back' })).toEqual([done(first)]);
  expect(await statusOf(ids)).toEqual(['open', 'open', 'snoozed']);
  expect(await change(ids, { type: 'resolve' })).toEqual(ids.map(done));
  expect(await statusOf(ids)).toEqual(['resolved', 'resolved', 'resolved']);
  const { rows } = await parley.db.$client.query(
    "SELECT count(*)::int AS many FROM audit WHERE org_id = $1 AND action = 'conversation.resolved'",
    [orgId],
  );
  expect(rows).toEqual([{ many: 3 }]);
});

test('conversations of another organization are not found', async () => {
  const id = await made('handed_off');
  const others = await givenOrganization(parley.db);
  expect(await change([id], { type: 'resolve' }, others)).toEqual([
    { id, done: false, code: 'conversation_not_found' },
  ]);
  expect(await statusOf([id])).toEqual(['handed_off']);
});

test('a member without the right to answer can change none of the selected conversations', async () => {
  const ids = [await made('handed_off'), await made('open')];
  const refused = ids.map((id) => ({ id, done: false, code: 'validation_failed' }));
  expect(await change(ids, { type: 'assign', user_id: 'user_stranger' })).toEqual(refused);
  expect(await change(ids, { type: 'assign', user_id: null })).toEqual(ids.map(done));
});
