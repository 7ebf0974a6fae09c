import { createHash, randomBytes } from 'node:crypto';

/**
 * An invitation link contains a random token. Only the token's digest is stored: the link is shown once, to the person
 * who creates it, or mailed; no list, audit row or copy of the database contains it. No slow hash and no key: the token
 * has 256 random bits, so open invitations stay valid under a new PARLEY_SECRET.
 */
export const newInvitationToken = (): string => randomBytes(32).toString('base64url');

export const invitationDigest = (token: string): Buffer => createHash('sha256').update(token).digest();

export const invitationUrl = (baseUrl: string, token: string): string => `${baseUrl}/invitations/${token}`;
