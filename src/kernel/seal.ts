import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * Seals credentials at rest (model keys, channel secrets). PARLEY_SECRET is the source of one wrapping key. Each
 * organization has a random data key, which is stored wrapped. The data key seals the values. A new PARLEY_SECRET
 * re-wraps only one row per organization, and the deletion of this row makes all secrets of the organization
 * unreadable, in backups too. Associated data names the place of a value (table, column, row, organization) and, in
 * version 2, the addresses to which the value may be sent. A sealed text that is copied to another place, or next to
 * another address, does not open (store/credentials.ts).
 */
export type Key = Buffer & { readonly [sealing]: true } & KeyHistory;
declare const sealing: unique symbol;

/**
 * The data that a rotation of PARLEY_SECRET adds to a key (config/secrets.ts). Without a rotation, a key has no
 * history.
 */
type KeyHistory = {
  /** Older keys, which seal no new data. Data that they sealed still opens, and their signatures are still accepted. */
  readonly others?: readonly Key[];
};

/** Combines a current key with other keys that are still accepted. */
export const withOthers = (key: Key, others: readonly Key[]): Key =>
  others.length === 0 ? key : (Object.assign(Buffer.from(key), { others }) as Key);

/** Returns all accepted keys, the current key first. */
export const acceptedKeys = (key: Buffer & KeyHistory): readonly Buffer[] => [key, ...(key.others ?? [])];

/** True if one of the accepted keys made the signature. The check takes the same time for every text of one length. */
export const isSigned = (key: Buffer & KeyHistory, given: Buffer, sign: (key: Buffer) => Buffer): boolean =>
  acceptedKeys(key).some((one) => {
    const right = sign(one);
    return given.length === right.length && timingSafeEqual(given, right);
  });

/** The place of a sealed value. The seal authenticates every part of the place. */
export type Place = { table: string; column: string; row: string; organization: string };

/**
 * `v1`: the text is bound only to its place. `v2`: the text is bound to its place and to the addresses to which it may
 * be sent.
 */
export type SealVersion = 'v1' | 'v2';
const KEY_BYTES = 32;
/**
 * Random nonces of 96 bits are safe for 2^32 values per key (NIST SP 800-38D, 8.3), and a data key seals only a few
 * values.
 */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * The error for a sealed text that does not open because it was altered, moved, sealed with another key, or has another
 * version.
 */
export class SealError extends Error {
  constructor() {
    super('A stored credential cannot be decrypted: it was changed, or encrypted with another PARLEY_SECRET.');
    this.name = 'SealError';
  }
}

/** The text of this error for the owner of a channel. */
export const NOT_OPENED =
  'The stored credentials cannot be decrypted: they belong to different settings than the stored ones. Enter them again.';

/** With HKDF-SHA-256, one secret results in an independent key for each purpose. */
export const deriveKey = (secret: string | Uint8Array, purpose: string): Key =>
  Buffer.from(hkdfSync('sha256', secret, 'parley', purpose, KEY_BYTES)) as Key;

/** Seals a text with AES-256-GCM as `<version>.<base64url of nonce, ciphertext, tag>`. */
export function seal(
  key: Key,
  plaintext: string,
  associatedData: readonly string[],
  version: SealVersion = 'v1',
): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(encode(version, associatedData));
  const parts = [nonce, cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()];
  return `${version}.${Buffer.concat(parts).toString('base64url')}`;
}

/** Returns the version of a sealed text. Null: the version is unknown. */
export function versionOf(sealed: string): SealVersion | null {
  const [version] = sealed.split('.', 1);
  return version === 'v1' || version === 'v2' ? version : null;
}

/** Opens a sealed text with the key or another key that is still accepted. */
export function open(key: Key, sealed: string, associatedData: readonly string[]): string {
  for (const one of acceptedKeys(key)) {
    const text = openDirectly(one, sealed, associatedData);
    if (text !== null) return text;
  }
  throw new SealError();
}

/** Opens a sealed text with exactly this key. Null: this key does not open the text. */
export function openDirectly(key: Buffer, sealed: string, associatedData: readonly string[]): string | null {
  const version = versionOf(sealed);
  const [, text, ...rest] = sealed.split('.');
  const bytes = Buffer.from(text ?? '', 'base64url');
  // Buffer.from ignores invalid characters, but only the exact spelling that `seal` writes may open.
  const isCanonical = bytes.toString('base64url') === text;
  if (version === null || rest.length > 0 || !isCanonical || bytes.length < NONCE_BYTES + TAG_BYTES) {
    return null;
  }
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(encode(version, associatedData));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const ciphertext = bytes.subarray(NONCE_BYTES, -TAG_BYTES);
    return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8');
  } catch {
    return null;
  }
}

export const placeOf = ({ table, column, row, organization }: Place): string[] => [table, column, row, organization];

/** Creates a new data key and its wrapped form for the database. */
export function newDataKey(wrapping: Key, organization: string): { key: Key; wrapped: string } {
  const key = randomBytes(KEY_BYTES) as Key;
  return { key, wrapped: seal(wrapping, key.toString('base64url'), dataKeyPlace(organization)) };
}

export const unwrapDataKey = (wrapping: Key, wrapped: string, organization: string): Key =>
  Buffer.from(open(wrapping, wrapped, dataKeyPlace(organization)), 'base64url') as Key;

export const dataKeyPlace = (organization: string) => ['organization', 'data_key', organization, organization];

/** JSON separates the parts, because ["ab","c"] differs from ["a","bc"]. The seal also authenticates the version. */
const encode = (version: SealVersion, associatedData: readonly string[]) =>
  Buffer.from(JSON.stringify([version, ...associatedData]));
