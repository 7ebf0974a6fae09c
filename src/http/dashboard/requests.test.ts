import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { givenAgent, givenTrigger } from '../../../test/factories.ts';
import { prepareInstallation } from '../../../test/prepare-installation.ts';
import { newId } from '../../kernel/ids.ts';
import { requestLog } from '../../store/schema/usage.ts';
import { createRequestTrimmer } from '../../store/usage/usage.ts';

let app: TestApp;
let cookie: string;
let orgId: string;
let otherOrgId: string;
let agentId: string;
let triggerId: string;
let key: { id: string; value: string };

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into it freely
async function api(call: string, body?: unknown): Promise<any> {
  const [method, path] = call.split(' ') as [string, string];
  const headers: Record<string, string> = cookie ? { cookie } : {};
  const answer = await app.call(method, `/dashboard/api${path}`, { ...(body !== undefined && { body }), headers });
  cookie ||= answer.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0]!)
    .join('; ');
  return answer.body;
}

const list = async (query = '', org = orgId): Promise<{ data: Listed[]; next_cursor: string | null }> =>
  api(`GET /organizations/${org}/requests?${query}`);
type Listed = {
  id: string;
  key_id: string;
  route: string;
  method: string;
  status: number;
  code: string | null;
  ids: object;
  created_at: string;
};

/** Makes calls with the key; returns the log once it has that many more entries. */
async function called(...calls: [string, string, unknown?][]): Promise<Listed[]> {
  const { value } = (key = await app.key(orgId, { permissions: ['triggers', 'end_users'] }));
  for (const [method, path, body] of calls) await app.call(method, path, { key: value, body });
  return vi.waitFor(
    async () => {
      const { data } = await list(`key_id=${key.id}`);
      expect(data).toHaveLength(calls.length);
      return data.toReversed();
    },
    { timeout: 20_000, interval: 100 },
  );
}

beforeAll(async () => {
  app = await startTestApp();
  const { setupUrl } = await prepareInstallation({
    db: app.db,
    sessions: app.app.sessions,
    setupKey: app.secrets.setupKey,
    baseUrl: app.url,
    region: 'us',
    owner: null,
  });
  const token = new URL(setupUrl!).searchParams.get('token');
  const owner = { token, name: 'Asha', email: 'asha@example.com', password: 'correct horse battery' };
  orgId = (await api('POST /setup', { ...owner, organization_name: 'Mine' })).organizations[0].id;
  otherOrgId = (await api('POST /organizations', { name: 'Other' })).id;
  ({ agentId } = await givenAgent(app.db, orgId));
  triggerId = await givenTrigger(app.db, orgId, agentId);
});
afterAll(() => app?.stop());

describe('GET /dashboard/api/organizations/:org_id/requests', () => {
  it('the list has each call and its outcome, with IDs of Parley and no names from a caller', async () => {
    const [run, missing, person, me] = await called(
      ['POST', `/api/triggers/${agentId}/${triggerId}?debug=secret`, { message: 'private words' }],
      ['POST', `/api/triggers/${newId('agent')}/${triggerId}`, {}],
      ['PUT', '/api/end-users/external/asha@example.qa', { name: 'Asha' }],
      ['GET', '/api/me'],
    );
    expect(run).toMatchObject({
      method: 'POST',
      route: '/api/triggers/:agent_id/:trigger_id',
      ids: { agent_id: agentId, trigger_id: triggerId },
      key_id: key.id,
      status: 202,
      code: null,
    });
    expect(missing).toMatchObject({ status: 404, code: 'agent_not_found' });
    expect(person).toMatchObject({ route: '/api/end-users/external/:external_id', ids: {}, status: 201 });
    expect(me).toMatchObject({ route: '/api/me', status: 200 });
    const stored = JSON.stringify(await app.db.select().from(requestLog));
    expect(stored).not.toMatch(/asha@example|private words|secret/);
    expect(stored).not.toContain(key.value);
  });

  it('requests are filtered by call, outcome, request ID and time, and listed in pages', async () => {
    const [first] = await called(
      ['GET', '/api/me'],
      ['GET', '/api/me'],
      ['POST', `/api/triggers/${agentId}/${newId('trigger')}`, {}],
    );
    const mine = `key_id=${key.id}`;
    const statuses = async (query: string) => (await list(`${mine}&${query}`)).data.map(({ status }) => status);
    expect(await statuses('outcome=refused')).toEqual([404]);
    expect(await statuses('outcome=accepted')).toEqual([200, 200]);
    expect(await statuses('outcome=failed')).toEqual([]);
    expect(await statuses(`call=${encodeURIComponent('GET /api/me')}`)).toEqual([200, 200]);
    expect(await statuses(`id=${first!.id}`)).toEqual([200]);
    expect(await statuses(`since=${first!.created_at}`)).toHaveLength(3);
    expect(await statuses(`until=${first!.created_at}`)).toEqual([]);
    expect(await statuses('until=2001-01-01T00:00:00.000Z')).toEqual([]);
    const page = await list(`${mine}&limit=2`);
    const rest = await list(`${mine}&limit=2&cursor=${page.next_cursor}`);
    // The clock of a machine may step back between two calls, so only the order of the IDs is certain.
    const paged = [...page.data, ...rest.data];
    expect(paged.filter(({ status }) => status === 404)).toHaveLength(1);
    expect(paged.map(({ id }) => id)).toEqual(
      paged
        .map(({ id }) => id)
        .toSorted()
        .toReversed(),
    );
    const calls = await api(`GET /organizations/${orgId}/requests/calls`);
    expect(calls.data).toContainEqual({ call: 'POST /api/triggers/:agent_id/:trigger_id' });
  });

  it('the list has no call of another organization', async () => {
    await called(['GET', '/api/me']);
    expect(await list('', otherOrgId)).toMatchObject({ data: [] });
    expect(await list(`key_id=${key.id}`, otherOrgId)).toMatchObject({ data: [] });
    expect(await api(`GET /organizations/${otherOrgId}/requests/calls`)).toEqual({ data: [] });
  });

  it('failed calls stay visible if a key makes more calls than are stored one by one', async () => {
    const { id, value } = await app.key(orgId, { permissions: ['triggers'] });
    const { id: last, value: other } = await app.key(orgId, { permissions: ['triggers'] });
    await app.call('POST', `/api/triggers/${newId('agent')}/${triggerId}`, { key: value, body: {} });
    for (let call = 0; call < 60; call++) await app.call('GET', '/api/me', { key: value });
    // Written after all of those.
    await app.call('GET', '/api/me', { key: other });
    await expect.poll(async () => (await list(`key_id=${last}`)).data.length, { interval: 200 }).toBe(1);
    const { data } = await list(`key_id=${id}&limit=100`);
    expect(data.length).toBeGreaterThan(15);
    expect(data.filter(({ status }) => status === 404)).toHaveLength(1);
  });

  it('the newest requests of each organization are stored, and the others are deleted', async () => {
    const { organizationId, ids } = { organizationId: otherOrgId, ids: Array.from({ length: 12 }, () => newId('req')) };
    await app.db.insert(requestLog).values(
      ids.map((id) => ({
        orgId: organizationId,
        id,
        keyId: newId('key'),
        at: new Date(),
        method: 'GET',
        route: '/api/me',
        status: 200,
        ms: 1,
      })),
    );
    const before = (await list('limit=100')).data.length;
    expect(before).toBeGreaterThan(5);
    expect(await createRequestTrimmer(100)(app.db.$client, 100)).toBe(0);
    const removed = await createRequestTrimmer(5)(app.db.$client, 1_000);
    expect(removed).toBeGreaterThanOrEqual(7);
    expect((await list('', otherOrgId)).data.map(({ id }) => id)).toEqual(ids.toSorted().toReversed().slice(0, 5));
    expect((await list('limit=100')).data).toHaveLength(5);
  });
});
