import { createHash, randomBytes } from 'node:crypto';

/**
 * An invitation link contains a random token. Only the token's digest is stored. The person who creates the link sees
 * it once, or the link is mailed. No list, audit row or copy of the database contains the token. The digest needs no
 * slow hash and no key, because the token has 256 random bits. Open invitations stay valid after PARLEY_SECRET changes.
 */
export const newInvitationToken = (): string => randomBytes(32).toString('base64url');

export const invitationDigest = (token: string): Buffer => createHash('sha256').update(token).digest();

export const invitationUrl = (baseUrl: string, token: string): string => `${baseUrl}/invitations/${token}`;
