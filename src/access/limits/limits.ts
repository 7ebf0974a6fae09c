import { RateLimiterMemory, type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import { RATE_FAMILIES, RATE_WINDOW_SECONDS, type RateFamily, type RateLimits } from '../../../contract/limits.ts';
import { Refusal } from '../../../contract/problems.ts';
import type { SharedCounters } from './shared-counters.ts';
import type { Caller } from '../types.ts';

/** Values of the RateLimit-Policy and RateLimit headers (draft-ietf-httpapi-ratelimit-headers-10). */
export type RateState = { readonly policy: string; readonly state: string };

export type Limits = {
  limit: (caller: Caller, family: RateFamily) => Promise<RateState>;
  /** Without shared counters, each of `nodes` enforces its own share of every limit. */
  share: (nodes: number) => void;
};

const inMemory = (name: string, points: number): RateLimiterAbstract =>
  new RateLimiterMemory({ keyPrefix: name, points, duration: RATE_WINDOW_SECONDS });

/**
 * Calls per minute of a key and of its organization, per family. A window opens with the first call and ends a minute
 * later, whatever happens in it, so after a minute of silence the next call is accepted. A refused call is not counted
 * at all: a noisy key cannot use up its organization's calls, nor the other way round.
 *
 * With `shared` the counters are those of all nodes, and limits are exact. Accepted calls are also counted locally:
 * when the shared counters are lost, this node continues with its own share of each limit and with its own counts.
 */
export function createLimits(limits: RateLimits, shared: SharedCounters | null = null): Limits {
  const families = new Map(RATE_FAMILIES.map((family) => [family, familyOf(family, limits)]));

  return {
    async limit(caller, family) {
      const counters = families.get(family)!;
      const { full, key, organization } = counters;
      // The braces keep both on one server of a Redis cluster.
      const place = `{${caller.orgId}}:${family}`;
      const taken = await shared?.take([
        { name: `${place}:${caller.keyId}`, limit: full.key },
        { name: place, limit: full.organization },
      ]);
      if (!taken) return limitHere(caller, counters);
      const policy = policyOf(full.key, full.organization);
      const [first, second] = taken.counts;
      if (taken.refusedBy === 0) throw over('This key', policy, stateOf('key', 0, first!.msLeft));
      if (taken.refusedBy === 1) throw over('The organization', policy, stateOf('organization', 0, first!.msLeft));
      void key.penalty(caller.keyId, 1);
      void organization.penalty(caller.orgId, 1);
      const ofKey = stateOf('key', full.key - first!.used, first!.msLeft);
      return {
        policy,
        state: `${ofKey}, ${stateOf('organization', full.organization - second!.used, second!.msLeft)}`,
      };
    },
    share: (nodes) => {
      for (const { key, organization, full } of families.values()) {
        key.points = partOf(full.key, nodes);
        organization.points = partOf(full.organization, nodes);
      }
    },
  };
}

/**
 * By the counters of this node only: the key is counted first, and its call is given back if the organization refuses.
 */
async function limitHere({ keyId, orgId }: Caller, { key, organization, policy }: Family): Promise<RateState> {
  const ofKey = await key.consume(keyId, 1).catch(asRefused);
  if (ofKey instanceof Refused) {
    giveBack(key, keyId);
    throw over('This key', policy(), stateOf('key', 0, ofKey.state.msBeforeNext));
  }
  const ofOrganization = await organization.consume(orgId, 1).catch(asRefused);
  if (ofOrganization instanceof Refused) {
    giveBack(organization, orgId);
    giveBack(key, keyId);
    throw over('The organization', policy(), stateOf('organization', 0, ofOrganization.state.msBeforeNext));
  }
  const left = stateOf('organization', ofOrganization.remainingPoints, ofOrganization.msBeforeNext);
  return { policy: policy(), state: `${stateOf('key', ofKey.remainingPoints, ofKey.msBeforeNext)}, ${left}` };
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

type Family = ReturnType<typeof familyOf>;

function familyOf(family: RateFamily, limits: RateLimits) {
  const full = limits[family];
  const key = inMemory(`${family}:key`, full.key);
  const organization = inMemory(`${family}:org`, full.organization);
  return { full, key, organization, policy: () => policyOf(key.points, organization.points) };
}

const policyOf = (key: number, organization: number): string =>
  `"key";q=${key};w=${RATE_WINDOW_SECONDS}, "organization";q=${organization};w=${RATE_WINDOW_SECONDS}`;

const partOf = (limit: number, nodes: number): number => Math.max(1, Math.floor(limit / nodes));

const stateOf = (name: string, remaining: number, msLeft: number): string =>
  `"${name}";r=${remaining};t=${Math.max(0, Math.ceil(msLeft / 1_000))}`;

/** Always the whole minute, as specified, even if less is left of the window. */
const over = (who: string, policy: string, state: string): Refusal =>
  new Refusal('rate_limited', `${who} has made all the calls of this minute. Wait 60 seconds, then call again.`, {
    headers: { 'RateLimit-Policy': policy, RateLimit: state },
  });
