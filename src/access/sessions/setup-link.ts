import { createHmac } from 'node:crypto';

/**
 * The one-time link that makes the first owner. Only the HMAC of its token is stored. The token follows from the secret and
 * from when it ends, so that a node that starts beside others can show their link instead of making it worthless.
 */
export const SETUP_MINUTES = 30;

export const setupToken = (key: Buffer, until: Date): string =>
  createHmac('sha256', key).update(`setup until ${until.toISOString()}`).digest('base64url');

export const setupDigest = (key: Buffer, token: string): Buffer =>
  createHmac('sha256', key).update(`setup ${token}`).digest();

export const setupUrl = (baseUrl: string, token: string): string => `${baseUrl}/setup?token=${token}`;

/** Tells a start with another PARLEY_SECRET, before it makes anything that the right one cannot read. */
export const secretCheck = (key: Buffer): Buffer => createHmac('sha256', key).update('secret check').digest();
