import { createHmac, timingSafeEqual } from 'node:crypto';
import { isId } from '../../../contract/ids.ts';

/**
 * The link that lets somebody in: the invitation's id and a signature over it. The id alone, which stands in the audit
 * log, opens nothing, and nothing secret is stored.
 */
export const invitationToken = (key: Buffer, id: string): string => `${id}.${sign(key, id).toString('base64url')}`;

export const invitationUrl = (baseUrl: string, key: Buffer, id: string): string =>
  `${baseUrl}/invitations/${invitationToken(key, id)}`;

/** The id of the invitation; null when the link was not made here. */
export function readInvitationToken(key: Buffer, token: string): string | null {
  const [id, signature, ...rest] = token.split('.');
  if (id === undefined || signature === undefined || rest.length > 0 || !isId('invite', id)) return null;
  const given = Buffer.from(signature, 'base64url');
  const right = sign(key, id);
  return given.length === right.length && timingSafeEqual(given, right) ? id : null;
}

const sign = (key: Buffer, id: string): Buffer => createHmac('sha256', key).update(`invitation ${id}`).digest();
