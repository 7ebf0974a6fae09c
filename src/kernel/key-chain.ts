import { createHmac } from 'node:crypto';
import type { Key } from './seal.ts';

/**
 * The database does not store the value of a key, so its digest cannot be computed with another secret. A rotation of
 * PARLEY_SECRET takes the digest of the digest: each secret adds a key to a chain, and the stored digest is the HMAC
 * under all keys of the chain, from the first to the newest. Rows are moved with one more HMAC, and an attacker with
 * only the older keys cannot test values against the new rows (docs/adr/0401).
 */
export type Chained = {
  /** The keys of the chain, oldest first. Absent: the chain consists of one key. */
  readonly chain?: readonly Key[];
  /** The links of the chain at which the digests of rows may end. The first entry is the link for new rows. */
  readonly forms?: readonly number[];
};

export type ChainKey = Key & Chained;

export const chainOf = (chain: readonly Key[], forms: readonly number[]): ChainKey =>
  chain.length === 1 ? chain[0]! : Object.assign(Buffer.from(chain.at(-1)!) as Key, { chain, forms });

const hmac = (key: Buffer, bytes: string | Buffer): Buffer => createHmac('sha256', key).update(bytes).digest();

/** Returns the digests that a row may have. The digest for new rows comes first. */
export function chainedForms(key: Buffer & Chained, value: string): Buffer[] {
  const { chain = [key], forms = [0] } = key;
  const made: Buffer[] = [];
  for (const each of chain) made.push(hmac(each, made.at(-1) ?? value));
  return forms.map((form) => made[form]!);
}

/** Extends the digest of a row from one link of the chain to a later link. */
export const moveAlong = (chain: readonly Buffer[], from: number, to: number, digest: Buffer): Buffer =>
  chain.slice(from + 1, to + 1).reduce((moved: Buffer, key) => hmac(key, moved), digest);
