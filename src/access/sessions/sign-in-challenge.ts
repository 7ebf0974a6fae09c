import type { Key } from '../../kernel/seal.ts';
import { isSigned, linkEnd, readLink, signLink } from './signed-link.ts';

/**
 * The state between the first and the second proof of identity: the person, the expiry, and a check that the password
 * has not changed since. The challenge has the format of a signed link, with a separate key. Parley does not store the
 * challenge, and the challenge alone grants nothing.
 */
const CHALLENGE_MINUTES = 5;

/** An account that signs in only through a provider has no password. */
const textOf = (passwordHash: string | null): string => passwordHash ?? '';

export function newChallenge(key: Key, userId: string, passwordHash: string | null) {
  const expiresAt = linkEnd(CHALLENGE_MINUTES);
  return { challenge: signLink(key, 'challenge', { userId, expiresAt }, textOf(passwordHash)), expiresAt };
}

/**
 * Returns the person that the challenge names. Null: the challenge is too old, or is not from Parley. The function
 * `isChallenge` verifies the signature.
 */
export const readChallenge = (challenge: string): string | null => readLink(challenge)?.userId ?? null;

export const isChallenge = (key: Key, challenge: string, passwordHash: string | null): boolean =>
  isSigned(key, 'challenge', challenge, textOf(passwordHash));
