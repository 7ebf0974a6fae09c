import { afterAll, beforeAll, expect, test } from 'vitest';
import { MAX_CONVERSATION_VIEWS } from '../../../contract/dashboard/conversation-views.ts';
import {
  addMember,
  type Client,
  type DashboardServer,
  setUpOwner,
  startDashboard,
} from '../../../test/dashboard-server.ts';

let server: DashboardServer;
let owner: Client;
let member: Awaited<ReturnType<typeof addMember>>;
let viewer: Client;
let orgId: string;
let at: string;

beforeAll(async () => {
  server = await startDashboard();
  const first = await setUpOwner(server);
  ({ orgId, call: owner } = first);
  at = `/organizations/${orgId}/conversations/views`;
  member = await addMember(server, owner, orgId, 'member');
  viewer = (await addMember(server, owner, orgId, 'viewer')).call;
});
afterAll(() => server.stop());

const save = (call: Client, name: string, shared: boolean) =>
  call(`POST ${at}`, { name, shared, filters: { view: 'mine', text: 'refund' } });
const namesOf = async (call: Client) =>
  (await call(`GET ${at}`)).body.data.map(({ name }: { name: string }) => name) as string[];

test("other members neither see nor delete a member's own view, but a shared view is visible to all", async () => {
  const own = await save(member.call, 'Own', false);
  expect(own).toMatchObject({ status: 201, body: { name: 'Own', shared: false, filters: { text: 'refund' } } });
  const shared = await save(owner, 'Shared', true);
  expect(await namesOf(member.call)).toEqual(['Own', 'Shared']);
  expect(await namesOf(owner)).toEqual(['Shared']);
  expect(await namesOf(viewer)).toEqual(['Shared']);
  expect(await owner(`DELETE ${at}/${own.body.id}`)).toMatchObject({ status: 404, body: { code: 'view_not_found' } });
  expect((await viewer(`DELETE ${at}/${shared.body.id}`)).status).toBe(403);
  expect((await member.call(`DELETE ${at}/${shared.body.id}`)).status).toBe(204);
  expect(await namesOf(member.call)).toEqual(['Own']);
  // Only what changes others' lists is told.
  const { body } = await owner(`GET /organizations/${orgId}/audit`);
  const actions = body.data
    .map(({ action }: { action: string }) => action)
    .filter((one: string) => one.includes('view'));
  expect(actions).toEqual(['conversation_view.deleted', 'conversation_view.created']);
});

test('the names of a member’s own views are unique, so are those of shared views, and both are limited', async () => {
  expect((await save(owner, 'Late', true)).status).toBe(201);
  expect(await save(owner, 'LATE', true)).toMatchObject({ status: 409, body: { code: 'already_exists' } });
  expect((await save(owner, 'Late', false)).status).toBe(201);
  for (let n = 1; n < MAX_CONVERSATION_VIEWS; n++) expect((await save(owner, `Own ${n}`, false)).status).toBe(201);
  expect((await save(owner, 'One more', false)).status).toBe(409);
  expect((await save(owner, 'One more', true)).status).toBe(201);
});

test('the views of a person who leaves are deleted', async () => {
  await save(member.call, 'Of a leaver', false);
  const { body } = await owner(`GET /organizations/${orgId}/members`);
  const { id } = body.data.find((one: { user_id: string }) => one.user_id === member.id);
  expect((await owner(`DELETE /organizations/${orgId}/members/${id}`)).status).toBe(204);
  const { rows } = await server.db.$client.query('SELECT name FROM conversation_view WHERE user_id = $1', [member.id]);
  expect(rows).toEqual([]);
});

test('no view stays if a person is removed while they save it', async () => {
  const going = await addMember(server, owner, orgId, 'member');
  const locking = await server.db.$client.connect();
  await locking.query('BEGIN');
  // As a removal that is not committed yet.
  await locking.query('SELECT 1 FROM organization WHERE id = $1 FOR NO KEY UPDATE', [orgId]);
  const saved = save(going.call, 'Too late', false);
  const waits = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
  await expect.poll(async () => (await server.db.$client.query(waits)).rows.length).toBeGreaterThan(0);
  await locking.query('DELETE FROM member WHERE organization_id = $1 AND user_id = $2', [orgId, going.id]);
  await locking.query('COMMIT');
  locking.release();
  expect(await saved).toMatchObject({ status: 404, body: { code: 'organization_not_found' } });
  const { rows } = await server.db.$client.query('SELECT name FROM conversation_view WHERE user_id = $1', [going.id]);
  expect(rows).toEqual([]);
});
