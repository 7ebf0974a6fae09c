import { hash } from 'node:crypto';

/**
 * HMAC-SHA-256 (RFC 2104) of key values under the pepper, as two one-shot hashes over preallocated buffers: 0.7 µs,
 * where createHmac takes 1.7 µs with a KeyObject and 11 µs with a Buffer. The result is a string of 32 latin1
 * characters, the cheapest key for a Map; `digestBytes` converts it to the bytes in the database.
 */
export type Digest = (value: string) => string;

const BLOCK = 64;
const SIZE = 32;

export function createDigest(pepper: Buffer): Digest {
  if (pepper.length < SIZE || pepper.length > BLOCK) throw new RangeError('The pepper must be 32 to 64 bytes long.');
  const inner = keyed(pepper, 0x36);
  const outer = Buffer.concat([keyed(pepper, 0x5c), Buffer.alloc(SIZE)]);
  let message = Buffer.concat([inner, Buffer.alloc(BLOCK)]);
  return (value) => {
    const length = BLOCK + Buffer.byteLength(value, 'utf8');
    // Every key value has the same length, so this happens once.
    if (message.length !== length) message = Buffer.concat([inner, Buffer.alloc(length - BLOCK)]);
    message.write(value, BLOCK, 'utf8');
    outer.write(hash('sha256', message, 'binary'), BLOCK, 'latin1');
    return hash('sha256', outer, 'binary');
  };
}

export const digestBytes = (digest: string): Buffer => Buffer.from(digest, 'latin1');

function keyed(pepper: Buffer, pad: number): Buffer {
  const block = Buffer.alloc(BLOCK, pad);
  for (let at = 0; at < pepper.length; at++) block[at] = block[at]! ^ pepper[at]!;
  return block;
}
