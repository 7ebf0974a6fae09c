import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from 'drizzle-orm';
import {
  addMember,
  type Client,
  type DashboardServer,
  setUpOwner,
  startDashboard,
} from '../../../test/dashboard-server.ts';
import { givenAgent, givenChannel, givenConversation } from '../../../test/factories.ts';
import { newId } from '../../kernel/ids.ts';
import { MAX_SAVED_REPLIES } from '../../../contract/dashboard/saved-replies.ts';

let server: DashboardServer;
let call: Client;
let member: Client;
let viewer: Client;
let orgId: string;
let at: string;
let conversationId: string;
let endUserId: string;

beforeAll(async () => {
  server = await startDashboard();
  const owner = await setUpOwner(server);
  ({ orgId } = owner);
  call = owner.call;
  at = `/organizations/${orgId}`;
  member = (await addMember(server, call, orgId, 'member')).call;
  viewer = (await addMember(server, call, orgId, 'viewer')).call;
  const { agentId } = await givenAgent(server.db, orgId);
  const channelId = await givenChannel(server.db, orgId, agentId, { kind: 'sandbox' });
  conversationId = (await givenConversation(server.db, orgId, channelId, { status: 'open' })).id;
  endUserId = (await call(`GET ${at}/conversations/${conversationId}`)).body.end_user.id;
});
beforeEach(async () => {
  await server.db.execute(sql`DELETE FROM saved_reply`);
});
afterAll(() => server.stop());

const GREETING = { name: 'Greeting', shortcut: 'hi', text: { default: 'Hello {{name|there}}.' } };
const save = async (more: object = {}) => {
  const { status, body } = await call(`POST ${at}/saved-replies`, { ...GREETING, ...more });
  expect([status, body.code]).toEqual([201, undefined]);
  return body;
};
const fill = async (text: Record<string, string>, of: { name?: string | null; locale?: string | null } = {}) => {
  const { id } = await save({ text, shortcut: crypto.randomUUID().slice(0, 30) });
  await server.db.execute(
    sql`UPDATE end_user SET name = ${of.name ?? null}, locale = ${of.locale ?? null},
      attributes = '{"plan": "gold"}' WHERE id = ${endUserId}`,
  );
  await server.db.execute(sql`UPDATE conversation SET locale = NULL WHERE id = ${conversationId}`);
  return (await call(`GET ${at}/conversations/${conversationId}/saved-replies/${id}`)).body;
};

test('members save, change and delete replies; viewers only read them', async () => {
  const made = await member(`POST ${at}/saved-replies`, GREETING);
  expect(made.body).toMatchObject(GREETING);
  const { id } = made.body;
  const [listed] = (await viewer(`GET ${at}/saved-replies`)).body.data;
  expect(listed).toMatchObject({ id, name: 'Greeting', shortcut: 'hi', languages: ['default'] });
  expect(listed.preview).toBe('Hello {{name|there}}.');
  expect((await viewer(`GET ${at}/saved-replies/${id}`)).body).toEqual(made.body);
  for (const change of [
    `POST ${at}/saved-replies`,
    `PATCH ${at}/saved-replies/${id}`,
    `DELETE ${at}/saved-replies/${id}`,
  ])
    expect((await viewer(change, change.startsWith('D') ? undefined : GREETING)).body.code).toBe('role_missing');
  const changed = await member(`PATCH ${at}/saved-replies/${id}`, { name: 'Welcome' });
  expect(changed.body).toMatchObject({ ...GREETING, name: 'Welcome' });
  expect((await member(`DELETE ${at}/saved-replies/${id}`)).status).toBe(204);
  expect((await member(`DELETE ${at}/saved-replies/${id}`)).body.code).toBe('saved_reply_not_found');
  const { body } = await call(`GET ${at}/audit`);
  expect(body.data.slice(0, 3).map(({ action }: { action: string }) => action)).toEqual([
    'saved_reply.deleted',
    'saved_reply.updated',
    'saved_reply.created',
  ]);
});

test('a shortcut is unique, whatever the case of its letters', async () => {
  await save();
  const other = await save({ shortcut: 'bye' });
  const again = await call(`POST ${at}/saved-replies`, { ...GREETING, shortcut: 'HI' });
  expect([again.status, again.body.code]).toEqual([409, 'already_exists']);
  const moved = await call(`PATCH ${at}/saved-replies/${other.id}`, { shortcut: 'Hi' });
  expect([moved.status, moved.body.code]).toEqual([409, 'already_exists']);
  expect((await call(`PATCH ${at}/saved-replies/${other.id}`, { shortcut: 'BYE' })).body.shortcut).toBe('BYE');
  const both = await Promise.all(
    [1, 2].map(() => call(`POST ${at}/saved-replies`, { ...GREETING, shortcut: 'at-once' })),
  );
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409]);
});

test('an organization has a maximum number of saved replies, even if two are saved at once', async () => {
  await server.db.execute(sql`INSERT INTO saved_reply (org_id, id, name, shortcut, text)
    SELECT ${orgId}, 'sreply_' || n, 'N', 's' || n, '{"default": "x"}' FROM generate_series(2, ${MAX_SAVED_REPLIES}::int) n`);
  const both = await Promise.all(
    ['a', 'b'].map((shortcut) => call(`POST ${at}/saved-replies`, { ...GREETING, shortcut })),
  );
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409]);
});

test('an invalid template is refused, and the fault names its language', async () => {
  const { status, body } = await call(`POST ${at}/saved-replies`, { ...GREETING, text: { en: 'Hi', ar: 'Hi {{name' } });
  expect([status, body.errors[0].pointer]).toEqual([422, '/text/ar']);
  for (const text of [{}, { en: ' ' }, { EN: 'x' }, { en: 'x'.repeat(4_001) }])
    expect((await call(`POST ${at}/saved-replies`, { ...GREETING, text })).status, JSON.stringify(text)).toBe(422);
  for (const shortcut of ['two words', '/hi', ''])
    expect((await call(`POST ${at}/saved-replies`, { ...GREETING, shortcut })).status, shortcut).toBe(422);
});

test('a saved reply is written in the language of the person, with their values and the name of the member', async () => {
  const text = { default: 'Hello {{name}}, {{end_user.plan}}. {{member.name}}', ar: 'مرحبًا {{name}}' };
  const { name } = (await call('GET /session')).body.user;
  expect(await fill(text, { name: 'Noor' })).toEqual({ text: `Hello Noor, gold. ${name}`, missing: [] });
  expect(await fill(text, { name: 'Noor', locale: 'ar-QA' })).toEqual({ text: 'مرحبًا Noor', missing: [] });
  expect(await fill(text, { name: 'Noor', locale: 'fr' })).toMatchObject({ text: `Hello Noor, gold. ${name}` });
});

test('a variable without a value becomes its fallback, or stays in the text and is reported', async () => {
  expect(await fill({ default: 'Hello {{name|there}}' })).toEqual({ text: 'Hello there', missing: [] });
  expect(await fill({ default: 'Hello {{ name }}, {{end_user.order}} {{end_user.plan}}' })).toEqual({
    text: 'Hello {{name}}, {{end_user.order}} gold',
    missing: ['name', 'end_user.order'],
  });
});

test('saved replies of another organization are not found', async () => {
  const { id } = await save();
  const other = (await call('POST /organizations', { name: 'Other' })).body.id;
  const there = `/organizations/${other}`;
  expect((await call(`GET ${there}/saved-replies`)).body.data).toEqual([]);
  for (const path of [`GET ${there}/saved-replies/${id}`, `DELETE ${there}/saved-replies/${id}`])
    expect((await call(path)).body.code).toBe('saved_reply_not_found');
  const filled = await call(`GET ${there}/conversations/${conversationId}/saved-replies/${id}`);
  expect(filled.body.code).toBe('conversation_not_found');
});

test('the actions of a saved reply are stored, and a member who leaves is removed from them', async () => {
  const someone = await addMember(server, call, orgId, 'member');
  const { user } = (await someone.call('GET /session')).body;
  const actions = { add_tags: ['vip'], assign_to: user.id, resolve: true };
  const { id } = await save({ actions });
  const listed = async () => (await call(`GET ${at}/saved-replies`)).body.data[0].actions;
  expect(await listed()).toEqual(actions);
  const unknown = await call(`PATCH ${at}/saved-replies/${id}`, { actions: { assign_to: newId('user') } });
  expect([unknown.status, unknown.body.errors[0].pointer]).toEqual([422, '/actions/assign_to']);
  const { data } = (await call(`GET ${at}/members`)).body;
  const { id: memberId } = data.find(({ user_id }: { user_id: string }) => user_id === user.id);
  await call(`DELETE ${at}/members/${memberId}`);
  expect(await listed()).toEqual({ add_tags: ['vip'], resolve: true });
  await call(`PATCH ${at}/saved-replies/${id}`, { actions: {} });
  expect(await listed()).toEqual({});
});
