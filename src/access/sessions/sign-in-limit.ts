import { createHash } from 'node:crypto';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { RATE_WINDOW_SECONDS } from '../../../contract/limits.ts';
import { Refusal } from '../../../contract/problems.ts';

/**
 * Guessing passwords is made slow on three roads: one account from one place, one account from everywhere, one place
 * against all accounts. The last limit protects the processor: each attempt costs a scrypt. An attempt counts before
 * the password is looked at, so that a burst cannot slip through; a refused attempt does not lengthen the wait.
 */
export type SignInLimit = {
  /** Throws `rate_limited`. `subject` is whatever is being guessed: an e-mail address, a setup token. */
  attempt(address: string, subject: string): Promise<void>;
  /** A success gives the account back to its owner at once. */
  succeeded(address: string, subject: string): Promise<void>;
};

export type SignInLimits = { pair: number; subject: number; address: number; node: number };

/** Attempts a minute. */
export const SIGN_IN_LIMITS: SignInLimits = { pair: 10, subject: 30, address: 60, node: 600 };

const limiter = (points: number) => new RateLimiterMemory({ points, duration: RATE_WINDOW_SECONDS });

export function createSignInLimit(limits: SignInLimits = SIGN_IN_LIMITS): SignInLimit {
  const pair = limiter(limits.pair);
  const subjects = limiter(limits.subject);
  const addresses = limiter(limits.address);
  const node = limiter(limits.node);

  return {
    async attempt(address, subject) {
      const who = digest(subject);
      try {
        await pair.consume(`${address} ${who}`);
        await addresses.consume(address);
        await subjects.consume(who);
        await node.consume('node');
      } catch (error) {
        if (!(error instanceof RateLimiterRes)) throw error;
        throw new Refusal('rate_limited', 'Too many attempts to sign in. Wait a minute and try again.', {
          headers: { 'Retry-After': String(RATE_WINDOW_SECONDS) },
        });
      }
    },
    async succeeded(address, subject) {
      // Only failures are guesses: a script that signs in for each command must not lock itself out.
      const who = digest(subject);
      await Promise.all([pair.delete(`${address} ${who}`), subjects.reward(who), addresses.reward(address)]);
    },
  };
}

/** The memory of the limiter holds no addresses, and no key of any length. */
const digest = (subject: string): string => createHash('sha256').update(subject.toLowerCase()).digest('base64url');
