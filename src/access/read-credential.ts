import { Refusal } from '../../contract/problems.ts';
import { REGIONS, type Region } from '../../contract/regions.ts';
import type { Clock } from '../kernel/clock.ts';
import { CHALLENGE_INVALID, readToken } from './api-keys/authorization-header.ts';
import { parseKey } from './api-keys/key-format.ts';
import {
  clientCallerOf,
  type ClientTokens,
  clientTokenRegion,
  isClientTokenLike,
} from './client-tokens/client-token.ts';
import { isTokenLike } from './tokens/token-format.ts';
import type { ClientCaller } from './types.ts';

/** The credential of a call, which is the name of its key in the directory, with the rights of a client token. */
export type CallCredential = { name: string; orgId: string | null; client: ClientCaller | null };

export type IsOwnPage = (authorization: readonly string[], origin: string) => boolean;

export type CredentialDeps = {
  region: Region;
  baseUrls: Readonly<Record<Region, string>>;
  digest: (value: string) => string;
  clientTokens: ClientTokens;
  clock: Clock;
};

/** Decides rows 2 and 3 of the order of checks (docs/security.md) without a look-up. */
export function createCredentialReader({ region, baseUrls, digest, clientTokens, clock }: CredentialDeps) {
  function readCredential(token: string, origin: string | undefined): CallCredential {
    if (isClientTokenLike(token)) return readClientToken(token, origin);
    const parsed = parseKey(token);
    if (!parsed.ok) throw refuseKey('key_invalid', isTokenLike(token) ? IS_A_TOKEN : MISTYPED);
    if (parsed.region !== region) throw wrongRegion(parsed.region, baseUrls[parsed.region]);
    return { name: digest(token), orgId: null, client: null };
  }

  function readClientToken(value: string, origin: string | undefined): CallCredential {
    const from = clientTokenRegion(value);
    if (from !== null && from !== region) throw wrongRegion(from, baseUrls[from]);
    const token = clientTokens.read(value);
    if (token === null)
      throw refuseKey(
        'key_invalid',
        'This client token was changed, is incomplete, or was created by another installation.',
      );
    if (token.expiresAt <= clock.wall()) throw refuseKey('client_token_expired');
    return { name: token.keyId, orgId: token.orgId, client: clientCallerOf(token, origin) };
  }

  /** A page may read its own refusals, so even an expired token of a revoked key identifies the page. */
  const isOwnPage: IsOwnPage = (authorization, origin) => {
    const value = authorization.length === 1 ? readToken(authorization) : '';
    return isClientTokenLike(value) && clientTokens.read(value)?.origins.includes(origin) === true;
  };

  return { readCredential, isOwnPage };
}

type KeyProblem = 'key_invalid' | 'key_wrong_region' | 'key_revoked' | 'client_token_expired';

export const refuseKey = (code: KeyProblem, detail?: string): Refusal =>
  new Refusal(code, detail, { headers: { 'WWW-Authenticate': CHALLENGE_INVALID } });

const MISTYPED = 'The key is not well-formed: it was mistyped or is incomplete.';
const IS_A_TOKEN = 'This is an access token, not an API key. No route of the API accepts access tokens.';

const wrongRegion = (region: Region, baseUrl: string): Refusal =>
  refuseKey(
    'key_wrong_region',
    `This key belongs to the region ${region} (${REGIONS[region]}): call ${baseUrl} instead.`,
  );
