import { createHmac } from 'node:crypto';
import { isId } from '../../../contract/ids.ts';
import { isSigned } from '../../kernel/seal.ts';

/**
 * The link ends the weekly mail of one member in one organization, without a sign-in. The link never expires, because
 * an old mail must still be able to stop later mails. The link has no other effect, and a second use changes nothing.
 */
export type WeeklyReaderOf = { orgId: string; userId: string };

const sign = (key: Buffer, stated: string): Buffer =>
  createHmac('sha256', key).update(`weekly mail ${stated}`).digest();

export function signWeeklyLink(key: Buffer, { orgId, userId }: WeeklyReaderOf): string {
  const stated = `${orgId}.${userId}`;
  return `${stated}.${sign(key, stated).toString('base64url')}`;
}

/** Null: the text is not a link of Parley. */
export function readWeeklyLink(key: Buffer, link: string): WeeklyReaderOf | null {
  const [orgId = '', userId = '', signature = '', ...rest] = link.split('.');
  if (rest.length > 0 || !isId('org', orgId) || !isId('user', userId)) return null;
  const stated = `${orgId}.${userId}`;
  return isSigned(key, Buffer.from(signature, 'base64url'), (one) => sign(one, stated)) ? { orgId, userId } : null;
}
