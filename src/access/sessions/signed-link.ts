import { createHash, createHmac } from 'node:crypto';
import { isId } from '../../../contract/ids.ts';
import { isSigned as isAccepted } from '../../kernel/seal.ts';

/**
 * Links with which a person proves a fact. Signed links are mailed, or passed on by a member. Parley does not store
 * signed links. The signature covers the current value that the link changes, so a link works once, and not after any
 * other change of the value.
 */
export type LinkPurpose =
  /**
   * The link sets a forgotten password. The signature covers the current password hash. The operator creates the link
   * on the server, and a person passes it on.
   */
  | 'password'
  /** A password link that is mailed, so that it also proves the address. */
  | 'mailed password'
  /** The link proves the e-mail address of an account. The signature covers the address. */
  | 'email'
  /**
   * This purpose is not for a link. Between password and second factor, the token records whose password was correct
   * (sign-in-challenge.ts).
   */
  | 'challenge';

export const PASSWORD_LINK_MINUTES = 30;
export const EMAIL_LINK_HOURS = 24;

export type SignedLink = { userId: string; expiresAt: Date };

const MINUTE_MS = 60_000;

export const linkEnd = (minutes: number): Date => new Date(Date.now() + minutes * MINUTE_MS);

export function signLink(key: Buffer, purpose: LinkPurpose, { userId, expiresAt }: SignedLink, state: string): string {
  const stated = `${userId}.${Math.floor(expiresAt.getTime() / 1000)}`;
  return `${stated}.${sign(key, purpose, stated, state).toString('base64url')}`;
}

export const passwordLinkUrl = (baseUrl: string, token: string): string => `${baseUrl}/password/${token}`;

export const emailLinkUrl = (baseUrl: string, token: string): string => `${baseUrl}/verify/${token}`;

/** Returns the content of the token, unless the token has expired. The function `isSigned` verifies the signature. */
export function readLink(token: string): SignedLink | null {
  const [userId, seconds, signature, ...rest] = token.split('.');
  if (userId === undefined || seconds === undefined || signature === undefined || rest.length > 0) return null;
  if (!isId('user', userId) || !/^[0-9]{1,12}$/.test(seconds)) return null;
  const expiresAt = new Date(Number(seconds) * 1000);
  return expiresAt > new Date() ? { userId, expiresAt } : null;
}

export function isSigned(key: Buffer, purpose: LinkPurpose, token: string, state: string): boolean {
  const at = token.lastIndexOf('.');
  const given = Buffer.from(token.slice(at + 1), 'base64url');
  return isAccepted(key, given, (one) => sign(one, purpose, token.slice(0, at), state));
}

const sign = (key: Buffer, purpose: LinkPurpose, stated: string, state: string): Buffer =>
  createHmac('sha256', key)
    .update(`${purpose} ${stated} ${createHash('sha256').update(state).digest('hex')}`)
    .digest();
