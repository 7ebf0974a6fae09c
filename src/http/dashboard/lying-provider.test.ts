import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type DashboardServer, type Person, setUpOwner, startDashboard } from '../../../test/dashboard-server.ts';
import { type LyingProvider, startLyingProvider } from '../../../test/fakes/lying-provider.ts';

/** Faults of a provider, accidental or malicious: the owner of an organization chooses the provider. */
let server: DashboardServer;
let owner: Person & { orgId: string };
let provider: LyingProvider;
let settings: string;

beforeAll(async () => {
  // This machine stands for the internal network: only the provider's own port is allowed.
  server = await startDashboard({ egressAllow: ['127.0.0.1'] });
  owner = await setUpOwner(server);
  settings = `/organizations/${owner.orgId}/sign-in`;
  await owner.call(`POST ${settings}/domains`, { domain: 'example.com' });
  await owner.call(`POST ${settings}/domains/example.com/confirm`);
});
afterAll(() => server.stop());
beforeEach(async () => {
  provider = await startLyingProvider();
  const credentials = { issuer: provider.issuer, client_id: 'parley', client_secret: 'the client secret' };
  await owner.call(`PUT ${settings}`, credentials);
  provider.claims = { email: 'layla@example.com', email_verified: true };
});
afterEach(() => provider.stop());

const begin = () => server.as(null)('POST /sign-in/organization', { email: 'layla@example.com' });

async function signIn(change?: Record<string, string>): Promise<string | null> {
  const begun = await begin();
  expect(begun.status, JSON.stringify(begun.body)).toBe(200);
  const stateCookie = begun.headers.getSetCookie()[0]!.split(';')[0]!;
  const { pathname, search } = new URL(provider.wayBack(begun.body.url, change));
  const back = await fetch(new URL(pathname + search, server.url), {
    redirect: 'manual',
    headers: { cookie: stateCookie },
  });
  expect(back.status).toBe(303);
  const problem = new URL(back.headers.get('location')!).searchParams.get('problem');
  const session = back.headers.getSetCookie().some((line) => line.startsWith('__Host-parley_session='));
  expect(session).toBe(problem === null);
  return problem;
}

const inTheInnerNetwork = 'http://10.1.2.3:8080/';

it('an honest provider signs a person in, and only its token endpoint gets the secret', async () => {
  expect(await signIn()).toBe(null);
  const sent = new URLSearchParams(provider.redeemed[0]);
  expect(Object.fromEntries(sent)).toMatchObject({
    grant_type: 'authorization_code',
    client_secret: 'the client secret',
  });
  expect(sent.get('code_verifier')).toMatch(/^[\w-]{43}$/);
});

describe('an ID token', () => {
  const now = () => Math.floor(Date.now() / 1000);
  const wrong: [string, () => Record<string, unknown>][] = [
    ['for another client', () => ({ aud: 'another' })],
    ['for several clients, meant for another', () => ({ aud: ['parley', 'another'], azp: 'another' })],
    ['of another issuer', () => ({ iss: 'https://accounts.example' })],
    ['of another sign-in', () => ({ nonce: 'another' })],
    ['without a nonce', () => ({ nonce: undefined })],
    ['that has run out', () => ({ iat: now() - 500, exp: now() - 90 })],
    ['that is not valid yet', () => ({ nbf: now() + 90 })],
    ['without a subject', () => ({ sub: undefined })],
  ];
  it.each(wrong)('an ID token %s is refused', async (_, claims) => {
    Object.assign(provider.claims, claims());
    expect(await signIn()).toBe('sign_in_refused');
  });

  it('an ID token that another key signed is refused', async () => {
    provider.forged = true;
    expect(await signIn()).toBe('sign_in_refused');
  });

  it('an ID token from a clock that is wrong by a minute is accepted', async () => {
    provider.claims = { ...provider.claims, iat: now() - 400, exp: now() - 40 };
    expect(await signIn()).toBe(null);
  });
});

describe('the callback', () => {
  it('a callback from another issuer, or with a refusal, is refused before any code is sent', async () => {
    provider.discovery = { authorization_response_iss_parameter_supported: true };
    expect(await signIn({ iss: 'https://accounts.example' })).toBe('sign_in_refused');
    expect(await signIn({ error: 'access_denied', error_description: 'no' })).toBe('sign_in_refused');
    expect(provider.redeemed).toEqual([]);
  });
});

describe('a provider that', () => {
  /** The result of the test under Settings. A sign-in is refused too, and strangers do not learn why. */
  async function refusal(): Promise<string> {
    const found = await owner.call(`POST ${settings}/check`, { issuer: provider.issuer });
    const begun = await begin();
    const detail = 'The provider of your organization returned an error. Try again later.';
    expect(begun.body).toMatchObject({ status: 502, code: 'provider_failed', detail });
    expect(found.body).toMatchObject({ status: 502, code: 'provider_failed' });
    return found.body.detail;
  }
  const discovery = '/.well-known/openid-configuration';

  it('a provider with another issuer name is refused', async () => {
    provider.discovery = { issuer: 'https://accounts.example' };
    expect(await refusal()).toMatch(/issuer/);
  });

  it('a provider that has moved is refused, because no redirect is followed', async () => {
    provider.instead.set(discovery, (response) => response.writeHead(302, { location: inTheInnerNetwork }).end());
    expect(await refusal()).toMatch(/status/);
  });

  it('a server that is not an OpenID provider is refused', async () => {
    for (const text of ['<html>', '[]', 'null', '{"issuer":5}', '{}', `{"issuer":"${provider.issuer}"}`]) {
      provider.instead.set(discovery, (response) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(text),
      );
      expect(await refusal()).toMatch(/./);
    }
    provider.instead.set(discovery, (response) => response.end('x'.repeat(400_000)));
    expect(await refusal()).toMatch(/./);
  });

  it('a provider that does not answer is refused', async () => {
    await provider.stop();
    expect(await refusal()).toMatch(/./);
  });

  it('a provider with an internal address in any of its endpoints is refused', async () => {
    for (const part of ['authorization_endpoint', 'token_endpoint', 'jwks_uri']) {
      provider.discovery = { [part]: inTheInnerNetwork };
      expect(await refusal()).toMatch(new RegExp(`The ${part} of the provider is refused`));
    }
    provider.discovery = { authorization_endpoint: 'javascript:alert(1)' };
    expect(await refusal()).toMatch(/authorization_endpoint/);
  });

  it('a provider whose userinfo endpoint has an internal address is refused when the endpoint is called', async () => {
    provider.claims = { email: undefined };
    provider.discovery = { userinfo_endpoint: inTheInnerNetwork };
    expect(await signIn()).toBe('provider_failed');
  });

  it('a provider that redirects the token request is refused, because no redirect is followed', async () => {
    provider.instead.set('/token', (response) => response.writeHead(307, { location: inTheInnerNetwork }).end());
    expect(await signIn()).toBe('sign_in_refused');
  });
});
