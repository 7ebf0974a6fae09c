import { createHash } from 'node:crypto';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { RATE_WINDOW_SECONDS } from '../../../contract/limits.ts';
import { Refusal } from '../../../contract/problems.ts';
import { countedPlace } from '../api-keys/networks.ts';
import type { SharedCounters } from '../limits/shared-counters.ts';
import { type Counted, giveBackToAll, takeFromAll } from '../limits/take-from-all.ts';

/**
 * Guessing of passwords is limited for one account from one address, for one account from all addresses, and for one
 * address over all accounts. The limit for one address, per node, also protects the processor, because each attempt,
 * even a successful one, takes an scrypt computation. One address gets at most a fifth of the node's limit, so that it
 * cannot lock out all other addresses. An attempt is counted before the password is checked, so that a burst cannot
 * pass. A refused attempt does not extend the wait. A device that has signed in to this account before
 * (device-cookie.ts) has a separate allowance, also per node, which strangers cannot use up. Without `shared`, each
 * node counts alone, and with `shared`, all nodes also count together.
 */
export type SignInLimit = {
  /**
   * The method throws `rate_limited`. `subject`: the target of the guesses, such as an e-mail address or a setup token.
   */
  attempt(address: string, subject: string, device?: string | null): Promise<void>;
  /** True if this address has used up its attempts. The method `isOver` counts no attempt. */
  isOver(address: string): Promise<boolean>;
  /** A successful sign-in resets the account's counters for its owner. */
  succeeded(address: string, subject: string, device?: string | null): Promise<void>;
};

export type SignInLimits = { pair: number; subject: number; address: number; node: number };

/** The limits are attempts per minute. */
export const SIGN_IN_LIMITS: SignInLimits = { pair: 10, subject: 30, address: 60, node: 600 };

/**
 * A sign-in through a provider has nothing to guess, and a whole office may share one address. Each sign-in attempt
 * causes calls to the provider.
 */
export const ORGANIZATION_SIGN_IN_LIMITS: SignInLimits = { pair: 60, subject: 60, address: 60, node: 600 };

/** At least this many addresses are needed to use up the limit of a node. */
const ADDRESSES = 5;

const limiter = (points: number) => new RateLimiterMemory({ points, duration: RATE_WINDOW_SECONDS });

export function createSignInLimit(
  limits: SignInLimits = SIGN_IN_LIMITS,
  shared: SharedCounters | null = null,
): SignInLimit {
  const pair = limiter(limits.pair);
  const subjects = limiter(limits.subject);
  const addresses = limiter(limits.address);
  const node = limiter(limits.node);
  const devices = limiter(limits.node);
  const share = limiter(Math.ceil(limits.node / ADDRESSES));

  return {
    async attempt(address, subject, device = null) {
      const who = digest(subject);
      const place = countedPlace(address);
      const from = device ?? place;
      const counters: Counted[] = [
        [device === null ? node : devices, 'node'],
        [share, place],
        ...(device === null
          ? ([
              [addresses, place],
              [subjects, who],
            ] as const)
          : []),
        [pair, `${from} ${who}`],
      ];
      if (!(await takeFromAll(counters))) throw tooMany();
      const names = namesOf(from, who);
      const taken = await shared?.take([
        { name: names.pair, limit: limits.pair },
        ...(device === null
          ? [
              { name: names.address, limit: limits.address },
              { name: names.subject, limit: limits.subject },
            ]
          : []),
      ]);
      if (!taken || taken.refusedBy === null) return;
      await giveBackToAll(counters);
      throw tooMany();
    },
    async isOver(address) {
      const taken = await addresses.get(countedPlace(address));
      return taken !== null && taken.remainingPoints <= 0;
    },
    async succeeded(address, subject, device = null) {
      // Only failed attempts count as guesses, because a script that signs in for each command must not lock itself
      // out.
      const who = digest(subject);
      const place = countedPlace(address);
      const names = namesOf(device ?? place, who);
      shared?.forget(names.pair);
      if (device !== null) return void (await pair.delete(`${device} ${who}`));
      shared?.giveBack([names.subject, names.address]);
      await Promise.all([pair.delete(`${place} ${who}`), subjects.reward(who), addresses.reward(place)]);
    },
  };
}

const tooMany = (): Refusal =>
  new Refusal('rate_limited', 'Too many attempts to sign in. Wait a minute and try again.', {});

/**
 * The names of the counters in Redis. All names contain the same word in braces, so that a cluster stores the counters
 * on one server.
 */
function namesOf(address: string, who: string) {
  const from = digest(address);
  return { pair: `{sign-in}:${from}:${who}`, address: `{sign-in}:from:${from}`, subject: `{sign-in}:who:${who}` };
}

/** The limiter's memory contains no addresses, and only keys of a fixed length. */
const digest = (subject: string): string => createHash('sha256').update(subject.toLowerCase()).digest('base64url');
