import { createHash, randomBytes } from 'node:crypto';

/**
 * The link that lets somebody in holds a random token. Only the token's digest is stored: the link is shown once, to
 * whoever makes it, or mailed, and no list, audit row or copy of the database shows it again. No slow hash and no key:
 * the token has 256 random bits, so a new PARLEY_SECRET leaves open invitations as they are.
 */
export const newInvitationToken = (): string => randomBytes(32).toString('base64url');

export const invitationDigest = (token: string): Buffer => createHash('sha256').update(token).digest();

export const invitationUrl = (baseUrl: string, token: string): string => `${baseUrl}/invitations/${token}`;
