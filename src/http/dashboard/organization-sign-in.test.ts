import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  addMember,
  type DashboardServer,
  type Person,
  setUpOwner,
  startDashboard,
} from '../../../test/dashboard-server.ts';
import { type IdentityProvider, startIdentityProvider, walkThrough } from '../../../test/fakes/identity-provider.ts';
import { STATE_COOKIE } from '../../access/sessions/sign-in-state.ts';

/** Uses a certified OpenID provider on a real port. */
let server: DashboardServer;
let owner: Person & { orgId: string };
let provider: IdentityProvider;
/** The answers of the DNS. */
const records = new Map<string, string[]>();

beforeAll(async () => {
  server = await startDashboard({
    egressAllow: ['127.0.0.1'],
    lookUpTxt: async (name) => records.get(name) ?? [],
  });
  owner = await setUpOwner(server);
  provider = await startIdentityProvider();
  await settle(owner, 'example.com', provider);
});
afterAll(async () => {
  await provider.stop();
  await server.stop();
});

type Owner = Pick<Person, 'call'> & { orgId: string };

/** Configures the provider in the organization and proves the domain. */
async function settle(by: Owner, domain: string, at: IdentityProvider): Promise<void> {
  const { issuer, clientId, clientSecret } = at;
  const credentials = { issuer, client_id: clientId, client_secret: clientSecret };
  const set = await by.call(`PUT /organizations/${by.orgId}/sign-in`, credentials);
  expect(set.status, JSON.stringify(set.body)).toBe(200);
  at.allow(set.body.callback_url);
  await prove(by, domain);
}

async function prove({ call, orgId }: Owner, domain: string): Promise<void> {
  const added = await call(`POST /organizations/${orgId}/sign-in/domains`, { domain });
  records.set(added.body.record.name, [added.body.record.value]);
  expect((await call(`POST /organizations/${orgId}/sign-in/domains/${domain}/verify`)).status).toBe(200);
}

/** Another organization with its own owner. */
async function another(at: IdentityProvider, domain: string): Promise<Owner> {
  const person = await addMember(server, owner.call, owner.orgId, 'viewer');
  const { body } = await person.call('POST /organizations', { name: domain });
  await settle({ call: person.call, orgId: body.id }, domain, at);
  return { call: person.call, orgId: body.id };
}

/** The start: the URL for the browser, and its cookie. */
async function begin(email = 'layla@example.com', back?: string) {
  const answer = await server.as(null)('POST /sign-in/organization', { email, ...(back && { back }) });
  const stateCookie = answer.headers.getSetCookie().find((line) => line.startsWith(STATE_COOKIE));
  return { ...answer, url: answer.body?.url as string, kept: stateCookie?.split(';')[0] ?? '' };
}

/** The callback, as the browser sends it. */
async function comeBack(url: string, stateCookie: string) {
  const { pathname, search } = new URL(url);
  const answer = await fetch(server.url.replace('/dashboard/api', '') + pathname + search, {
    redirect: 'manual',
    headers: { cookie: stateCookie, 'sec-fetch-site': 'cross-site' },
  });
  const to = new URL(answer.headers.get('location') ?? 'about:blank');
  const session = answer.headers.getSetCookie().find((line) => line.startsWith('__Host-parley_session='));
  const cookie = session?.split(';')[0] ?? null;
  const cleared = answer.headers.getSetCookie().some((line) => line.startsWith(`${STATE_COOKIE}=;`));
  return {
    status: answer.status,
    site: to.origin,
    page: to.pathname + to.search,
    problem: to.searchParams.get('problem'),
    cookie,
    cleared,
    call: server.as(cookie),
  };
}

async function signIn(person: IdentityProvider['person'], email = 'layla@example.com', back?: string) {
  provider.person = person;
  const { url, kept } = await begin(email, back);
  return comeBack(await walkThrough(provider, url), kept);
}

const layla = { sub: 'layla', email: 'Layla@Example.com', email_verified: true, name: 'Layla Haddad' };

describe('signing in with the provider of an organization', () => {
  it('signing in creates the person and the membership, and opens a session of this organization', async () => {
    const back = await signIn(layla, undefined, '/agents?text=x');
    expect(back).toMatchObject({ status: 303, page: '/agents?text=x' });
    const view = await back.call('GET /session');
    expect(view.body).toMatchObject({
      user: { name: 'Layla Haddad', email: 'layla@example.com' },
      operator: false,
      only_organization: owner.orgId,
      organizations: [{ id: owner.orgId, role: 'member' }],
    });
    const { data } = (await owner.call(`GET /organizations/${owner.orgId}/audit`)).body;
    const actions = data.map(({ action }: { action: string }) => action);
    expect(actions.filter((action: string) => /sign_in|joined/.test(action)).toSorted()).toEqual([
      'member.joined',
      'sign_in_domain.added',
      'sign_in_domain.proven',
      'sign_in_provider.set',
    ]);
  });

  it('a person is recognized by the subject of the provider, even with another e-mail address of the domain', async () => {
    const first = await (await signIn(layla)).call('GET /session');
    const again = await (await signIn({ ...layla, email: 'l.haddad@example.com' })).call('GET /session');
    expect(again.body.user).toEqual(first.body.user);
  });

  it('the address comes from userinfo if the ID token has none', async () => {
    const thin = await startIdentityProvider();
    thin.thin = true;
    const { call, orgId } = await another(thin, 'thin.example');
    thin.person = { sub: 't', email: 't@thin.example', email_verified: true };
    const { url, kept } = await begin('t@thin.example');
    const back = await comeBack(await walkThrough(thin, url), kept);
    expect((await back.call('GET /session')).body.only_organization).toBe(orgId);
    expect((await call(`GET /organizations/${orgId}/members`)).body.data).toHaveLength(2);
    await thin.stop();
  });

  it('a new person gets the role that the owner chose, and the role of a member never changes', async () => {
    const role = (default_role: string) => owner.call(`PUT /organizations/${owner.orgId}/sign-in`, { default_role });
    await role('viewer');
    const back = await signIn({ sub: 'v', email: 'v@example.com', email_verified: true });
    expect((await back.call('GET /session')).body.organizations[0].role).toBe('viewer');
    await role('admin');
    const again = await signIn({ sub: 'v', email: 'v@example.com', email_verified: true });
    expect((await again.call('GET /session')).body.organizations[0].role).toBe('viewer');
    await role('member');
    expect((await role('owner')).status).toBe(422);
  });

  it('every address of a proven domain gets the same response, and an unproven domain has no provider', async () => {
    const [known, unknown] = [await begin('layla@example.com'), await begin('nobody@example.com')];
    expect([known.status, unknown.status]).toEqual([200, 200]);
    expect(Object.keys(known.body)).toEqual(Object.keys(unknown.body));
    for (const email of ['x@elsewhere.example', 'no address', 'x@localhost', '@example.com', 'a b@example.com']) {
      expect((await begin(email)).body.code).toBe('sign_in_provider_not_found');
    }
  });
});

describe('a session opened through a provider', () => {
  it('the session has access only to its own organization, although the person is an owner elsewhere', async () => {
    const person = await addMember(server, owner.call, owner.orgId, 'admin', 'sami@example.com');
    const mine = (await person.call('POST /organizations', { name: 'Of Sami' })).body.id;
    const { call } = await signIn({ sub: 'sami', email: person.email, email_verified: true });

    expect((await call(`GET /organizations/${owner.orgId}`)).body.role).toBe('admin');
    for (const route of [
      `GET /organizations/${mine}`,
      `GET /organizations/${mine}/members`,
      `GET /organizations/${mine}/keys`,
    ])
      expect((await call(route)).body.code).toBe('organization_not_found');
    expect((await call('GET /organizations')).body.data.map(({ id }: { id: string }) => id)).toEqual([owner.orgId]);
    expect((await call('GET /session')).body.organizations).toHaveLength(1);
    // With a password session, the person reaches both.
    expect((await person.call(`GET /organizations/${mine}`)).status).toBe(200);
  });

  it('the session can change nothing of the account itself', async () => {
    const { call } = await signIn(layla);
    const passwords = { current_password: 'correct horse battery', new_password: 'another horse battery' };
    const personal: [string, unknown?][] = [
      ['PUT /password', passwords],
      ['GET /sessions'],
      ['DELETE /sessions'],
      ['POST /organizations', { name: 'Mine' }],
    ];
    for (const [route, body] of personal) expect((await call(route, body)).body.code).toBe('personal_session_required');
  });

  it('the session never has the rights of the operator', async () => {
    await prove(owner, 'example.qa');
    const { call } = await signIn({ sub: 'operator', email: owner.email, email_verified: true }, owner.email);
    expect((await call('GET /session')).body).toMatchObject({ operator: false, organizations: [{ role: 'owner' }] });
    expect((await call(`PUT /organizations/${owner.orgId}/plan`, { plan: 'free' })).body.code).toBe(
      'operator_required',
    );
    expect((await call('GET /organizations?all=true')).body.code).toBe('operator_required');
  });

  it('the session counts as a second factor only if the provider says that it required one', async () => {
    const require = (required: boolean) =>
      server.db.execute(sql`UPDATE organization SET requires_second_factor = ${required} WHERE id = ${owner.orgId}`);
    const read = async (amr: string[]) => {
      const { call } = await signIn({ ...layla, amr });
      return [call, (await call(`GET /organizations/${owner.orgId}`)).body] as const;
    };
    await require(true);
    try {
      for (const amr of [[], ['pwd'], ['pwd', 'sms-like']]) {
        const [call, body] = await read(amr);
        expect([amr, body.code]).toEqual([amr, 'second_factor_required']);
        expect((await call('GET /session')).body.organizations).toMatchObject([{ second_factor_required: true }]);
        // It changes nothing of the account itself: the factor is set up at the provider, or in an ordinary session.
        const begun = await call('POST /second-factor/authenticator', { password: 'x' });
        expect(begun.body.code).toBe('personal_session_required');
      }
      for (const amr of [['mfa'], ['pwd', 'otp'], ['hwk']]) {
        const [, body] = await read(amr);
        expect([amr, body.id]).toEqual([amr, owner.orgId]);
      }
    } finally {
      await require(false);
    }
  });

  it('the session ends with the settings that opened it', async () => {
    const ends: [string, unknown?][] = [
      [`PUT /organizations/${owner.orgId}/sign-in`, { enabled: false }],
      [`PUT /organizations/${owner.orgId}/sign-in`, { client_id: 'another' }],
    ];
    for (const [route, body] of ends) {
      const { call } = await signIn(layla);
      expect((await call('GET /session')).status).toBe(200);
      expect((await owner.call(route, body)).status).toBe(200);
      expect((await call('GET /session')).status).toBe(401);
      const { clientId, clientSecret } = provider;
      const right = { client_id: clientId, client_secret: clientSecret, enabled: true };
      await owner.call(`PUT /organizations/${owner.orgId}/sign-in`, right);
    }
  });
});

describe('a person who may not sign in', () => {
  const refused = async (person: object, email?: string) => (await signIn({ ...layla, ...person }, email)).problem;

  it('the sign-in page shows the reason: unverified address, other domain, no address, declined', async () => {
    expect(await refused({ sub: 'a', email: 'a@example.com', email_verified: false })).toBe('sign_in_address_refused');
    expect(await refused({ sub: 'b', email: 'b@other.example' })).toBe('sign_in_address_refused');
    expect(await refused({ sub: 'c', email: undefined })).toBe('sign_in_address_refused');
    expect(await refused({ sub: 'd', email: 'd@sub.example.com' })).toBe('sign_in_address_refused');
    expect((await signIn(null)).problem).toBe('sign_in_refused');
    const { data } = (await owner.call(`GET /organizations/${owner.orgId}/members`)).body;
    expect(data.filter(({ email }: { email: string }) => /^[abcd]@/.test(email))).toEqual([]);
  });

  it('a person does not get an address that belongs to another subject', async () => {
    await signIn({ sub: 'old', email: 'post@example.com', email_verified: true });
    expect(await refused({ sub: 'new', email: 'post@example.com' })).toBe('sign_in_address_refused');
  });

  it('a removed person can return only with an invitation to the address', async () => {
    const gone = { sub: 'gone', email: 'gone@example.com', email_verified: true };
    const { call } = await signIn(gone);
    const { data } = (await owner.call(`GET /organizations/${owner.orgId}/members`)).body;
    const { id } = data.find(({ email }: { email: string }) => email === gone.email);
    await owner.call(`DELETE /organizations/${owner.orgId}/members/${id}`);
    expect((await call('GET /session')).status).toBe(401);
    expect((await signIn(gone)).problem).toBe('membership_ended');
    await owner.call(`POST /organizations/${owner.orgId}/invitations`, { email: gone.email, role: 'owner' });
    const back = await signIn(gone);
    expect((await back.call('GET /session')).body.organizations[0].role).toBe('member');
    expect((await owner.call(`GET /organizations/${owner.orgId}/invitations`)).body.data).toEqual([]);
  });
});

describe('a callback', () => {
  it('a callback works once, in the same browser, for its own organization, and with its own state', async () => {
    provider.person = layla;
    const { url, kept } = await begin();
    const back = await walkThrough(provider, url);
    expect((await comeBack(back, '')).problem).toBe('sign_in_expired');
    expect((await comeBack(back, (await begin()).kept)).problem).toBe('sign_in_expired');
    expect((await comeBack(back, `${kept}x`)).problem).toBe('sign_in_expired');
    const planted = await comeBack(back.replace(/state=[^&]*/, 'state=x'), kept);
    expect(planted).toMatchObject({ problem: 'sign_in_expired', cleared: false });
    const otherId = owner.orgId.replace(/.$/, (last) => (last === 'z' ? 'y' : 'z'));
    expect((await comeBack(back.replace(owner.orgId, otherId), kept)).problem).toBe('sign_in_expired');
    expect((await comeBack(back, kept)).problem).toBe(null);
    expect((await comeBack(back, kept)).problem).toBe('sign_in_expired');
  });

  it('a callback leads only to a page of Parley', async () => {
    for (const back of [
      '//evil.example',
      '/\\evil.example',
      // URL parsers remove tabs and line breaks.
      '/\t/evil.example',
      '/\n\\evil.example',
      '/dashboard/api/openapi.json',
      '/./dashboard/api/openapi.json',
      '/dash\tboard/api/openapi.json',
    ]) {
      const { site, page } = await signIn(layla, undefined, back);
      expect({ back, site, page }).toEqual({ back, site: 'https://us.parley.example', page: '/' });
    }
    expect((await begin(undefined, 'https://evil.example')).status).toBe(422);
  });
});

describe('a domain', () => {
  it('a domain is proven only while its DNS record exists, which is looked up each time', async () => {
    const base = `/organizations/${owner.orgId}/sign-in/domains`;
    const { body } = await owner.call(`POST ${base}`, { domain: 'Bücher.Example' });
    expect(body).toMatchObject({ domain: 'xn--bcher-kva.example', proven_by: null });
    const verify = () => owner.call(`POST ${base}/${body.domain}/verify`);
    expect((await verify()).body.code).toBe('domain_unproven');
    records.set(body.domain, ['v=spf1 -all', `${body.record.value}x`]);
    expect((await verify()).body.code).toBe('domain_unproven');
    records.set(body.domain, ['v=spf1 -all', body.record.value]);
    expect((await verify()).body).toMatchObject({ proven_by: 'dns' });
    expect((await begin('a@bücher.example')).status).toBe(200);
    records.delete(body.domain);
    expect((await verify()).body.code).toBe('domain_unproven');
    expect((await begin('a@bücher.example')).body.code).toBe('sign_in_provider_not_found');
  });

  it('a domain belongs to one organization at a time', async () => {
    const { call, orgId } = await another(provider, 'taken.example');
    const mine = `/organizations/${owner.orgId}/sign-in/domains`;
    const { body } = await owner.call(`POST ${mine}`, { domain: 'taken.example' });
    records.set('taken.example', [body.record.value]);
    expect((await owner.call(`POST ${mine}/taken.example/verify`)).body.code).toBe('domain_taken');
    await call(`DELETE /organizations/${orgId}/sign-in/domains/taken.example`);
    expect((await owner.call(`POST ${mine}/taken.example/verify`)).status).toBe(200);
  });

  it('a domain may be confirmed by the operator, but not by an owner', async () => {
    const { call, orgId } = await another(provider, 'own.example');
    const path = `/organizations/${orgId}/sign-in/domains`;
    await call(`POST ${path}`, { domain: 'plain.example' });
    expect((await call(`POST ${path}/plain.example/confirm`)).body.code).toBe('operator_required');
    expect((await owner.call(`POST ${path}/plain.example/confirm`)).body).toMatchObject({ proven_by: 'operator' });
    expect((await owner.call(`POST ${path}/unclaimed.example/confirm`)).body.code).toBe('sign_in_domain_not_found');
    // The record never existed, so its absence proves nothing.
    expect((await call(`POST ${path}/plain.example/verify`)).body.code).toBe('domain_unproven');
    expect((await begin('x@plain.example')).status).toBe(200);
  });

  it('a domain must be a name that can receive mail', async () => {
    for (const domain of ['localhost', '127.0.0.1', 'a b.example', 'x@y.example', '-a.example', 'a..example'])
      expect((await owner.call(`POST /organizations/${owner.orgId}/sign-in/domains`, { domain })).status).toBe(422);
  });
});

describe('the settings', () => {
  it('only owners can read and change the settings', async () => {
    const admin = await addMember(server, owner.call, owner.orgId, 'admin');
    const path = `/organizations/${owner.orgId}/sign-in`;
    const all: [string, unknown?][] = [
      [`GET ${path}`],
      [`PUT ${path}`, { enabled: false }],
      [`DELETE ${path}`],
      [`POST ${path}/check`, { issuer: provider.issuer }],
      [`POST ${path}/domains`, { domain: 'a.example' }],
      [`POST ${path}/domains/example.com/verify`],
      [`DELETE ${path}/domains/example.com`],
    ];
    for (const [route, body] of all) expect((await admin.call(route, body)).body.code).toBe('role_missing');
  });

  it('the settings never show the secret, and a new issuer requires it again', async () => {
    const path = `PUT /organizations/${owner.orgId}/sign-in`;
    const shown = await owner.call(path, { enabled: true });
    expect(JSON.stringify(shown.body)).not.toContain(provider.clientSecret);
    const moved = await owner.call(path, { issuer: 'http://127.0.0.1:45678/other', client_id: 'parley' });
    expect(moved.body).toMatchObject({ code: 'validation_failed', errors: [{ pointer: '/client_secret' }] });
    expect(
      (await owner.call(path, { issuer: 'https://10.0.0.1', client_id: 'x', client_secret: 'y' })).body,
    ).toMatchObject({
      errors: [{ pointer: '/issuer', code: 'address_refused' }],
    });
  });

  it('the settings show the provider’s own metadata', async () => {
    const path = `POST /organizations/${owner.orgId}/sign-in/check`;
    const look = await owner.call(path, { issuer: provider.issuer });
    expect(look.body).toMatchObject({ issuer: provider.issuer, token_endpoint: `${provider.issuer}/token` });
  });
});
