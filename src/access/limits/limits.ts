import { RATE_WINDOW_SECONDS, type RateFamily, type RateLimits } from '../../../contract/limits.ts';
import { Refusal } from '../../../contract/problems.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import type { Caller } from '../types.ts';
import { type Count, createNodeCalls, type NodeCalls } from './node-calls.ts';
import type { SharedCounters } from './shared-counters.ts';

/** Values of the RateLimit-Policy and RateLimit headers (draft-ietf-httpapi-ratelimit-headers-10). */
export type RateState = { readonly policy: string; readonly state: string };

export type Limits = {
  /**
   * Applies the family's limit, if the family has one, the key's own limit of calls, and the limit of a client token.
   */
  limit: (caller: Caller, family: RateFamily | null) => Promise<RateState>;
  /** Applies the key's own limit for one end user, who may have several names. */
  limitEndUser: (caller: Caller, names: readonly string[]) => Promise<void>;
  /** Without shared counters, each of `nodes` nodes enforces a share of every limit. */
  share: (nodes: number) => void;
};

/** The limit of an end user also counts reads. One person with a client token must not use up the calls of its key. */
const CLIENT_CALLS_PER_MINUTE = 120;

/** One counter of a call, which counts calls in a window that opens with the first call. */
type Counter = {
  /** The policy in the headers. */
  readonly policy: string;
  readonly name: string;
  readonly limit: number;
  readonly who: string;
};

/**
 * The limits are calls per minute of a key and of its organization, per family, and of a key by its own limits. A
 * window opens with the first call and always ends a minute later, so after a minute of silence the next call is
 * accepted. A refused call does not count, so a busy key cannot use up the calls of its organization, nor the
 * organization the calls of the key.
 *
 * With `shared`, the counters are those of all nodes, so limits are exact. While the shared counters are lost, this node
 * accepts its share of each limit, and no more than its share of the calls that were left at the last response. Its
 * calls are added to the shared counters when they are back, before the next call is counted there.
 */
export function createLimits(
  limits: RateLimits,
  shared: SharedCounters | null = null,
  clock: Clock = systemClock,
): Limits {
  const calls = createNodeCalls(clock, WINDOW_MS);
  shared?.restoreFrom(calls);
  let nodes = 1;

  async function take(counters: readonly Counter[]): Promise<RateState> {
    // No wait is between this question and the count, so no call is missing in the report of a node that comes back.
    if (!shared?.isWell()) return takeHere(calls, counters, nodes);
    const taken = await shared.take(counters, ({ refusedBy, counts }, isLate) => {
      for (const [at, count] of counts.entries()) calls.record(counters[refusedBy ?? at]!.name, count, isLate);
    });
    if (!taken) return takeHere(calls, counters, nodes);
    const policy = policyOf(counters);
    if (taken.refusedBy !== null) throw over(counters[taken.refusedBy]!, policy, taken.counts[0]!.msLeft);
    return { policy, state: statesOf(counters, taken.counts.map(leftAfter(counters))) };
  }

  return {
    limit: (caller, family) => {
      // The braces keep all counters of a call on one server of a Redis cluster.
      const place = `{${caller.orgId}}`;
      const counters: Counter[] = [];
      if (family !== null) {
        const { key, organization } = limits[family];
        counters.push(
          { policy: 'key', name: `${place}:${family}:${caller.keyId}`, limit: key, who: 'This key' },
          { policy: 'organization', name: `${place}:${family}`, limit: organization, who: 'The organization' },
        );
      }
      const own = caller.limits?.perMinute ?? null;
      if (own !== null)
        counters.push({ policy: 'key_limit', name: `${place}:own:${caller.keyId}`, limit: own, who: 'This key' });
      if (caller.client !== undefined) {
        const name = `${place}:client:${caller.client.mark}`;
        counters.push({ policy: 'client', name, limit: CLIENT_CALLS_PER_MINUTE, who: 'This end user' });
      }
      return take(counters);
    },
    limitEndUser: async ({ orgId, keyId, limits: own }, names) => {
      const limit = own?.perEndUserPerMinute ?? null;
      if (limit === null || names.length === 0) return;
      const who = 'This key, for this end user,';
      await take(names.map((name) => ({ policy: 'end_user', name: `{${orgId}}:own:${keyId}:${name}`, limit, who })));
    },
    share: (count) => {
      nodes = count;
    },
  };
}

/** Uses only the counters of this node, all or none. The refusal names the first counter that refused. */
function takeHere(calls: NodeCalls, counters: readonly Counter[], nodes: number): RateState {
  const shares = counters.map((counter) => ({ ...counter, limit: partOf(counter.limit, nodes) }));
  const states = counters.map(({ name, limit }, at): Left => {
    const count = calls.read(name);
    if (count === null) return { left: shares[at]!.limit - 1, msLeft: WINDOW_MS };
    const ofShare = shares[at]!.limit - count.calls;
    const ofRest = count.all === 0 ? ofShare : Math.floor((limit - count.all) / nodes) - count.alone;
    return { left: Math.min(ofShare, ofRest) - 1, msLeft: count.msLeft };
  });
  const refusedBy = states.findIndex(({ left }) => left < 0);
  if (refusedBy !== -1) throw over(shares[refusedBy]!, policyOf(shares), states[refusedBy]!.msLeft);
  for (const { name } of counters) calls.add(name);
  return { policy: policyOf(shares), state: statesOf(shares, states) };
}

const WINDOW_MS = RATE_WINDOW_SECONDS * 1_000;

/** `left`: the calls that remain after this call. */
type Left = { readonly left: number; readonly msLeft: number };

const leftAfter =
  (counters: readonly Counter[]) =>
  ({ used, msLeft }: Count, at: number): Left => ({ left: counters[at]!.limit - used, msLeft });

const policyOf = (counters: readonly Counter[]): string =>
  counters.map(({ policy, limit }) => `"${policy}";q=${limit};w=${RATE_WINDOW_SECONDS}`).join(', ');

const partOf = (limit: number, nodes: number): number => Math.max(1, Math.floor(limit / nodes));

const statesOf = (counters: readonly Counter[], states: readonly Left[]): string =>
  counters.map(({ policy }, at) => stateOf(policy, states[at]!.left, states[at]!.msLeft)).join(', ');

const stateOf = (name: string, remaining: number, msLeft: number): string =>
  `"${name}";r=${remaining};t=${Math.max(0, Math.ceil(msLeft / 1_000))}`;

/**
 * The refusal of a call over a limit. Retry-After is always a whole minute, as specified, even if the rest of the
 * window is shorter.
 */
const over = ({ who, policy }: Counter, policies: string, msLeft: number): Refusal =>
  new Refusal('rate_limited', `${who} has made all the calls of this minute. Wait 60 seconds, then call again.`, {
    headers: { 'RateLimit-Policy': policies, RateLimit: stateOf(policy, 0, msLeft) },
  });
