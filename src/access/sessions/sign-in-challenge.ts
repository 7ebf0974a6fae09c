import { isPasswordLink, passwordLinkToken, readPasswordLink } from './password-link.ts';
import type { Key } from '../../kernel/seal.ts';

/**
 * Between the first proof of who somebody is and the second: who it is, until when, and that the password has not been
 * changed since. In the form of a password link, under a key of its own; nothing is stored, and by itself it opens
 * nothing.
 */
const CHALLENGE_MINUTES = 5;
const MINUTE_MS = 60_000;

/** An account that only a provider vouches for has no password. */
const textOf = (passwordHash: string | null): string => passwordHash ?? '';

export function newChallenge(key: Key, userId: string, passwordHash: string | null) {
  const expiresAt = new Date(Date.now() + CHALLENGE_MINUTES * MINUTE_MS);
  return { challenge: passwordLinkToken(key, { userId, expiresAt }, textOf(passwordHash)), expiresAt };
}

/** Of whom it claims to be; null: too old, or none of ours. Whether it is true is said by `isChallenge`. */
export function readChallenge(challenge: string): string | null {
  const stated = readPasswordLink(challenge);
  return stated !== null && stated.expiresAt > new Date() ? stated.userId : null;
}

export const isChallenge = (key: Key, challenge: string, passwordHash: string | null): boolean =>
  isPasswordLink(key, challenge, textOf(passwordHash));
