import { createHmac } from 'node:crypto';

/**
 * The one-time link that creates the first owner. Only the HMAC of its token is stored. The token is derived from the
 * secret and its expiry. A node that starts next to other nodes can show their link instead of invalidating it.
 */
export const SETUP_MINUTES = 30;

export const setupToken = (key: Buffer, until: Date): string =>
  createHmac('sha256', key).update(`setup until ${until.toISOString()}`).digest('base64url');

export const setupDigest = (key: Buffer, token: string): Buffer =>
  createHmac('sha256', key).update(`setup ${token}`).digest();

export const setupUrl = (baseUrl: string, token: string): string => `${baseUrl}/setup?token=${token}`;

/** A check value that detects another PARLEY_SECRET before the start creates data that the right secret cannot read. */
export const secretCheck = (key: Buffer): Buffer => createHmac('sha256', key).update('secret check').digest();
