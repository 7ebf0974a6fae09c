import { createHmac, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createDigest, digestBytes } from './digest.ts';

describe('digest of a key value', () => {
  it('the digest equals HMAC-SHA-256 under the pepper, for every length of pepper and value', () => {
    for (const pepperLength of [32, 48, 64]) {
      const pepper = randomBytes(pepperLength);
      const digest = createDigest(pepper);
      for (const value of ['', 'a', `parley_us_${'z'.repeat(49)}`, 'x'.repeat(300), 'مفتاح', 'short again']) {
        const expected = createHmac('sha256', pepper).update(value).digest();
        expect(digestBytes(digest(value)).equals(expected)).toBe(true);
      }
    }
  });

  it('a weak pepper is refused', () => {
    expect(() => createDigest(randomBytes(16))).toThrow(RangeError);
    expect(() => createDigest(randomBytes(65))).toThrow(RangeError);
  });
});
