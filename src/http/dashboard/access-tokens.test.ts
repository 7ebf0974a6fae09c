import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { DASHBOARD_ROUTES, type DashboardRoute } from '../../../contract/dashboard/routes.ts';
import { TOKEN_ROUTES } from '../../../contract/dashboard/token-routes.ts';
import { TOKEN_VERBS } from '../../../contract/permissions.ts';
import {
  addMember,
  type Client,
  type DashboardServer,
  PASSWORD,
  type Person,
  setUpOwner,
  startDashboard,
} from '../../../test/dashboard-server.ts';
import { createDigest } from '../../access/api-keys/digest.ts';
import { mintKey } from '../../access/api-keys/key-format.ts';
import { signLink } from '../../access/sessions/signed-link.ts';
import { createTokenGate } from '../../access/tokens/token-gate.ts';
import { mintToken } from '../../access/tokens/token-format.ts';
import { newId } from '../../kernel/ids.ts';
import { clearSessionFactors } from '../../store/accounts/authenticator.ts';
import { readPasswordHash } from '../../store/accounts/passwords.ts';
import { openDb } from '../../store/db.ts';
import { accessToken } from '../../store/schema/access-token.ts';
import { audit } from '../../store/schema/audit.ts';
import { session } from '../../store/schema/identity.ts';
import { endSignInSessions } from '../../store/sign-in/providers.ts';

/** Generated from the route table: no access token opens more than contract/dashboard/token-routes.ts declares. */
let server: DashboardServer;
let owner: Person & { orgId: string };
let orgId: string;
let agentId: string;
let otherAgentId: string;

beforeAll(async () => {
  server = await startDashboard();
  owner = await setUpOwner(server);
  orgId = owner.orgId;
  agentId = (await owner.call(`POST ${at()}/agents`, { name: 'Mine' })).body.id;
  otherAgentId = (await owner.call(`POST ${at()}/agents`, { name: 'Other' })).body.id;
});
afterAll(() => server.stop());

const at = (org = orgId): string => `/organizations/${org}`;
const bearer =
  (value: string, cookie: string | null = null): Client =>
  (call, body, headers) =>
    server.as(cookie)(call, body, { authorization: `Bearer ${value}`, ...headers });

async function make(by: Client, body: object = {}, org = orgId) {
  const made = await by(`POST ${at(org)}/access-tokens`, { label: 'CI', verbs: [...TOKEN_VERBS], ...body });
  expect({ status: made.status, body: made.body }).toMatchObject({ status: 201 });
  return { id: made.body.id as string, call: bearer(made.body.value), value: made.body.value as string };
}
const codeOf = async (call: Client, what: string, body?: unknown) => {
  const { status, body: answer } = await call(what, body);
  return status < 400 ? 'allowed' : (answer.code as string);
};

const all = Object.entries<DashboardRoute>(DASHBOARD_ROUTES);
const PREFIXES: Record<string, Parameters<typeof newId>[0]> = { agent_id: 'agent', token_id: 'token', key_id: 'key' };
const callOf = ({ method, path }: DashboardRoute, ids: Record<string, string>): string =>
  `${method} ${path.replaceAll(/:(\w+)/g, (_all, name: string) => ids[name] ?? (PREFIXES[name] ? newId(PREFIXES[name]) : '7'))}`;
const bodyFor = ({ body, rawBody }: DashboardRoute): unknown => (body && rawBody === undefined ? {} : undefined);
/** Refusals that come from the gate: with none of them the token was let through to the route. */
const GATE =
  /^(token_|session_missing|role_missing|organization_not_found|second_factor_required|operator_required|personal_)/;

describe('every route of the dashboard', () => {
  const tokens: Record<string, Client> = {};
  let foreign: string;

  beforeAll(async () => {
    for (const verb of TOKEN_VERBS) tokens[verb] = (await make(owner.call, { verbs: [verb] })).call;
    tokens['robot'] = (await make(owner.call, { kind: 'organization', role: 'member' })).call;
    tokens['narrow'] = (await make(owner.call, { agent_ids: [agentId] })).call;
    tokens['viewing'] = (await make((await addMember(server, owner.call, orgId, 'viewer')).call)).call;
    tokens['viewing robot'] = (await make(owner.call, { kind: 'organization', role: 'viewer' })).call;
    const revoked = await make(owner.call);
    await owner.call(`POST ${at()}/access-tokens/${revoked.id}/revoke`);
    tokens['revoked'] = revoked.call;
    const expired = await make(owner.call);
    await server.db.$client.query('ALTER TABLE access_token DISABLE TRIGGER access_token_rules');
    const past = { expiresAt: new Date(Date.now() - 1_000) };
    await server.db.update(accessToken).set(past).where(eq(accessToken.id, expired.id));
    await server.db.$client.query('ALTER TABLE access_token ENABLE TRIGGER access_token_rules');
    tokens['expired'] = expired.call;
    const leaver = await addMember(server, owner.call, orgId, 'admin');
    tokens['of a removed member'] = (await make(leaver.call)).call;
    tokens['robot of a removed admin'] = (await make(leaver.call, { kind: 'organization', role: 'member' })).call;
    const members = (await owner.call(`GET ${at()}/members`)).body.data as { id: string; user_id: string }[];
    await owner.call(`DELETE ${at()}/members/${members.find((one) => one.user_id === leaver.id)!.id}`);
    foreign = (await owner.call('POST /organizations', { name: 'Elsewhere' })).body.id;
    tokens['unknown'] = bearer(mintToken('us'));
    tokens['of another region'] = bearer(mintToken('eu'));
    tokens['an API key'] = bearer(mintKey('us'));
  });

  const isOpen = (name: string, who: string): string | null => {
    const route = DASHBOARD_ROUTES[name as keyof typeof DASHBOARD_ROUTES] as DashboardRoute;
    const verb = TOKEN_ROUTES[name as keyof typeof DASHBOARD_ROUTES];
    if (['unknown', 'of another region', 'an API key'].includes(who)) return 'token_invalid';
    if (who === 'expired') return 'token_expired';
    if (who.startsWith('revoked') || who.includes('removed')) return 'token_revoked';
    if (verb === undefined) return 'token_not_accepted';
    if (verb === 'own') return null;
    if ((TOKEN_VERBS as readonly string[]).includes(who) && who !== verb) return 'token_too_narrow';
    if (who === 'narrow' && !route.path.includes(':agent_id')) return 'token_too_narrow';
    if (who.startsWith('viewing') && route.access !== 'viewer') return 'role_missing';
    return null;
  };

  const WHO = [
    ...TOKEN_VERBS,
    'robot',
    'narrow',
    'viewing',
    'viewing robot',
    'revoked',
    'expired',
    'of a removed member',
    'robot of a removed admin',
    'unknown',
    'of another region',
    'an API key',
  ];

  const guarded = all.filter(([, { access }]) => access !== 'public');
  const opened = guarded.filter(([name]) => name in TOKEN_ROUTES);
  const closed = guarded.filter(([name]) => !(name in TOKEN_ROUTES));

  it.each(opened)('the route %s accepts a token with the declared verb', async (name, route) => {
    expect(await answersTo(route, WHO)).toEqual(expectedOf(name, WHO));
  });
  // The two that could do most; the long test tries them all.
  it.each(closed)('the route %s refuses a token', async (name, route) => {
    const whom = ['robot', 'publish'];
    expect(await answersTo(route, whom)).toEqual(expectedOf(name, whom));
  });
  it.each(closed)('the route %s refuses tokens of every kind', { tags: ['long'] }, async (name, route) => {
    expect(await answersTo(route, WHO)).toEqual(expectedOf(name, WHO));
  });

  const expectedOf = (name: string, whom: readonly string[]) =>
    whom.map((who) => ({ who, refusal: isOpen(name, who) }));

  /** What the gate says to each. Null: it lets the token through to the route. */
  async function answersTo(route: DashboardRoute, whom: readonly string[]) {
    const answers = [];
    for (const who of whom) {
      const ids = { org_id: orgId, agent_id: agentId };
      const { status, body } = await tokens[who]!(callOf(route, ids), bodyFor(route));
      const isGate = status >= 400 && GATE.test(body?.code) && body.code !== 'token_not_found';
      answers.push({ who, refusal: isGate ? body.code : [429, 500, 503].includes(status) ? status : null });
    }
    return answers;
  }

  it.each(opened.filter(([, { path }]) => path.includes(':org_id')))(
    'the route %s refuses a token in another organization of the same person',
    async (_name, route) => {
      const { status, body } = await tokens['robot']!(
        callOf(route, { org_id: foreign, agent_id: agentId }),
        bodyFor(route),
      );
      expect([status, body.code]).toEqual([404, 'organization_not_found']);
    },
  );

  it.each(all.filter(([name, { path }]) => name in TOKEN_ROUTES && path.includes(':agent_id')))(
    'the route %s refuses a token for another agent',
    async (_name, route) => {
      for (const agent_id of [otherAgentId, newId('agent')]) {
        const { status, body } = await tokens['narrow']!(callOf(route, { org_id: orgId, agent_id }), bodyFor(route));
        expect([status, body.code]).toEqual([403, 'token_too_narrow']);
      }
    },
  );

  it('no token is accepted where a higher role than member, or a person, is required', () => {
    for (const name of Object.keys(TOKEN_ROUTES)) {
      const { access, path, method } = DASHBOARD_ROUTES[name as keyof typeof DASHBOARD_ROUTES] as DashboardRoute;
      expect({ name, access }).toEqual({ name, access: expect.stringMatching(/^(viewer|member|any_session)$/) });
      expect(path).not.toMatch(
        /members|invitations|keys|access-tokens|secrets|sign-in|password|second-factor|sessions|conversations|end-user/,
      );
      // Endpoints are read, never changed.
      expect({ name, changes: path.includes('webhooks') && method !== 'GET' }).toEqual({ name, changes: false });
    }
  });
});

describe('a token', () => {
  it('the value is shown once and stored only as a digest', async () => {
    const made = await owner.call(`POST ${at()}/access-tokens`, { label: 'Once', verbs: ['read'] });
    expect(made.body).toMatchObject({ state: 'active', kind: 'person', verbs: ['read'], agent_ids: null });
    expect(made.headers.get('cache-control')).toBe('no-store');
    const days = (Date.parse(made.body.expires_at) - Date.parse(made.body.created_at)) / 86_400_000;
    expect(Math.round(days)).toBe(90);
    const list = await owner.call(`GET ${at()}/access-tokens`);
    expect(JSON.stringify(list.body)).not.toContain(made.body.value);
    const { rows } = await server.db.$client.query(
      `SELECT row_to_json(t)::text AS row FROM access_token t UNION ALL SELECT row_to_json(a)::text FROM audit a
       UNION ALL SELECT row_to_json(d)::text FROM access_token_digest d`,
    );
    expect(rows.some(({ row }: { row: string }) => row.includes(made.body.value.slice(20)))).toBe(false);
  });

  it('a token has no expiry only by an explicit choice', async () => {
    const made = await owner.call(`POST ${at()}/access-tokens`, { label: 'x', verbs: ['read'], expires_in_days: null });
    expect(made.body.expires_at).toBeNull();
    for (const expires_in_days of [31, 0, 10_000, '30'])
      expect(
        await codeOf(owner.call, `POST ${at()}/access-tokens`, { label: 'x', verbs: ['read'], expires_in_days }),
      ).toBe('validation_failed');
  });

  it('a call with a token needs no cookie, and a cookie has no effect', async () => {
    const { value } = await make(owner.call, { verbs: ['read'] });
    const withCookie = bearer(value, owner.cookie);
    expect(await codeOf(withCookie, `GET ${at()}/agents`)).toBe('allowed');
    expect(await codeOf(withCookie, `GET ${at()}/members`)).toBe('token_not_accepted');
    const { headers } = await withCookie(`GET ${at()}/agents`);
    expect(headers.getSetCookie()).toEqual([]);
    // A proxy with a password of its own before the dashboard changes nothing for people.
    const basic = await owner.call(`GET ${at()}/members`, undefined, { authorization: 'Basic YTpi' });
    expect(basic.status).toBe(200);
  });

  it('a token can read its owner', async () => {
    const { call } = await make(owner.call, { kind: 'organization', role: 'viewer', verbs: ['push'] });
    const { body } = await call('GET /session');
    expect(body).toMatchObject({ operator: false, token: { label: 'CI', verbs: ['push'] } });
    expect(body.organizations.map(({ id, role }: { id: string; role: string }) => [id, role])).toEqual([
      [orgId, 'viewer'],
    ]);
  });

  it('a token with only the verb push can change nothing but the draft', async () => {
    const { call } = await make(owner.call, { verbs: ['push'] });
    const { definition } = (await owner.call(`GET ${at()}/agents/${agentId}`)).body;
    const change = `PATCH ${at()}/agents/${agentId}`;
    expect(await codeOf(call, change, { definition, publish: false })).toBe('allowed');
    for (const body of [{ definition }, { name: 'New' }, { enabled: false }, { definition, publish: false, name: 'N' }])
      expect(await codeOf(call, change, body)).toBe('token_too_narrow');
    const both = await make(owner.call, { verbs: ['push', 'publish'] });
    expect(await codeOf(both.call, change, { definition })).toBe('allowed');
  });

  it('a call whose caller is checked again counts once for the limit of the token', async () => {
    const { call } = await make(owner.call, { verbs: ['publish'] });
    const codes = new Set<string>();
    for (let n = 0; n < 310; n += 10) {
      const calls = Array.from({ length: 10 }, () =>
        codeOf(call, `POST ${at()}/approvals/${newId('approval')}`, { decision: 'deny' }),
      );
      for (const code of await Promise.all(calls)) codes.add(code);
    }
    expect([...codes]).toEqual(['approval_not_found']);
  });

  it('the audit log names the token and its person for each action', async () => {
    const { id, call } = await make(owner.call, { label: 'Deploy' });
    await call(`POST ${at()}/agents`, { name: 'By a program' });
    const { body } = await owner.call(`GET ${at()}/audit?limit=5`);
    const line = body.data.find(({ action }: { action: string }) => action === 'agent.created');
    expect(line).toMatchObject({ actor: owner.id, actor_name: 'Owner', token_id: id, token_label: 'Deploy' });
    const exported = await owner.call(`GET ${at()}/audit/export?format=csv`);
    expect(exported.body).toContain(`,${id},Deploy,`);
    const made = await server.db.select().from(audit).where(eq(audit.subjectId, id));
    expect(made).toMatchObject([{ action: 'access_token.created', actor: owner.id, tokenId: null }]);
  });

  it('the last use of a token is stored', async () => {
    const { id, call } = await make(owner.call);
    await call(`GET ${at()}/agents`);
    const lastUse = async () => {
      const { body } = await owner.call(`GET ${at()}/access-tokens?limit=100`);
      return body.data.find((one: { id: string }) => one.id === id).last_used_at;
    };
    await expect.poll(lastUse).not.toBeNull();
  });

  it('each person has a maximum number of tokens', async () => {
    const busy = await addMember(server, owner.call, orgId, 'viewer');
    for (let made = 0; made < 50; made++) await make(busy.call, { verbs: ['read'] });
    expect(await codeOf(busy.call, `POST ${at()}/access-tokens`, { label: 'x', verbs: ['read'] })).toBe(
      'token_limit_reached',
    );
  });
});

describe('who makes, sees and ends tokens', () => {
  it('members create only their own tokens, and only admins create tokens of the organization', async () => {
    const member = await addMember(server, owner.call, orgId, 'member');
    const body = { label: 'x', verbs: ['read'] };
    const path = `POST ${at()}/access-tokens`;
    expect(await codeOf(member.call, path, { ...body, kind: 'organization', role: 'viewer' })).toBe('role_missing');
    expect(await codeOf(member.call, path, { ...body, role: 'member' })).toBe('validation_failed');
    expect(await codeOf(owner.call, path, { ...body, kind: 'organization' })).toBe('validation_failed');
    expect(await codeOf(owner.call, path, { ...body, kind: 'organization', role: 'owner' })).toBe('validation_failed');
    const theirs = await make(owner.call);
    const own = await make(member.call);
    const { data } = (await member.call(`GET ${at()}/access-tokens`)).body;
    expect(data.map(({ id }: { id: string }) => id)).toEqual([own.id]);
    for (const verb of ['revoke', 'replace'])
      expect(await codeOf(member.call, `${path}/${theirs.id}/${verb}`, verb === 'replace' ? {} : undefined)).toBe(
        'token_not_found',
      );
    const seen = (await owner.call(`GET ${at()}/access-tokens?limit=100`)).body.data;
    expect(seen.map(({ id }: { id: string }) => id)).toContain(own.id);
    expect(await codeOf(owner.call, `${path}/${own.id}/replace`, {})).toBe('role_missing');
    expect(await codeOf(owner.call, `${path}/${own.id}/revoke`)).toBe('allowed');
    expect(await codeOf(own.call, `GET ${at()}/agents`)).toBe('token_revoked');
  });

  it('a token for an agent of another organization is refused', async () => {
    const other = (await owner.call('POST /organizations', { name: 'Third' })).body.id;
    const foreign = (await owner.call(`POST ${at(other)}/agents`, { name: 'Far' })).body.id;
    const body = { label: 'x', verbs: ['read'], agent_ids: [agentId, foreign] };
    const { body: answer } = await owner.call(`POST ${at()}/access-tokens`, body);
    expect(answer.errors).toMatchObject([{ pointer: '/agent_ids/1', code: 'not_found' }]);
  });

  it('replacing a token creates a new value for the caller and ends the old value', async () => {
    const admin = await addMember(server, owner.call, orgId, 'admin');
    const robot = await make(admin.call, { kind: 'organization', role: 'member' });
    const made = await owner.call(`POST ${at()}/access-tokens/${robot.id}/replace`, {});
    expect(made).toMatchObject({ status: 201, body: { kind: 'organization', role: 'member', user_id: owner.id } });
    expect(await codeOf(robot.call, 'GET /session')).toBe('token_revoked');
    const members = (await owner.call(`GET ${at()}/members`)).body.data as { id: string; user_id: string }[];
    await owner.call(`DELETE ${at()}/members/${members.find((one) => one.user_id === admin.id)!.id}`);
    expect(await codeOf(bearer(made.body.value), `GET ${at()}/agents`)).toBe('allowed');
  });
});

describe('a token never has more than its person has now', () => {
  const memberOf = async (userId: string): Promise<string> =>
    (await owner.call(`GET ${at()}/members`)).body.data.find((one: { user_id: string }) => one.user_id === userId).id;

  it("a lower role reduces the token's rights, and ends tokens of the organization", async () => {
    const admin = await addMember(server, owner.call, orgId, 'admin');
    const own = await make(admin.call);
    const robot = await make(admin.call, { kind: 'organization', role: 'member' });
    await owner.call(`PATCH ${at()}/members/${await memberOf(admin.id)}`, { role: 'viewer' });
    expect(await codeOf(own.call, `POST ${at()}/agents`, { name: 'x' })).toBe('role_missing');
    expect(await codeOf(own.call, `GET ${at()}/agents`)).toBe('allowed');
    expect(await codeOf(robot.call, `GET ${at()}/agents`)).toBe('token_revoked');
    await owner.call(`PATCH ${at()}/members/${await memberOf(admin.id)}`, { role: 'admin' });
    expect(await codeOf(robot.call, `GET ${at()}/agents`)).toBe('token_revoked');
  });

  it('the current role limits a token, even if the token was not revoked', async () => {
    const admin = await addMember(server, owner.call, orgId, 'admin');
    const robot = await make(admin.call, { kind: 'organization', role: 'member' });
    await server.db.$client.query(`UPDATE member SET role = 'member' WHERE user_id = $1`, [admin.id]);
    expect(await codeOf(robot.call, `GET ${at()}/agents`)).toBe('token_revoked');
    const own = await make(admin.call);
    await server.db.$client.query(`DELETE FROM member WHERE user_id = $1`, [admin.id]);
    expect(await codeOf(own.call, `GET ${at()}/agents`)).toBe('token_revoked');
  });

  it('a person who returns finds the old tokens revoked', async () => {
    const member = await addMember(server, owner.call, orgId, 'member');
    const own = await make(member.call);
    await owner.call(`DELETE ${at()}/members/${await memberOf(member.id)}`);
    const again = await owner.call(`POST ${at()}/invitations`, { email: member.email, role: 'member' });
    await member.call(`POST /invitations/${new URL(again.body.url).pathname.split('/').at(-1)}/join`);
    expect(await codeOf(member.call, `GET ${at()}/agents`)).toBe('allowed');
    expect(await codeOf(own.call, `GET ${at()}/agents`)).toBe('token_revoked');
    const lines = await server.db.select().from(audit).where(eq(audit.subjectId, own.id));
    expect(lines.find(({ action }) => action === 'access_token.revoked')).toMatchObject({
      actor: owner.id,
      facts: { reason: 'person_removed' },
    });
  });

  it('a required second factor stops tokens that were created without one', async () => {
    const other = (await owner.call('POST /organizations', { name: 'Strict' })).body.id;
    const before = await make(owner.call, {}, other);
    await server.db.update(session).set({ signInFactor: true }).where(eq(session.userId, owner.id));
    const after = await make(owner.call, {}, other);
    await owner.call(`PUT ${at(other)}/second-factor`, { required: true });
    expect(await codeOf(before.call, `GET ${at(other)}/agents`)).toBe('second_factor_required');
    expect(await codeOf(after.call, `GET ${at(other)}/agents`)).toBe('allowed');
    await server.db.update(session).set({ signInFactor: false }).where(eq(session.userId, owner.id));
  });

  it('resetting a forgotten password ends the tokens, and changing it does not', async () => {
    const member = await addMember(server, owner.call, orgId, 'member');
    const own = await make(member.call);
    const next = { current_password: PASSWORD, new_password: 'another horse 8 battery' };
    expect((await member.call('PUT /password', next)).status).toBe(204);
    expect(await codeOf(own.call, `GET ${at()}/agents`)).toBe('allowed');
    const hash = (await readPasswordHash(server.db, member.id))!;
    const until = { userId: member.id, expiresAt: new Date(Date.now() + 60_000) };
    const link = signLink(server.secrets.setupKey, 'password', until, hash);
    const reset = await server.as(null)(`POST /password-links/${link}`, { password: 'third horse 9 battery' });
    expect(reset.status).toBe(200);
    expect(await codeOf(own.call, `GET ${at()}/agents`)).toBe('token_revoked');
  });

  it("tokens that were created through the organization's provider end with its sessions", async () => {
    const member = await addMember(server, owner.call, orgId, 'member');
    const own = await make(member.call);
    await server.db.update(session).set({ signInOrgId: orgId }).where(eq(session.userId, member.id));
    const provided = await make(member.call);
    await endSignInSessions(server.db, orgId);
    expect(await codeOf(provided.call, `GET ${at()}/agents`)).toBe('token_revoked');
    expect(await codeOf(own.call, `GET ${at()}/agents`)).toBe('allowed');
  });

  it('tokens no longer count as created with a second factor when the account loses its last one', async () => {
    const member = await addMember(server, owner.call, orgId, 'member');
    await server.db.update(session).set({ signInFactor: true }).where(eq(session.userId, member.id));
    const { id } = await make(member.call);
    await clearSessionFactors(server.db, member.id);
    const rows = await server.db.select().from(accessToken).where(eq(accessToken.id, id));
    expect(rows).toMatchObject([{ signInFactor: false }]);
  });
});

describe('a revoke', () => {
  test('a revoke is effective on every node for each request after its response', async () => {
    const { id, value } = await make(owner.call);
    const url = (server.db.$client as unknown as { options: { connectionString: string } }).options.connectionString;
    const nodes = Array.from({ length: 3 }, () => openDb(url));
    const digest = createDigest(server.secrets.apiKeyPepper);
    const signInLimit = { attempt: async () => {}, isOver: async () => false };
    const gates = nodes.map((db) =>
      createTokenGate({ db, region: 'us', digest, signInLimit, tokenLastUsed: { record: () => {} } }),
    );
    let revoked = false;
    const seen = { before: 0, after: 0, acceptedAfter: 0 };
    const hammer = async (gate: (typeof gates)[number]): Promise<void> => {
      while (seen.after < 60) {
        const isAfter = revoked;
        const { revokedAt } = await gate.find([`Bearer ${value}`], '203.0.113.1');
        seen[isAfter ? 'after' : 'before']++;
        if (isAfter && revokedAt === null) seen.acceptedAfter++;
      }
    };
    const running = gates.flatMap((gate) => [hammer(gate), hammer(gate)]);
    await expect.poll(() => seen.before).toBeGreaterThan(30);
    await owner.call(`POST ${at()}/access-tokens/${id}/revoke`);
    revoked = true;
    await Promise.all(running);
    expect(seen.acceptedAfter).toBe(0);
    await Promise.all(nodes.map((db) => db.$client.end()));
  });

  test('the database refuses to undo a revoke or to change the rights of a token', async () => {
    const { id } = await make(owner.call);
    await owner.call(`POST ${at()}/access-tokens/${id}/revoke`);
    const change = (set: string) =>
      server.db.$client
        .query(`UPDATE access_token SET ${set} WHERE id = $1`, [id])
        .catch((error: Error) => error.message);
    expect(await change('revoked_at = NULL')).toMatch('stays revoked');
    expect(await change(`verbs = ARRAY['publish']`)).toMatch('fixed for life');
    expect(await change('expires_at = NULL')).toMatch('fixed for life');
    const again = await owner.call(`POST ${at()}/access-tokens/${id}/revoke`);
    expect(again).toMatchObject({ status: 200, body: { state: 'revoked' } });
    expect(await codeOf(owner.call, `POST ${at()}/access-tokens/${id}/replace`, {})).toBe('token_not_found');
  });
});

describe('wrong tokens', () => {
  test('wrong tokens count for the limit of their address, and the limit is checked before the database', async () => {
    const strict = await startDashboard({ signIns: { pair: 3, subject: 100, address: 5, node: 1_000 } });
    try {
      const call = (value: string) => strict.as(null)('GET /session', undefined, { authorization: `Bearer ${value}` });
      const codes = [];
      for (let tries = 0; tries < 7; tries++) codes.push((await call(mintToken('us'))).body.code);
      expect(codes).toEqual([...Array(5).fill('token_invalid'), 'rate_limited', 'rate_limited']);
    } finally {
      await strict.stop();
    }
  });
});
