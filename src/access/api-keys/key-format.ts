import { randomBytes } from 'node:crypto';
import { isRegion, REGION_IDS, type Region } from '../../../contract/regions.ts';

/**
 * An API key value is `parley_<region>_`, 43 base62 characters for 256 random bits, and 6 base62 characters for the
 * CRC-32 (IEEE 802.3) of all characters before them, both left-padded with `0`. The checksum proves nothing about the
 * key. The checksum lets a node, a secret scanner or a support page distinguish a typing error from an unknown key
 * without a look-up. docs/key-format.md contains test vectors.
 */
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const HEAD_LENGTH = 'parley_us_'.length;
const RANDOM_LENGTH = 43;
const CHECK_LENGTH = 6;
const CHECKED_LENGTH = HEAD_LENGTH + RANDOM_LENGTH;
const KEY_LENGTH = CHECKED_LENGTH + CHECK_LENGTH;
const SHOWN_RANDOM_LENGTH = 6;

export type ParsedKey = { ok: true; region: Region } | { ok: false; fault: 'malformed' };

const MALFORMED: ParsedKey = { ok: false, fault: 'malformed' };
const PARSED = new Map(REGION_IDS.map((region): [string, ParsedKey] => [region, { ok: true, region }]));

/** Creates a new key value for `region`. `entropy` is only for test vectors. */
export function mintKey(region: Region, entropy: Buffer = randomBytes(32)): string {
  const checked = `parley_${region}_${base62(BigInt(`0x${entropy.toString('hex')}`), RANDOM_LENGTH)}`;
  return checked + base62(BigInt(crc32(checked, CHECKED_LENGTH)), CHECK_LENGTH);
}

/** The part of a value that a key list shows: the region and the first random characters (36 of 256 bits). */
export const shownPrefix = (value: string): string => value.slice(0, HEAD_LENGTH + SHOWN_RANDOM_LENGTH);

/** The function is pure and allocates nothing, so a refusal here needs neither a hash nor a query. */
export function parseKey(value: string): ParsedKey {
  if (value.length !== KEY_LENGTH || !value.startsWith('parley_') || value[HEAD_LENGTH - 1] !== '_') return MALFORMED;
  for (let at = HEAD_LENGTH; at < CHECKED_LENGTH; at++) if (digitOf(value.charCodeAt(at)) < 0) return MALFORMED;
  let check = 0;
  for (let at = CHECKED_LENGTH; at < KEY_LENGTH; at++) {
    const digit = digitOf(value.charCodeAt(at));
    if (digit < 0) return MALFORMED;
    check = check * 62 + digit;
  }
  if (check !== crc32(value, CHECKED_LENGTH)) return MALFORMED;
  const region = value.slice('parley_'.length, HEAD_LENGTH - 1);
  return isRegion(region) ? PARSED.get(region)! : MALFORMED;
}

export function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; rest > 0n; rest /= 62n) text = ALPHABET[Number(rest % 62n)] + text;
  return text.padStart(length, '0');
}

const DIGITS = new Int8Array(128).fill(-1);
for (let digit = 0; digit < ALPHABET.length; digit++) DIGITS[ALPHABET.charCodeAt(digit)] = digit;

const digitOf = (code: number): number => (code < 128 ? DIGITS[code]! : -1);

const CRC_TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

/**
 * Computes the checksum of the first `length` characters, which are all ASCII. The function uses a table, which is
 * faster than a call of zlib.
 */
export function crc32(text: string, length: number): number {
  let crc = -1;
  for (let at = 0; at < length; at++) crc = CRC_TABLE[(crc ^ text.charCodeAt(at)) & 255]! ^ (crc >>> 8);
  return (crc ^ -1) >>> 0;
}
