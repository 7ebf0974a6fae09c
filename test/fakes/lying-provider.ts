import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An OpenID provider that an attacker controls: every part of its responses can be changed. */
export type LyingProvider = {
  issuer: string;
  /** The wrong members for the discovery document. */
  discovery: Record<string, unknown>;
  /** The wrong claims for the ID token. The fake adds the `nonce` of the request to the claims. */
  claims: Record<string, unknown>;
  /** The responses that replace those of a path. */
  instead: Map<string, (response: ServerResponse) => void>;
  /** True if the provider signs with a key that is not published. */
  forged: boolean;
  /** The requests to the token endpoint. */
  redeemed: string[];
  /** Returns the callback URL of its sign-in page for an authorization URL. */
  wayBack(url: string, change?: Record<string, string>): string;
  stop(): Promise<void>;
};

const now = () => Math.floor(Date.now() / 1000);

/** All providers of a process share their keys, because creating keys takes most of the time of a test. */
let keys: [Pair, Pair] | undefined;

export async function startLyingProvider(): Promise<LyingProvider> {
  const [own, foreign] = (keys ??= [createPair(), createPair()]);
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let nonce: string | null = null;
  const made: LyingProvider = {
    issuer,
    discovery: {},
    claims: {},
    instead: new Map(),
    forged: false,
    redeemed: [],
    wayBack(url, change = {}) {
      const { searchParams } = new URL(url);
      nonce = searchParams.get('nonce');
      const given = { code: 'a-code', state: searchParams.get('state')!, iss: issuer, ...change };
      return `${searchParams.get('redirect_uri')}?${new URLSearchParams(given).toString()}`;
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
  const answers: Record<string, () => unknown> = {
    '/.well-known/openid-configuration': () => ({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      token_endpoint_auth_methods_supported: ['client_secret_post'],
      ...made.discovery,
    }),
    '/keys': () => ({
      keys: [{ ...own.publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' }],
    }),
    '/token': () => ({
      access_token: 'an-access-token',
      token_type: 'Bearer',
      id_token: token(made.forged ? foreign : own, {
        iss: issuer,
        aud: 'parley',
        sub: 'layla',
        iat: now(),
        exp: now() + 300,
        nonce,
        ...made.claims,
      }),
    }),
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname } = new URL(request.url!, issuer);
    const body: Buffer[] = [];
    for await (const piece of request) body.push(piece as Buffer);
    if (pathname === '/token') made.redeemed.push(Buffer.concat(body).toString());
    const instead = made.instead.get(pathname);
    if (instead) return instead(response);
    const prepared = answers[pathname]?.();
    response.writeHead(prepared ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(prepared ?? {}));
  };
  server.on('request', (request, response) => void answer(request, response));
  return made;
}

type Pair = { publicKey: KeyObject; privateKey: KeyObject };

const createPair = (): Pair => generateKeyPairSync('rsa', { modulusLength: 2048 });

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function token({ privateKey }: Pair, claims: Record<string, unknown>): string {
  const signed = `${part({ alg: 'RS256', kid: 'one', typ: 'JWT' })}.${part(claims)}`;
  return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`;
}
