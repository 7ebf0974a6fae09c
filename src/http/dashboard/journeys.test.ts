import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CHANNEL_KINDS } from '../../../contract/channel-kinds.ts';
import {
  addMember,
  type Client,
  type DashboardServer,
  PASSWORD,
  type Person,
  setUpOwner,
  startDashboard,
} from '../../../test/dashboard-server.ts';
import { channelCredential, modelCredential, openCredential } from '../../store/credentials.ts';
import { insertMember } from '../../store/members/members.ts';
import { insertOrganization } from '../../store/organizations/organizations.ts';

let server: DashboardServer;
let operator: Person & { orgId: string };
let owner: Person & { orgId: string };
let at: string;
let call: Client;

beforeAll(async () => {
  server = await startDashboard();
  operator = await setUpOwner(server);
});
afterAll(() => server.stop());

/** Each test has a new organization on the paid plan, with its own owner. */
beforeEach(async () => {
  const { body } = await operator.call('POST /organizations', { name: 'Shop', plan: 'paid' });
  owner = { ...(await addMember(server, operator.call, body.id, 'owner')), orgId: body.id };
  ({ call } = owner);
  at = `/organizations/${owner.orgId}`;
  const members = (await call(`GET ${at}/members`)).body.data;
  await operator.call(`DELETE ${at}/members/${members[0].id}`);
});

const newAgent = async (definition?: object) =>
  (await call(`POST ${at}/agents`, { name: 'Concierge', ...(definition && { definition }) })).body;
const revisionOf = async (id: string): Promise<number> =>
  (await server.db.$client.query('SELECT revision FROM agent WHERE id = $1', [id])).rows[0].revision;
const pointersOf = (answer: { body: { errors?: { pointer: string }[] } }) =>
  answer.body.errors?.map(({ pointer }) => pointer);

const admit = (value: string) => server.access.admit([`Bearer ${value}`], { permission: 'triggers' }, {}, '127.0.0.1');
const ascending = (a: number, b: number): number => a - b;

describe('sign-in', () => {
  it('shows the first owner as the operator of a paid organization, and the link does not work a second time', async () => {
    const { body } = await operator.call('GET /session');
    expect(body).toMatchObject({
      operator: true,
      organizations: [{ name: 'Acme', plan: 'paid', role: 'owner' }],
      region: 'us',
      base_url: 'https://us.parley.example',
    });
    const again = await server.as(null)('POST /setup', {
      token: server.setupToken,
      name: 'Eve',
      email: 'eve@example.qa',
      password: PASSWORD,
      organization_name: 'Eve',
    });
    expect([again.status, again.body.code]).toEqual([403, 'setup_closed']);
  });

  it('refuses a session on its very next request after it was ended elsewhere', async () => {
    const second = await server.as(null)('POST /sign-in', { email: owner.email, password: PASSWORD });
    const other = server.as(second.cookie);
    expect((await other('GET /session')).status).toBe(200);
    const { body } = await call('GET /sessions');
    const [gone] = body.data.filter((one: { current: boolean }) => !one.current);
    expect((await call(`DELETE /sessions/${gone.id}`)).status).toBe(204);
    const refused = await other('GET /session');
    expect([refused.status, refused.body.code]).toEqual([401, 'session_missing']);
    expect((await call(`DELETE /sessions/${gone.id}`)).status).toBe(404);
  });

  it('does not allow a person to end the session of another', async () => {
    const viewer = await addMember(server, call, owner.orgId, 'viewer');
    const { body } = await viewer.call('GET /sessions');
    expect((await call(`DELETE /sessions/${body.data[0].id}`)).status).toBe(404);
    expect((await viewer.call('GET /session')).status).toBe(200);
  });

  it('ends with signing out, and the cookie is removed', async () => {
    const answer = await call('POST /sign-out');
    expect(answer.status).toBe(204);
    expect(answer.headers.get('set-cookie')).toMatch(/^__Host-parley_session=; Max-Age=0; Path=\/; .*Secure/);
    expect((await call('GET /session')).status).toBe(401);
  });

  it('gives the same answer for a wrong password and an unknown address', async () => {
    const answers = [];
    for (const email of [owner.email, 'nobody@example.qa']) {
      const { status, body } = await server.as(null)('POST /sign-in', { email, password: 'wrong password' });
      answers.push([status, body.code, body.detail]);
    }
    expect(answers[0]).toEqual(answers[1]);
  });
});

describe('members', () => {
  it('join through a link that works once, for its own address and role', async () => {
    const { body } = await call(`POST ${at}/invitations`, { email: 'New@example.qa', role: 'member' });
    const token = new URL(body.url).pathname.split('/').at(-1)!;
    const look = await server.as(null)(`GET /invitations/${token}`);
    expect(look.body).toMatchObject({
      organization: 'Shop',
      email: 'new@example.qa',
      role: 'member',
      new_accounts: true,
    });
    // The id is visible to others and must not work as the link.
    expect((await server.as(null)(`GET /invitations/${body.id}`)).status).toBe(404);
    expect((await server.as(null)(`GET /invitations/${body.id}.AAAA`)).status).toBe(404);
    const joined = await server.as(null)(`POST /invitations/${token}`, { name: 'New', password: PASSWORD });
    expect(joined.body.organizations).toMatchObject([{ id: owner.orgId, role: 'member' }]);
    expect((await server.as(null)(`POST /invitations/${token}`, { name: 'New', password: PASSWORD })).status).toBe(404);
  });

  it('with an account join with it', async () => {
    const { body: other } = await call('POST /organizations', { name: 'Second' });
    const viewer = await addMember(server, call, owner.orgId, 'viewer');
    const { body } = await call(`POST /organizations/${other.id}/invitations`, { email: viewer.email, role: 'admin' });
    const token = new URL(body.url).pathname.split('/').at(-1)!;
    expect((await server.as(null)(`POST /invitations/${token}/join`)).body.code).toBe('session_missing');
    const joined = await viewer.call(`POST /invitations/${token}/join`);
    expect(joined.body.organizations).toHaveLength(2);
  });

  it('never lose their last owner, not even when two leave at the same time', async () => {
    const members = (await call(`GET ${at}/members`)).body.data;
    const mine = members[0].id;
    for (const refused of [
      await call(`PATCH ${at}/members/${mine}`, { role: 'admin' }),
      await call(`DELETE ${at}/members/${mine}`),
    ]) {
      expect([refused.status, refused.body.code]).toEqual([409, 'last_owner']);
    }
    const second = await addMember(server, call, owner.orgId, 'owner');
    const theirs = (await call(`GET ${at}/members`)).body.data.find(
      (one: { email: string }) => one.email === second.email,
    ).id;
    // Both transactions have counted two owners, if they can, before either continues.
    const holder = await server.db.$client.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM member WHERE organization_id = $1 FOR UPDATE', [owner.orgId]);
    const leaving = [call(`DELETE ${at}/members/${mine}`), second.call(`DELETE ${at}/members/${theirs}`)];
    await new Promise((resolve) => {
      setTimeout(resolve, 200);
    });
    await holder.query('COMMIT');
    holder.release();
    const both = await Promise.all(leaving);
    expect(both.map(({ status }) => status).toSorted(ascending)).toEqual([204, 409]);
  });

  it('are changed by those who may: owners by owners, others by admins, oneself always', async () => {
    const admin = await addMember(server, call, owner.orgId, 'admin');
    const viewer = await addMember(server, call, owner.orgId, 'viewer');
    const members: { id: string; email: string }[] = (await call(`GET ${at}/members`)).body.data;
    const idOf = (email: string) => members.find((one) => one.email === email)!.id;
    expect((await admin.call(`PATCH ${at}/members/${idOf(viewer.email)}`, { role: 'owner' })).status).toBe(403);
    expect((await admin.call(`POST ${at}/invitations`, { email: 'o@example.qa', role: 'owner' })).status).toBe(403);
    expect((await admin.call(`DELETE ${at}/members/${idOf(owner.email)}`)).status).toBe(403);
    expect((await viewer.call(`DELETE ${at}/members/${idOf(admin.email)}`)).status).toBe(403);
    expect((await viewer.call(`DELETE ${at}/members/${idOf(viewer.email)}`)).status).toBe(204);
    expect((await viewer.call(`GET ${at}`)).body.code).toBe('organization_not_found');
    expect((await call(`PATCH ${at}/members/${idOf(admin.email)}`, { role: 'viewer' })).status).toBe(200);
    expect((await admin.call(`POST ${at}/agents`, { name: 'X' })).body.code).toBe('role_missing');
  });
});

/** Sends the head, and the body only after `between`, which starts when the server asks for the body. */
async function slowly(cookie: string, path: string, body: unknown, between: () => Promise<unknown>) {
  const headers = { cookie, 'content-type': 'application/json', expect: '100-continue' };
  const sent = request(server.url + path, { method: 'POST', headers });
  sent.flushHeaders();
  await once(sent, 'continue');
  await between();
  sent.end(JSON.stringify(body));
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, body: (await json(answer)) as { code?: string } };
}

describe('a body that arrives slowly', () => {
  it('does nothing if the role, the membership or the session was lost before it was complete', async () => {
    const invitation = { email: 'back@example.qa', role: 'admin' };
    const lose: Record<string, (one: Awaited<ReturnType<typeof addMember>>, memberId: string) => Promise<unknown>> = {
      role_missing: (_one, id) => call(`PATCH ${at}/members/${id}`, { role: 'viewer' }),
      organization_not_found: (_one, id) => call(`DELETE ${at}/members/${id}`),
      session_missing: (one) => one.call('POST /sign-out'),
    };
    for (const [code, losing] of Object.entries(lose)) {
      const admin = await addMember(server, call, owner.orgId, 'admin');
      const members = (await call(`GET ${at}/members`)).body.data as { id: string; email: string }[];
      const { id } = members.find(({ email }) => email === admin.email)!;
      const answer = await slowly(admin.cookie, `${at}/invitations`, invitation, () => losing(admin, id));
      expect(answer.body.code).toBe(code);
    }
    const open = (await call(`GET ${at}/invitations`)).body.data as { email: string }[];
    expect(open.map(({ email }) => email)).not.toContain(invitation.email);
  });
});

describe('organizations', () => {
  it('start on the free plan, except for the operator', async () => {
    const viewer = await addMember(server, call, owner.orgId, 'viewer');
    expect((await viewer.call('POST /organizations', { name: 'Mine' })).body).toMatchObject({
      plan: 'free',
      role: 'owner',
    });
    for (const more of [{ plan: 'paid' }, { owner_email: 'x@example.qa' }]) {
      expect((await viewer.call('POST /organizations', { name: 'Mine', ...more })).body.code).toBe('operator_required');
    }
    expect((await viewer.call('GET /organizations?all=true')).body.code).toBe('operator_required');
    const theirs = { name: 'Theirs', plan: 'paid', owner_email: `them-${owner.orgId.slice(-6)}@example.qa` };
    const made = await operator.call('POST /organizations', theirs);
    expect(made.body).toMatchObject({ plan: 'paid', role: null });
    expect((await operator.call(`GET /organizations/${made.body.id}`)).status).toBe(404);
    const token = new URL(made.body.invitation_url).pathname.split('/').at(-1)!;
    const joined = await server.as(null)(`POST /invitations/${token}`, { name: 'Them', password: PASSWORD });
    expect(joined.body.organizations).toMatchObject([{ id: made.body.id, role: 'owner', plan: 'paid' }]);
    const all: { id: string; role: string | null }[] = (await operator.call('GET /organizations?all=true')).body.data;
    expect(all.find(({ id }) => id === made.body.id)).toMatchObject({ role: null });
  });

  it('of a person are at most 50, also when many are created at once', async () => {
    const person = await addMember(server, owner.call, owner.orgId, 'viewer');
    for (let count = 1; count < 47; count++) {
      const { id } = await insertOrganization(server.db, { name: `Shop ${count}`, plan: 'free' });
      await insertMember(server.db, id, person.id, 'owner');
    }
    const burst = Array.from({ length: 12 }, () => person.call('POST /organizations', { name: 'Mine' }));
    const codes = (await Promise.all(burst)).map(({ status }) => status).toSorted(ascending);
    expect(codes).toEqual([...Array(3).fill(201), ...Array(9).fill(403)]);
    const session = await person.call('GET /session');
    expect(session.body.organizations).toHaveLength(50);
  });

  it('are listed page by page, and a cursor is valid for its list only', async () => {
    for (const name of ['B', 'C', 'D']) await call('POST /organizations', { name });
    const names: string[] = [];
    let path = 'GET /organizations?limit=3';
    for (;;) {
      const { body } = await call(path);
      names.push(...body.data.map((one: { name: string }) => one.name));
      if (!body.has_more) break;
      path = `GET /organizations?limit=3&cursor=${body.next_cursor}`;
    }
    expect(names).toEqual(['D', 'C', 'B', 'Shop']);
    const { body } = await call('GET /organizations?limit=1');
    const elsewhere = await call(`GET ${at}/agents?cursor=${body.next_cursor}`);
    expect([elsewhere.status, elsewhere.body.code]).toEqual([400, 'cursor_invalid']);
  });
});

describe('agents', () => {
  it('have a sandbox channel from the start, and a changed definition takes effect immediately', async () => {
    const agent = await newAgent();
    expect(agent).toMatchObject({ version: 1, provider: 'embedded', unpublished_changes: false, definition: {} });
    expect(agent.sandbox_channel_id).toMatch(/^channel_/);
    const before = await revisionOf(agent.id);
    const definition = { opening: { en: 'Hello {{end_user.name}}' } };
    const updated = await call(`PATCH ${at}/agents/${agent.id}`, { definition });
    expect(updated.body).toMatchObject({ version: 2, published: definition, definition });
    expect(await revisionOf(agent.id)).toBeGreaterThan(before);
    expect((await call(`PATCH ${at}/agents/${agent.id}`, { definition })).body.version).toBe(2);
  });

  it('keep a draft until it is published, and restore earlier versions as new ones', async () => {
    const first = { opening: { en: 'One' } };
    const second = { opening: { en: 'Two' } };
    const agent = await newAgent(first);
    const drafted = await call(`PATCH ${at}/agents/${agent.id}`, { definition: second, publish: false });
    expect(drafted.body).toMatchObject({ version: 1, published: first, definition: second, unpublished_changes: true });
    expect((await call(`POST ${at}/agents/${agent.id}/publish`)).body).toMatchObject({ version: 2, published: second });
    const restored = await call(`POST ${at}/agents/${agent.id}/versions/1/restore`);
    expect(restored.body).toMatchObject({ version: 3, published: first });
    const { body } = await call(`GET ${at}/agents/${agent.id}/versions?limit=2`);
    expect(body.data.map((one: { version: number }) => one.version)).toEqual([3, 2]);
    expect(body.data[0].published_by).toBe('owner');
    const rest = await call(`GET ${at}/agents/${agent.id}/versions?limit=2&cursor=${body.next_cursor}`);
    expect(rest.body).toMatchObject({ data: [{ version: 1 }], has_more: false });
    for (const version of ['0', '99', 'x', '1e1', '99999999999']) {
      expect((await call(`POST ${at}/agents/${agent.id}/versions/${version}/restore`)).body.code).toBe(
        'version_not_found',
      );
    }
  });

  it('are refused with every fault of their definition, and nothing is written', async () => {
    const answer = await call(`POST ${at}/agents`, {
      name: 'Faulty',
      definition: {
        provider: 'openai',
        opening: { en: 'Hello {{#open}}' },
        steps: {
          items: [
            { name: 'size', type: 'choice', ask: { en: 'Which?' } },
            { name: 'size', type: 'number', ask: {}, min: 5, max: 1 },
          ],
        },
        rules: [{ name: 'empty' }, { name: 'trap', pattern: '(a+', action: 'start_steps' }],
        tools: [{ name: 't', description: 'd', parameters: {}, url: 'https://tools.example/x' }],
      },
    });
    expect([answer.status, answer.body.code]).toEqual([422, 'validation_failed']);
    expect(pointersOf(answer)?.toSorted()).toEqual(
      [
        '/definition/model',
        '/definition/opening/en',
        '/definition/steps/items/0/choices',
        '/definition/steps/items/1/name',
        '/definition/steps/items/1/ask',
        '/definition/steps/items/1/min',
        '/definition/rules/0',
        '/definition/rules/0',
        '/definition/rules/1/pattern',
        '/definition/tools/0/parameters',
      ].toSorted(),
    );
    expect((await call(`GET ${at}/agents`)).body.data).toEqual([]);
  });

  it('are disabled and deleted immediately for nodes that cache them, with everything that belongs to them', async () => {
    const agent = await newAgent();
    const { access } = server;
    const { body: trigger } = await call(`POST ${at}/triggers`, { agent_id: agent.id, name: 'T' });
    expect(await access.facts.agent(owner.orgId, agent.id)).toMatchObject({ enabled: true, name: 'Concierge' });
    expect(await access.facts.trigger(owner.orgId, trigger.id)).not.toBeNull();
    await call(`PATCH ${at}/agents/${agent.id}`, { enabled: false });
    expect(await access.facts.agent(owner.orgId, agent.id)).toMatchObject({ enabled: false });
    expect((await call(`DELETE ${at}/agents/${agent.id}`)).status).toBe(204);
    expect(await access.facts.agent(owner.orgId, agent.id)).toBeNull();
    expect(await access.facts.trigger(owner.orgId, trigger.id)).toBeNull();
    for (const path of [`agents/${agent.id}`, `triggers/${trigger.id}`, `channels/${agent.sandbox_channel_id}`]) {
      expect((await call(`GET ${at}/${path}`)).status).toBe(404);
    }
  });

  it('have documents; each change of one is a new revision', async () => {
    const agent = await newAgent();
    const before = await revisionOf(agent.id);
    const documents = `${at}/agents/${agent.id}/documents`;
    const { status, body } = await call(`POST ${documents}`, { name: 'Hours', text: 'مفتوح ٩–١٧' });
    expect(status).toBe(201);
    expect(body).toMatchObject({ name: 'Hours', bytes: Buffer.byteLength('مفتوح ٩–١٧') });
    expect((await call(`GET ${documents}/${body.id}`)).body.text).toBe('مفتوح ٩–١٧');
    expect(await revisionOf(agent.id)).toBe(before + 1);
    expect((await call(`DELETE ${documents}/${body.id}`)).status).toBe(204);
    expect(await revisionOf(agent.id)).toBe(before + 2);
    expect((await call(`GET ${documents}`)).body.data).toEqual([]);
  });

  it('have at most 500 documents, also under a burst at the limit', async () => {
    const agent = await newAgent();
    await server.db.$client.query(
      `INSERT INTO document (org_id, id, agent_id, name, text)
       SELECT $1, 'doc_' || lpad(n::text, 26, '0'), $2, 'n', 't' FROM generate_series(1, 499) n`,
      [owner.orgId, agent.id],
    );
    const add = () => call(`POST ${at}/agents/${agent.id}/documents`, { name: 'n', text: 't' });
    const statuses = (await Promise.all([add(), add(), add()])).map(({ status }) => status);
    expect(statuses.toSorted(ascending)).toEqual([201, 422, 422]);
  });
});

describe('the playground', () => {
  it('takes a turn of the draft or of the edited text, shows why, and stores nothing', async () => {
    const agent = await newAgent({ opening: { en: 'Hello' } });
    await call(`POST ${at}/agents/${agent.id}/documents`, {
      name: 'Hours',
      text: '# Opening hours\n\nThe shop is open from 9:00 to 17:00 every day.',
    });
    const play = `POST ${at}/agents/${agent.id}/playground`;
    const opened = await call(play, {});
    expect(opened.body).toMatchObject({
      messages: [{ content: { type: 'text', text: 'Hello' } }],
      next: 'waiting_for_user',
    });
    expect(opened.body.trace.provider).toBe('embedded');
    const edited = await call(play, { definition: { opening: { en: 'Hi {{name}}' } }, variables: { name: 'Asha' } });
    expect(edited.body.messages[0].content.text).toBe('Hi Asha');
    const messages = [
      { role: 'agent', text: 'Hello' },
      { role: 'end_user', text: 'What are the opening hours of the shop?' },
    ];
    const answered = await call(play, { messages, state: opened.body.state });
    expect(answered.body.messages[0].sources).toMatchObject([{ document: 'Hours' }]);
    expect((await call(play, { definition: { provider: 'openai' } })).status).toBe(422);
    const unconnected = await call(play, { definition: { provider: 'openai', model: 'm' } });
    expect([unconnected.status, unconnected.body.code]).toEqual([502, 'provider_failed']);
    const { rows } = await server.db.$client.query('SELECT 1 FROM message');
    expect(rows).toEqual([]);
  });
});

describe('keys', () => {
  it('are created, listed, rotated and revoked, and the value is in one answer only', async () => {
    const made = await call(`POST ${at}/keys`, { label: 'Orders', scope: 'organization', permissions: ['triggers'] });
    expect(made.status).toBe(201);
    expect(made.headers.get('cache-control')).toBe('no-store');
    expect(await admit(made.body.value)).toMatchObject({ caller: { orgId: owner.orgId } });
    const listed = await call(`GET ${at}/keys?text=Ord&permission=triggers`);
    expect(listed.body.data).toMatchObject([{ id: made.body.id, label: 'Orders', state: 'active' }]);
    expect(JSON.stringify(listed.body)).not.toContain(made.body.value);
    const rotated = await call(`POST ${at}/keys/${made.body.id}/rotate`, { overlap: 'now' });
    expect(rotated.body).toMatchObject({ rotated_from: made.body.id, label: 'Orders' });
    await expect((async () => admit(made.body.value))()).rejects.toMatchObject({ code: 'key_revoked' });
    const revoked = await call(`POST ${at}/keys/${rotated.body.id}/revoke`);
    expect(revoked.body).toMatchObject({ state: 'revoked' });
    await expect((async () => admit(rotated.body.value))()).rejects.toMatchObject({ code: 'key_revoked' });
  });

  it('stop working on the next call after the change to the free plan, and work again after it', async () => {
    const { body } = await call(`POST ${at}/keys`, { label: 'K', scope: 'organization', permissions: ['triggers'] });
    await admit(body.value);
    await operator.call(`PUT ${at}/plan`, { plan: 'free' });
    await expect((async () => admit(body.value))()).rejects.toMatchObject({ code: 'plan_required' });
    await operator.call(`PUT ${at}/plan`, { plan: 'paid' });
    expect(await admit(body.value)).toMatchObject({ caller: { plan: 'paid' } });
  });
});

describe('channels', () => {
  it('of kind webhook show their secret once, and store it sealed', async () => {
    const agent = await newAgent();
    const settings = { url: 'https://hooks.example/parley' };
    const connected = await call(`POST ${at}/channels`, {
      agent_id: agent.id,
      kind: 'webhook',
      name: 'Hook',
      settings,
    });
    expect(connected.status).toBe(201);
    expect(connected.body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const { id } = connected.body;
    expect((await call(`GET ${at}/channels/${id}`)).body).not.toHaveProperty('secret');
    const { rows } = await server.db.$client.query('SELECT sealed FROM channel WHERE id = $1', [id]);
    expect(rows[0].sealed).not.toContain(connected.body.secret.slice(6));
    const place = channelCredential({ orgId: owner.orgId, id, kind: 'webhook', settings });
    const opened = await openCredential(server.db, server.secrets.sealingKey, place, rows[0].sealed);
    expect(JSON.parse(opened)).toEqual({ secret: connected.body.secret });
  });

  it('of an unknown kind are refused with the list of kinds', async () => {
    const agent = await newAgent();
    const answer = await call(`POST ${at}/channels`, { agent_id: agent.id, kind: 'pigeon', name: 'W' });
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ pointer: '/kind', code: 'not_available' }] } });
    expect(answer.body.errors[0].detail).toContain(CHANNEL_KINDS.join(', '));
  });

  it.each([
    [{}, '/settings/url'],
    [{ url: 'ftp://x' }, '/settings/url'],
    [{ url: 'https://u:p@x.example' }, '/settings/url'],
    [{ url: 'https://192.168.1.4/hook' }, '/settings/url'],
    [{ url: 'https://x.example', more: 1 }, '/settings/more'],
  ])('with settings %j are refused at %s', async (settings, pointer) => {
    const agent = await newAgent();
    const answer = await call(`POST ${at}/channels`, { agent_id: agent.id, kind: 'webhook', name: 'W', settings });
    expect([answer.status, pointersOf(answer)]).toEqual([422, [pointer]]);
  });

  it('are disabled and disconnected immediately; the sandbox stays with its agent', async () => {
    const agent = await newAgent();
    const { body } = await call(`POST ${at}/channels`, { agent_id: agent.id, kind: 'sandbox', name: 'Second' });
    const facts = () => server.access.facts.channel(owner.orgId, body.id);
    expect(await facts()).toMatchObject({ enabled: true });
    await call(`PATCH ${at}/channels/${body.id}`, { enabled: false });
    expect(await facts()).toMatchObject({ enabled: false });
    expect((await call(`DELETE ${at}/channels/${body.id}`)).status).toBe(204);
    expect(await facts()).toBeNull();
    expect((await call(`DELETE ${at}/channels/${agent.sandbox_channel_id}`)).status).toBe(409);
  });
});

describe('campaigns', () => {
  it('go from draft to live, paused and ended, and never back', async () => {
    const agent = await newAgent();
    const input = { agent_id: agent.id, channel_id: agent.sandbox_channel_id, name: 'Spring' };
    const { body } = await call(`POST ${at}/campaigns`, input);
    expect(body.state).toBe('draft');
    const move = async (verb: string) => {
      const answer = await call(`POST ${at}/campaigns/${body.id}/${verb}`);
      return answer.status === 200 ? answer.body.state : answer.body.code;
    };
    const moves = ['resume', 'start', 'start', 'pause', 'resume', 'end', 'start', 'resume', 'pause'];
    const outcomes = [];
    for (const verb of moves) outcomes.push(await move(verb));
    const no = 'campaign_not_open';
    expect(outcomes).toEqual([no, 'live', 'live', 'paused', 'live', 'ended', no, no, no]);
    expect(await server.access.facts.campaign(owner.orgId, body.id)).toMatchObject({ state: 'ended' });
    expect((await call(`DELETE ${at}/campaigns/${body.id}`)).status).toBe(204);
    expect((await call(`GET ${at}/campaigns/${body.id}`)).status).toBe(404);
  });

  it('accept settings until they have ended, and preview them before saving', async () => {
    const agent = await newAgent();
    const input = { agent_id: agent.id, channel_id: agent.sandbox_channel_id, name: 'Spring' };
    const { body } = await call(`POST ${at}/campaigns`, input);
    const campaign = `${at}/campaigns/${body.id}`;
    const settings = {
      opening: { text: { default: 'Hi {{end_user.name}}, {{code}}', ar: 'أهلًا {{end_user.name}}' } },
      window: { from: '09:00', to: '17:00', days: [1, 2, 3, 4, 7] },
      quiet_hours: { from: '12:00', to: '13:00' },
      time_zone: 'Asia/Qatar',
      starts_at: '2037-12-04T00:00:00.000Z',
      ends_at: '2037-12-20T00:00:00.000Z',
    };
    const preview = async (more: object) => (await call(`POST ${campaign}/preview`, { settings, ...more })).body;
    // Far ahead, because a campaign that has started is sent now. The 4th is a Friday and the 5th a Saturday: Sunday at
    // nine in Doha.
    expect(await preview({ end_user: { name: 'Asha' }, variables: { code: 'W1' } })).toEqual({
      from: '2037-12-04T00:00:00.000Z',
      goes_out_at: '2037-12-06T06:00:00.000Z',
      opening: { type: 'text', text: 'Hi Asha, W1' },
    });
    const inNewYork = { at: '2037-12-07T17:30:00.000Z', time_zone: 'America/New_York', end_user: { locale: 'ar-QA' } };
    expect(await preview(inNewYork)).toMatchObject({
      goes_out_at: '2037-12-07T18:00:00.000Z',
      opening: { text: 'أهلًا ' },
    });
    expect(await preview({ at: '2037-12-20T10:00:00.000Z' })).toMatchObject({ goes_out_at: null });
    expect((await call(`POST ${campaign}/preview`, { settings: {} })).body.opening).toBeNull();
    const broken = {
      opening: { text: { default: 'Hi {{name' } },
      starts_at: settings.ends_at,
      ends_at: settings.starts_at,
    };
    for (const route of [`POST ${campaign}/preview`, `PATCH ${campaign}`]) {
      const answer = await call(route, { settings: broken });
      expect([answer.status, pointersOf(answer)]).toEqual([
        422,
        ['/settings/opening/text/default', '/settings/ends_at'],
      ]);
    }
    const never = { window: { from: '22:00', to: '06:00' }, quiet_hours: { from: '21:00', to: '08:00' } };
    expect(pointersOf(await call(`PATCH ${campaign}`, { settings: never }))).toEqual(['/settings/quiet_hours/to']);
    expect((await call(`GET ${campaign}`)).body.settings).toEqual({});
    expect((await call(`PATCH ${campaign}`, { settings })).body.settings).toEqual(settings);
    await call(`POST ${campaign}/end`);
    expect((await call(`PATCH ${campaign}`, { settings: {} })).body.code).toBe('campaign_not_open');
    expect((await call(`PATCH ${campaign}`, { name: 'Last spring' })).body).toMatchObject({
      name: 'Last spring',
      settings,
    });
  });

  it('need a channel of their own agent', async () => {
    const [agent, other] = [await newAgent(), await newAgent()];
    const input = { agent_id: agent.id, channel_id: other.sandbox_channel_id, name: 'Spring' };
    expect((await call(`POST ${at}/campaigns`, input)).body.code).toBe('channel_not_found');
  });
});

describe('model credentials', () => {
  it('are sealed, never shown, and cause a new revision of every agent', async () => {
    const agent = await newAgent();
    const before = await revisionOf(agent.id);
    const key = 'sk-canary-0123456789';
    const set = await call(`PUT ${at}/models/openai`, { key });
    expect(set.body).toMatchObject({ provider: 'openai', has_key: true, base_url: null });
    expect(await revisionOf(agent.id)).toBe(before + 1);
    const { rows } = await server.db.$client.query('SELECT sealed_key FROM model_provider');
    expect(JSON.stringify([rows, set.body, (await call(`GET ${at}/audit`)).body])).not.toContain('canary');
    const place = modelCredential({ orgId: owner.orgId, provider: 'openai', baseUrl: null });
    expect(await openCredential(server.db, server.secrets.sealingKey, place, rows[0].sealed_key)).toBe(key);
    expect((await call(`PUT ${at}/models/openai`, { base_url: null })).body.has_key).toBe(true);
    expect((await call(`DELETE ${at}/models/openai`)).status).toBe(204);
    expect((await call(`GET ${at}/models`)).body).toEqual({ data: [] });
  });

  it('report what is missing', async () => {
    expect(pointersOf(await call(`PUT ${at}/models/openai_compatible`, { key: 'x' }))).toEqual(['/base_url']);
    expect(pointersOf(await call(`PUT ${at}/models/anthropic`, { base_url: 'https://x.example' }))).toEqual(['/key']);
    expect((await call(`PUT ${at}/models/embedded`, { key: 'x' })).status).toBe(404);
  });
});

describe('the audit log', () => {
  it('has a line for every verb that acts, with the address for admins only', async () => {
    const viewer = await addMember(server, call, owner.orgId, 'viewer');
    const agent = await newAgent();
    await call(`PATCH ${at}/agents/${agent.id}`, { enabled: false });
    await call(`DELETE ${at}/agents/${agent.id}`);
    await call(`PATCH ${at}`, { name: 'Shop 2' });
    const { body } = await call(`GET ${at}/audit`);
    expect(body.data.map((one: { action: string }) => one.action)).toEqual([
      'organization.renamed',
      'agent.deleted',
      'agent.updated',
      'agent.created',
      'invitation.accepted',
      'invitation.created',
      'member.removed',
      'invitation.accepted',
      'invitation.created',
      'organization.created',
    ]);
    expect(body.data[0]).toMatchObject({ actor: owner.id, actor_name: 'owner', address: '127.0.0.1' });
    expect(body.data[0].request_id).toMatch(/^req_/);
    expect((await viewer.call(`GET ${at}/audit`)).body.data[0].address).toBeNull();
    const page = await call(`GET ${at}/audit?limit=2&subject_id=${agent.id}`);
    const rest = await call(`GET ${at}/audit?limit=2&subject_id=${agent.id}&cursor=${page.body.next_cursor}`);
    expect([...page.body.data, ...rest.body.data].map((one: { action: string }) => one.action)).toEqual([
      'agent.deleted',
      'agent.updated',
      'agent.created',
    ]);
  });

  it('is counted on the first page', async () => {
    const agent = await newAgent();
    await call(`POST ${at}/triggers`, { agent_id: agent.id, name: 'T' });
    const { body: trigger } = await call(`GET ${at}/triggers`);
    const started = await call(`POST ${at}/triggers/${trigger.data[0].id}/test`, { message: 'Hello' });
    expect(started.status).toBe(202);
    const dry = await call(`POST ${at}/triggers/${trigger.data[0].id}/test`, { dry_run: true });
    expect([dry.status, dry.body.dry_run]).toEqual([200, true]);
    expect((await call(`GET ${at}/overview`)).body).toMatchObject({
      agents: 1,
      triggers: 1,
      channels: 1,
      campaigns: 0,
      active_keys: 0,
      end_users: 1,
      members: 1,
      conversations: { open: 1, handed_off: 0, resolved: 0 },
      runs_24h: { queued: 1 },
      first_request: false,
    });
    const runs = await call(`GET ${at}/triggers/${trigger.data[0].id}/runs`);
    expect(runs.body.data).toMatchObject([{ id: started.body.id, status: 'queued' }]);
    const people = await call(`GET ${at}/end-users`);
    expect((await call(`GET ${at}/end-users/${people.body.data[0].id}`)).status).toBe(200);
    const conversations = await call(`GET ${at}/conversations?status=open&agent_id=${agent.id}`);
    expect(conversations.body.data).toMatchObject([{ id: started.body.conversation_id }]);
  });
});
