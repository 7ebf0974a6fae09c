import type { Key } from '../../kernel/seal.ts';
import { isSigned, linkEnd, readLink, signLink } from './signed-link.ts';

/**
 * Between the first proof of who somebody is and the second: who it is, until when, and that the password has not been
 * changed since. In the form of a signed link, under a key of its own; nothing is stored, and by itself it opens
 * nothing.
 */
const CHALLENGE_MINUTES = 5;

/** An account that only a provider vouches for has no password. */
const textOf = (passwordHash: string | null): string => passwordHash ?? '';

export function newChallenge(key: Key, userId: string, passwordHash: string | null) {
  const expiresAt = linkEnd(CHALLENGE_MINUTES);
  return { challenge: signLink(key, 'challenge', { userId, expiresAt }, textOf(passwordHash)), expiresAt };
}

/** Of whom it claims to be; null: too old, or none of ours. Whether it is true is said by `isChallenge`. */
export const readChallenge = (challenge: string): string | null => readLink(challenge)?.userId ?? null;

export const isChallenge = (key: Key, challenge: string, passwordHash: string | null): boolean =>
  isSigned(key, 'challenge', challenge, textOf(passwordHash));
