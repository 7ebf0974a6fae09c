import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

/**
 * A real OpenID provider on a real port: the certified library oidc-provider, with a sign-in page that has one button.
 * The button on the sign-in page signs `person` in.
 */
export type IdentityProvider = {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Sets the allowed callback, before the first sign-in. */
  allow(redirectUri: string): void;
  /** The person who presses the button, or null if the person declines. */
  person: { sub: string; amr?: string[]; [claim: string]: unknown } | null;
  /** True if the address is only in userinfo, and not in the ID token. */
  thin: boolean;
  stop(): Promise<void>;
};

const MAX_STEPS = 12;

export async function startIdentityProvider(): Promise<IdentityProvider> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const redirectUris: string[] = [];
  const made: IdentityProvider = {
    issuer,
    clientId: 'parley',
    clientSecret: 'client-secret-of-the-provider',
    allow: (uri) => void redirectUris.push(uri),
    person: null,
    thin: false,
    stop: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
  let handle: ReturnType<Provider['callback']> | undefined;
  let provider: Provider;
  server.on('request', (request, response) => {
    // The provider is created on the first request, when the callback is known.
    handle ??= (provider = open(made, redirectUris)).callback();
    const url = new URL(request.url!, issuer);
    if (!url.pathname.startsWith('/interaction/')) return handle(request, response);
    if (request.method === 'GET' && request.headers['accept']?.includes('text/html')) {
      response.setHeader('content-type', 'text/html');
      return void response.end(`<h1>Provider</h1><form method="post"><button>Sign in</button></form>`);
    }
    const { person } = made;
    const result = person
      ? { login: { accountId: person.sub, amr: person.amr ?? ['pwd'] } }
      : { error: 'access_denied', error_description: 'declined' };
    void provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  });
  return made;
}

function open(made: IdentityProvider, redirectUris: string[]): Provider {
  return new Provider(made.issuer, {
    clients: [
      {
        client_id: made.clientId,
        client_secret: made.clientSecret,
        redirect_uris: redirectUris,
        response_types: ['code'],
      },
    ],
    claims: { openid: ['sub', 'amr'], email: ['email', 'email_verified'], profile: ['name'] },
    get conformIdTokenClaims() {
      return made.thin;
    },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    cookies: { keys: ['a key of the tests'] },
    pkce: { required: () => true },
    findAccount: (_: unknown, sub: string) => ({ accountId: sub, claims: () => ({ ...made.person, sub }) }),
    async loadExistingGrant(context: {
      oidc: {
        provider: Provider;
        client: { clientId: string };
        session: { accountId: string };
      };
    }) {
      const { provider, client, session } = context.oidc;
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  });
}

/** Follows the provider's redirects like a browser, and returns the first URL on another site. */
export async function walkThrough({ issuer }: Pick<IdentityProvider, 'issuer'>, url: string): Promise<string> {
  const cookies = new Map<string, string>();
  let at = url;
  for (let step = 0; step < MAX_STEPS; step++) {
    const answer = await fetch(at, {
      redirect: 'manual',
      headers: { accept: '*/*', cookie: [...cookies].map((pair) => pair.join('=')).join('; ') },
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      cookies.set(name!, value!);
    }
    const location = answer.headers.get('location');
    if (location === null) throw new Error(`The provider stopped at ${at}: ${answer.status} ${await answer.text()}`);
    at = new URL(location, at).href;
    if (!at.startsWith(`${issuer}/`)) return at;
  }
  throw new Error('The provider goes in a ring.');
}
