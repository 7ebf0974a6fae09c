import { hash, randomFillSync } from 'node:crypto';
import type { IdPrefix } from '../../contract/ids.ts';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const POOL_BYTES = 10 * 512;

const pool = Buffer.alloc(POOL_BYTES);
let used = POOL_BYTES;

/**
 * Creates a TypeID: prefix, underscore, UUIDv7 in 26 characters of Crockford base32 (format: contract/ids.ts). Random
 * bytes come from a pool, because one system call per id costs more than the id.
 */
export function newId(prefix: IdPrefix, at: number = Date.now()): string {
  if (used === POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  const r = pool.subarray(used, used + 10);
  used += 10;
  return encoded(prefix, at, r);
}

/** IDs use the clock of a node, and times use the clock of the database. This is the maximum difference. */
export const CLOCK_SLACK_MS = 3_600_000;

/** The part of an ID that contains the time. IDs created since then sort after it. */
export const firstId = (prefix: IdPrefix, ms: number): string =>
  newId(prefix, Math.max(0, ms)).slice(0, prefix.length + 11);

/** The same ID for the same name and time, so that two nodes write to the same row. */
export const derivedId = (prefix: IdPrefix, at: number, name: string): string =>
  encoded(prefix, at, hash('sha256', name, 'buffer'));

/** `r`: at least ten bytes. */
function encoded(prefix: IdPrefix, at: number, r: Uint8Array): string {
  // 48 bits of milliseconds, then version 7 and 12 random bits, then variant 2 and 62 random bits (RFC 9562, 5.7).
  const high = Math.floor(at / 0x10000);
  const bytes = [
    (high >>> 24) & 255,
    (high >>> 16) & 255,
    (high >>> 8) & 255,
    high & 255,
    (at >>> 8) & 255,
    at & 255,
    0x70 | (r[0]! & 0x0f),
    r[1]!,
    0x80 | (r[2]! & 0x3f),
    r[3]!,
    r[4]!,
    r[5]!,
    r[6]!,
    r[7]!,
    r[8]!,
    r[9]!,
  ];
  return `${prefix}_${base32(bytes)}`;
}

/** 128 bits in 26 characters, most significant first. The first character contains 3 bits. */
function base32(bytes: number[]): string {
  let text = '';
  let bits = 2; // two leading zero bits make 130
  let buffer = 0;
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[(buffer >>> bits) & 31];
    }
    buffer &= (1 << bits) - 1;
  }
  return text;
}

/** The creation time of an id, in milliseconds: the first 48 bits of its UUIDv7. */
export function timeOfId(id: string): number {
  const digits = id.slice(id.lastIndexOf('_') + 1, id.lastIndexOf('_') + 11);
  return digits.split('').reduce((time, digit) => time * 32 + ALPHABET.indexOf(digit), 0);
}
