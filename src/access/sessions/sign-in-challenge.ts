import type { Key } from '../../kernel/seal.ts';
import { isSigned, linkEnd, readLink, signLink } from './signed-link.ts';

/**
 * Between the first and the second proof of identity: who the person is, until when, and that the password has not
 * changed since. It has the format of a signed link, under a key of its own; nothing is stored, and alone it grants
 * nothing.
 */
const CHALLENGE_MINUTES = 5;

/** An account that only a provider vouches for has no password. */
const textOf = (passwordHash: string | null): string => passwordHash ?? '';

export function newChallenge(key: Key, userId: string, passwordHash: string | null) {
  const expiresAt = linkEnd(CHALLENGE_MINUTES);
  return { challenge: signLink(key, 'challenge', { userId, expiresAt }, textOf(passwordHash)), expiresAt };
}

/** The person that it names; null: too old, or not ours. `isChallenge` verifies it. */
export const readChallenge = (challenge: string): string | null => readLink(challenge)?.userId ?? null;

export const isChallenge = (key: Key, challenge: string, passwordHash: string | null): boolean =>
  isSigned(key, 'challenge', challenge, textOf(passwordHash));
