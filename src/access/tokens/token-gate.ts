import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { RATE_WINDOW_SECONDS } from '../../../contract/limits.ts';
import { Refusal } from '../../../contract/problems.ts';
import type { Region } from '../../../contract/regions.ts';
import { findToken, type FoundToken } from '../../store/access-tokens/find.ts';
import type { Db } from '../../store/db.ts';
import { CHALLENGE_INVALID, readToken } from '../api-keys/authorization-header.ts';
import { type Digest, digestForms } from '../api-keys/digest.ts';
import { parseKey } from '../api-keys/key-format.ts';
import type { LastUsed } from '../api-keys/last-used.ts';
import type { SignInLimit } from '../sessions/sign-in-limit.ts';
import { isTokenLike, parseToken, shownTokenPrefix } from './token-format.ts';

/**
 * One token may make this many calls per minute at one node. An API key has the same limit for each family of routes.
 */
const TOKEN_CALLS = 600;

export type TokenGate = {
  /**
   * Returns true if the request contains a bearer token. With a bearer token, only the token counts, and cookies are
   * ignored.
   */
  isMeant(authorization: readonly string[]): boolean;
  /** Finds the token in the headers, with its current state in the database. The method throws a Refusal. */
  find(authorization: readonly string[], address: string): Promise<FoundToken>;
  /** Counts an accepted call. */
  used(token: FoundToken): Promise<void>;
};

export type TokenGateDeps = {
  db: Db;
  region: Region;
  digest: Digest;
  signInLimit: Pick<SignInLimit, 'attempt' | 'isOver'>;
  tokenLastUsed: Pick<LastUsed, 'record'>;
};

/**
 * Each request reads its token from the database, with the person's role in the same query (docs/adr/0107). A revoke is
 * effective for every request that starts after the revoke, on all nodes. A value without a matching token counts as a
 * failed sign-in from the caller's address. If an address is above the limit of failed sign-ins, it is refused before
 * the query.
 */
export function createTokenGate({ db, region, digest, signInLimit, tokenLastUsed }: TokenGateDeps): TokenGate {
  const calls = new RateLimiterMemory({ points: TOKEN_CALLS, duration: RATE_WINDOW_SECONDS });

  const wrong = async (address: string, value: string, detail: string): Promise<never> => {
    await signInLimit.attempt(address, `access token ${shownTokenPrefix(value)}`);
    throw invalid(detail);
  };

  return {
    isMeant: (authorization) => authorization.some((value) => /^\s*bearer\b/i.test(value)),
    async find(authorization, address) {
      const value = readToken(authorization);
      if (await signInLimit.isOver(address)) throw tooMany('Too many wrong tokens or sign-ins from this address.');
      const its = parseToken(value);
      if (its === null) return wrong(address, value, malformed(value));
      if (its !== region) throw invalid(`This token belongs to the region ${its}.`);
      const found = await findToken(db, digestForms(digest(value)));
      return found ?? wrong(address, value, 'There is no such token.');
    },
    async used({ id, orgId, lastUsedAt }) {
      try {
        await calls.consume(id);
      } catch (error) {
        if (error instanceof RateLimiterRes) throw tooMany(`A token may make ${TOKEN_CALLS} calls a minute.`);
        throw error;
      }
      tokenLastUsed.record(orgId, id, lastUsedAt?.getTime() ?? null);
    },
  };
}

const malformed = (value: string): string =>
  isTokenLike(value)
    ? 'The token is not well-formed: it was mistyped or is incomplete.'
    : parseKey(value).ok
      ? 'This is an API key. Routes of the dashboard accept access tokens only.'
      : 'This is not an access token.';

const invalid = (detail: string): Refusal =>
  new Refusal('token_invalid', detail, { headers: { 'WWW-Authenticate': CHALLENGE_INVALID } });

const tooMany = (detail: string): Refusal => new Refusal('rate_limited', detail);
