import { createHmac, randomBytes } from 'node:crypto';

/** The one-time link that makes the first owner. Only the HMAC of its token is stored. */
export const SETUP_MINUTES = 30;
const TOKEN_BYTES = 32;

export const newSetupToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url');

export const setupDigest = (key: Buffer, token: string): Buffer =>
  createHmac('sha256', key).update(`setup ${token}`).digest();

export const setupUrl = (baseUrl: string, token: string): string => `${baseUrl}/setup?token=${token}`;

/** Tells a start with another PARLEY_SECRET, before it makes anything that the right one cannot read. */
export const secretCheck = (key: Buffer): Buffer => createHmac('sha256', key).update('secret check').digest();
