import { createHash, timingSafeEqual } from 'node:crypto';

/** Compares two secrets in constant time, for any lengths. An empty expected secret never equals a given text. */
export const equalSecrets = (given: string, expected: string): boolean =>
  expected !== '' && timingSafeEqual(digest(given), digest(expected));

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
