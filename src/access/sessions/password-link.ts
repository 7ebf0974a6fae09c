import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { isId } from '../../../contract/ids.ts';

/**
 * The link by which a person who forgot their password sets another. No mail is sent: whoever runs the server makes it
 * there and hands it over. Nothing is stored: the signature covers the password hash of this moment, so the link works
 * once, and not after the password was changed in any other way.
 */
export const PASSWORD_LINK_MINUTES = 30;

export type PasswordLink = { userId: string; expiresAt: Date };

export function passwordLinkToken(key: Buffer, { userId, expiresAt }: PasswordLink, passwordHash: string): string {
  const stated = `${userId}.${Math.floor(expiresAt.getTime() / 1000)}`;
  return `${stated}.${sign(key, stated, passwordHash).toString('base64url')}`;
}

export const passwordLinkUrl = (baseUrl: string, token: string): string => `${baseUrl}/password/${token}`;

/** What the token says of itself; whether it is true is said by `isPasswordLink`. */
export function readPasswordLink(token: string): PasswordLink | null {
  const [userId, seconds, signature, ...rest] = token.split('.');
  if (userId === undefined || seconds === undefined || signature === undefined || rest.length > 0) return null;
  if (!isId('user', userId) || !/^[0-9]{1,12}$/.test(seconds)) return null;
  return { userId, expiresAt: new Date(Number(seconds) * 1000) };
}

export function isPasswordLink(key: Buffer, token: string, passwordHash: string): boolean {
  const at = token.lastIndexOf('.');
  const given = Buffer.from(token.slice(at + 1), 'base64url');
  const right = sign(key, token.slice(0, at), passwordHash);
  return given.length === right.length && timingSafeEqual(given, right);
}

const sign = (key: Buffer, stated: string, passwordHash: string): Buffer =>
  createHmac('sha256', key)
    .update(`password ${stated} ${createHash('sha256').update(passwordHash).digest('hex')}`)
    .digest();
