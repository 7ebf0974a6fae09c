import * as oidc from 'openid-client';
import { Refusal } from '../../../contract/problems.ts';
import { addressFault } from '../../kernel/check-address.ts';
import { type Egress, EgressError } from '../../kernel/egress.ts';
import { oneLine } from '../../kernel/one-line.ts';

/**
 * OpenID Connect with providers that organizations choose, through openid-client (discovery, authorization code with
 * PKCE, state and nonce). The issuer, audience, nonce, times and signature of the ID token are checked. Every URL comes
 * from a stranger or from a server of a stranger (token, keys, userinfo). All calls use egress, which checks host and
 * scheme, follows no redirect, and limits time and size.
 */
export type OidcClient = { orgId: string; issuer: string; clientId: string; clientSecret: string };

/** The data that the browser stores until the provider calls back. */
export type OidcChecks = { state: string; nonce: string; codeVerifier: string };

/** The person whose identity the provider confirms. */
export type Identity = {
  subject: string;
  email: string | null;
  /** False only if the provider says so, because some providers never send this claim. */
  emailVerified: boolean;
  /** The Workspace domain if the provider is Google, otherwise null. */
  hostedDomain: string | null;
  name: string | null;
  /** The provider confirms more than a password (RFC 8176). */
  secondFactor: boolean;
};

export type OidcLook = Pick<oidc.ServerMetadata, 'issuer'> & {
  authorizationEndpoint: string;
  tokenEndpoint: string;
  jwksUri: string;
  scopes: string[];
};

export type Oidc = {
  look(issuer: string): Promise<OidcLook>;
  begin(client: OidcClient, redirectUri: string, email: string): Promise<{ url: string; checks: OidcChecks }>;
  finish(client: OidcClient, redirectUri: string, query: string, checks: OidcChecks): Promise<Identity>;
};

/** A person waits during each call to the provider. */
const TIMEOUT_MS = 8_000;
const MAX_BYTES = 256 * 1024;
const CLOCK_SKEW_SECONDS = 60;
/** Parley caches the metadata of a provider for this time. */
const KEPT_MS = 10 * 60_000;
const MAX_KEPT = 500;
const SCOPE = 'openid email profile';
const MAX_NAME = 100;
/** Authentication methods that are a second factor or imply one. */
const SECOND_FACTORS = ['mfa', 'otp', 'hwk', 'swk'];
const GOOGLE = 'https://accounts.google.com';

type Deps = { egress: Egress; now: () => number; timeoutMs?: number };

export function createOidc({ egress, now, timeoutMs = TIMEOUT_MS }: Deps): Oidc {
  const fetch = egress.fetchWith({ timeoutMs, maxBytes: MAX_BYTES }) as oidc.CustomFetch;
  const cached = new Map<string, { key: string; until: number; config: oidc.Configuration }>();

  async function configOf(client: OidcClient): Promise<oidc.Configuration> {
    const key = JSON.stringify(client);
    const known = cached.get(client.orgId);
    if (known?.key === key && known.until > now()) return known.config;
    const config = await discover(egress, fetch, client);
    cached.delete(client.orgId);
    cached.set(client.orgId, { key, until: now() + KEPT_MS, config });
    if (cached.size > MAX_KEPT) cached.delete(cached.keys().next().value!);
    return config;
  }

  return {
    look: (issuer) =>
      asked(async () => {
        const found = (
          await discover(egress, fetch, { issuer, clientId: 'none', clientSecret: 'none' })
        ).serverMetadata();
        return {
          issuer: found.issuer,
          authorizationEndpoint: found.authorization_endpoint!,
          tokenEndpoint: found.token_endpoint!,
          jwksUri: found.jwks_uri!,
          scopes: (Array.isArray(found.scopes_supported) ? found.scopes_supported : []).slice(0, 50).map(String),
        };
      }),
    begin: (client, redirectUri, email) =>
      asked(async () => {
        const config = await configOf(client);
        const checks = {
          state: oidc.randomState(),
          nonce: oidc.randomNonce(),
          codeVerifier: oidc.randomPKCECodeVerifier(),
        };
        const url = oidc.buildAuthorizationUrl(config, {
          redirect_uri: redirectUri,
          scope: SCOPE,
          state: checks.state,
          nonce: checks.nonce,
          code_challenge: await oidc.calculatePKCECodeChallenge(checks.codeVerifier),
          code_challenge_method: 'S256',
          login_hint: email,
        });
        return { url: url.href, checks };
      }),
    async finish(client, redirectUri, query, { state, nonce, codeVerifier }) {
      const config = await asked(() => configOf(client));
      return redeemed(async () => {
        const tokens = await oidc.authorizationCodeGrant(config, new URL(`${redirectUri}?${query}`), {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
        });
        const claims = tokens.claims()!;
        // Some providers do not include the address in the ID token.
        const more =
          claims['email'] === undefined && config.serverMetadata().userinfo_endpoint !== undefined
            ? await oidc.fetchUserInfo(config, tokens.access_token, claims.sub)
            : {};
        return identityOf(client.issuer, { ...more, ...claims });
      });
    },
  };
}

async function discover(
  egress: Egress,
  fetch: oidc.CustomFetch,
  { issuer, clientId, clientSecret }: Omit<OidcClient, 'orgId'>,
): Promise<oidc.Configuration> {
  const config = await oidc.discovery(
    new URL(issuer),
    clientId,
    { [oidc.clockTolerance]: CLOCK_SKEW_SECONDS },
    authentication(clientSecret),
    // As for every call, egress accepts plain http only if the operator allowed the host.
    { [oidc.customFetch]: fetch, execute: [oidc.allowInsecureRequests, oidc.enableNonRepudiationChecks] },
  );
  const found = config.serverMetadata();
  // The library would also accept issuer names for many tenants (Entra's "common"), where anyone can create an account.
  if (new URL(found.issuer).href !== new URL(issuer).href) {
    throw new Odd('The provider reports a different issuer.');
  }
  for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const) {
    if (typeof found[name] !== 'string') throw new Odd(`The provider does not publish a ${name}.`);
    const refused = (await addressFault(egress, '/issuer', found[name]))?.detail ?? null;
    if (refused !== null) throw new Odd(`The ${name} of the provider is refused. ${refused}`);
  }
  return config;
}

/**
 * The credentials are sent in the body if the provider supports that, because some providers decode special characters
 * in the header differently.
 */
const authentication = (secret: string): oidc.ClientAuth => {
  const inBody = oidc.ClientSecretPost(secret);
  const inHeader = oidc.ClientSecretBasic(secret);
  return (as, ...rest) =>
    (as.token_endpoint_auth_methods_supported?.includes('client_secret_post') ? inBody : inHeader)(as, ...rest);
};

const text = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : null;

/** Reads the claims of one issuer. */
export function identityOf(issuer: string, claims: Record<string, unknown>): Identity {
  const verified = claims['email_verified'];
  const methods = Array.isArray(claims['amr']) ? claims['amr'] : [];
  return {
    subject: String(claims['sub']),
    email: text(claims['email']),
    emailVerified: verified === undefined || verified === true || verified === 'true',
    // At Google, anyone may have an account under an address that they no longer own. The claim `hd` proves that the
    // account belongs to the Workspace of the domain.
    hostedDomain: issuer.replace(/\/$/, '') === GOOGLE ? (text(claims['hd']) ?? '') : null,
    name: oneLine(text(claims['name']) ?? '').slice(0, MAX_NAME) || null,
    secondFactor: methods.some((method) => SECOND_FACTORS.includes(String(method))),
  };
}

/** The provider violates the protocol. Parley wrote the message of an `Odd` error. */
class Odd extends Error {}

async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw new Refusal('provider_failed', sentence(error), { cause: error });
  }
}

async function redeemed<T>(redeem: () => Promise<T>): Promise<T> {
  try {
    return await redeem();
  } catch (error) {
    if (egressError(error)) throw new Refusal('provider_failed', sentence(error), { cause: error });
    throw new Refusal('sign_in_refused', undefined, { cause: error });
  }
}

function sentence(error: unknown): string {
  const refused = egressError(error);
  if (refused) return refused.message;
  if (error instanceof Odd) return error.message;
  return error instanceof oidc.ClientError
    ? `The response of the provider is not valid OpenID Connect: ${error.message}.`
    : 'The response of the provider is not valid OpenID Connect.';
}

/** The library wraps the errors of its fetch. */
function egressError(error: unknown): EgressError | null {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    if (at instanceof EgressError) return at;
  }
  return null;
}
