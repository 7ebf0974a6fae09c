import { randomBytes } from 'node:crypto';
import { isRegion, type Region } from '../../../contract/regions.ts';
import { base62, crc32 } from '../api-keys/key-format.ts';

/**
 * The value of an access token. An access token has the format of an API key with `token_` in its prefix, so that no
 * parser or secret scanner confuses them. The page docs/access-tokens.md shows the format.
 */
const HEAD = 'parley_token_';
const SHAPE = /^parley_token_([a-z]{2})_[0-9A-Za-z]{43}([0-9A-Za-z]{6})$/;
const RANDOM_LENGTH = 43;
const CHECK_LENGTH = 6;
const SHOWN_LENGTH = `${HEAD}us_`.length + 6;

export function mintToken(region: Region, entropy: Buffer = randomBytes(32)): string {
  const checked = `${HEAD}${region}_${base62(BigInt(`0x${entropy.toString('hex')}`), RANDOM_LENGTH)}`;
  return checked + checksum(checked);
}

/** The region of a well-formed value. Null: the value is mistyped, cut off, or another kind of text. */
export function parseToken(value: string): Region | null {
  const [, region, check] = SHAPE.exec(value) ?? [];
  if (region === undefined || !isRegion(region)) return null;
  return checksum(value.slice(0, -CHECK_LENGTH)) === check ? region : null;
}

/** The part of a token's value that a list shows. */
export const shownTokenPrefix = (value: string): string => value.slice(0, SHOWN_LENGTH);

export const isTokenLike = (value: string): boolean => value.startsWith(HEAD);

const checksum = (text: string): string => base62(BigInt(crc32(text, text.length)), CHECK_LENGTH);
