import { RateLimiterMemory, type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import { RATE_FAMILIES, RATE_WINDOW_SECONDS, type RateFamily, type RateLimits } from '../../contract/limits.ts';
import { Refusal } from '../../contract/problems.ts';
import type { Caller } from './types.ts';

/** Values of the RateLimit-Policy and RateLimit headers (draft-ietf-httpapi-ratelimit-headers-10). */
export type RateState = { readonly policy: string; readonly state: string };

export type Limits = {
  limit: (caller: Caller, family: RateFamily) => Promise<RateState>;
  /** Without a store that all nodes share, each of `nodes` holds its part of every limit. */
  share: (nodes: number) => void;
};

/** Makes one counter; memory now, a shared store later. */
export type MakeLimiter = (name: string, points: number) => RateLimiterAbstract;

const inMemory: MakeLimiter = (name, points) =>
  new RateLimiterMemory({ keyPrefix: name, points, duration: RATE_WINDOW_SECONDS });

/**
 * Calls per minute of a key and of its organization, per family. A window opens with the first call and ends a minute
 * later whatever happens in it, so after a minute of silence the next call is accepted. A refused call counts nowhere:
 * the key is asked first, and what it gave is handed back if the organization refuses, so neither a noisy key can use
 * up its organization's calls nor the other way round.
 */
export function createLimits(limits: RateLimits, makeLimiter: MakeLimiter = inMemory): Limits {
  const families = new Map(RATE_FAMILIES.map((family) => [family, familyOf(family, limits, makeLimiter)]));
  return {
    async limit(caller, family) {
      const { key, organization, policy } = families.get(family)!;
      const ofKey = await key.consume(caller.keyId, 1).catch(asRefused);
      if (ofKey instanceof Refused) {
        giveBack(key, caller.keyId);
        throw over('This key', policy(), stateOf('key', 0, ofKey.state));
      }
      const ofOrganization = await organization.consume(caller.orgId, 1).catch(asRefused);
      if (ofOrganization instanceof Refused) {
        giveBack(organization, caller.orgId);
        giveBack(key, caller.keyId);
        throw over('The organization', policy(), stateOf('organization', 0, ofOrganization.state));
      }
      const left = stateOf('organization', ofOrganization.remainingPoints, ofOrganization);
      return { policy: policy(), state: `${stateOf('key', ofKey.remainingPoints, ofKey)}, ${left}` };
    },
    share: (nodes) => {
      for (const { key, organization, full } of families.values()) {
        key.points = partOf(full.key, nodes);
        organization.points = partOf(full.organization, nodes);
      }
    },
  };
}

const giveBack = (limiter: RateLimiterAbstract, id: string): void => {
  limiter.reward(id, 1).catch(() => {});
};

class Refused {
  readonly state: RateLimiterRes;
  constructor(state: RateLimiterRes) {
    this.state = state;
  }
}

/** The library rejects with its result when a limit is reached, and with an error when its store fails. */
function asRefused(reason: unknown): Refused {
  if (reason instanceof RateLimiterRes) return new Refused(reason);
  throw reason;
}

function familyOf(family: RateFamily, limits: RateLimits, makeLimiter: MakeLimiter) {
  const full = limits[family];
  const key = makeLimiter(`${family}:key`, full.key);
  const organization = makeLimiter(`${family}:org`, full.organization);
  const policy = (): string =>
    `"key";q=${key.points};w=${RATE_WINDOW_SECONDS}, "organization";q=${organization.points};w=${RATE_WINDOW_SECONDS}`;
  return { full, key, organization, policy };
}

const partOf = (limit: number, nodes: number): number => Math.max(1, Math.floor(limit / nodes));

const stateOf = (name: string, remaining: number, { msBeforeNext }: RateLimiterRes): string =>
  `"${name}";r=${remaining};t=${Math.max(0, Math.ceil(msBeforeNext / 1_000))}`;

/** Always the whole minute, as the specification says, even if less is left of the window. */
const over = (who: string, policy: string, state: string): Refusal =>
  new Refusal('rate_limited', `${who} has made all the calls of this minute. Wait 60 seconds, then call again.`, {
    headers: { 'Retry-After': String(RATE_WINDOW_SECONDS), 'RateLimit-Policy': policy, RateLimit: state },
  });
