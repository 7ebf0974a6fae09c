import { hash, randomFillSync } from 'node:crypto';
import type { IdPrefix } from '../../contract/ids.ts';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const POOL_BYTES = 10 * 512;

const pool = Buffer.alloc(POOL_BYTES);
let used = POOL_BYTES;

/**
 * Creates a TypeID: prefix, underscore, UUIDv7 in 26 characters of Crockford base32 (format: contract/ids.ts). The
 * random bytes come from a pool, because one system call per ID would take longer than the ID.
 */
export function newId(prefix: IdPrefix, at: number = Date.now()): string {
  if (used === POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  used += 10;
  return encoded(prefix, at, pool, used - 10);
}

/** IDs use the clock of a node, and times use the clock of the database. This is the largest allowed difference. */
export const CLOCK_SLACK_MS = 3_600_000;

/**
 * Returns the beginning of an ID, which contains the time. IDs that are created after the given time sort after this
 * text.
 */
export const firstId = (prefix: IdPrefix, ms: number): string =>
  newId(prefix, Math.max(0, ms)).slice(0, prefix.length + 11);

/** Returns the same ID for the same name and time, so that two nodes write to the same row. */
export const derivedId = (prefix: IdPrefix, at: number, name: string): string =>
  encoded(prefix, at, hash('sha256', name, 'buffer'), 0);

/** All pairs of digits, with ten bits each. */
const PAIRS = Array.from({ length: 1024 }, (_, bits) => ALPHABET[bits >> 5]! + ALPHABET[bits & 31]!);

/**
 * An ID has 130 bits, which are 13 pairs of digits: two zero bits and 48 bits of milliseconds, then version 7 and 12
 * random bits, then variant 2 and 62 random bits (RFC 9562, 5.7). The random bits come from ten bytes of `r`.
 */
function encoded(prefix: IdPrefix, at: number, r: Uint8Array, from: number): string {
  const version = 0x70 | (r[from]! & 0x0f);
  const variant = 0x80 | (r[from + 2]! & 0x3f);
  return (
    `${prefix}_${digitsOfTime(at)}` +
    eightDigits(version, r[from + 1]!, variant, r[from + 3]!, r[from + 4]!) +
    eightDigits(r[from + 5]!, r[from + 6]!, r[from + 7]!, r[from + 8]!, r[from + 9]!)
  );
}

const pair = (bits: number): string => PAIRS[bits & 1023]!;

const eightDigits = (a: number, b: number, c: number, d: number, e: number): string =>
  pair((a << 2) | (b >> 6)) + pair((b << 4) | (c >> 4)) + pair((c << 6) | (d >> 2)) + pair((d << 8) | e);

let latest = 0;
let digitsOfLatest = '0000000000';

/** Returns the ten digits of a time. Under load, many IDs have the same millisecond, so the last digits are cached. */
function digitsOfTime(at: number): string {
  if (at === latest) return digitsOfLatest;
  latest = at;
  digitsOfLatest = [40, 30, 20, 10, 0].map((bits) => pair(Math.floor(at / 2 ** bits))).join('');
  return digitsOfLatest;
}

/** Returns the creation time of an ID in milliseconds, which is the first 48 bits of its UUIDv7. */
export function timeOfId(id: string): number {
  const digits = id.slice(id.lastIndexOf('_') + 1, id.lastIndexOf('_') + 11);
  return digits.split('').reduce((time, digit) => time * 32 + ALPHABET.indexOf(digit), 0);
}
