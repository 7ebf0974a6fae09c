import { createHmac } from 'node:crypto';
import { isId } from '../../../contract/ids.ts';
import { isSigned, type Key } from '../../kernel/seal.ts';

/**
 * A reply token permits one answer to one turn. A reply token is signed and not stored, so every attempt of a turn has
 * the same token. A reply token only proves that Parley asked for the turn, and the run decides whether it still
 * accepts an answer.
 */
export type ReplyClaims = { orgId: string; runId: string; turnId: string };

const MAC_BYTES = 32;
const MAX_TOKEN_CHARACTERS = 512;

export function issueReplyToken(key: Key, { orgId, runId, turnId }: ReplyClaims): string {
  const text = Buffer.from([orgId, runId, turnId].join(' '));
  return Buffer.concat([sign(key, text), text]).toString('base64url');
}

/** Null for any text that `issueReplyToken` did not create. */
export function readReplyToken(key: Key, token: string): ReplyClaims | null {
  if (token.length > MAX_TOKEN_CHARACTERS || !/^[\w-]+$/.test(token)) return null;
  const bytes = Buffer.from(token, 'base64url');
  const text = bytes.subarray(MAC_BYTES);
  if (text.length === 0 || !isSigned(key, bytes.subarray(0, MAC_BYTES), (one) => sign(one, text))) return null;
  const [orgId = '', runId = '', turnId = ''] = text.toString('utf8').split(' ');
  return isId('org', orgId) && isId('run', runId) && isId('turn', turnId) ? { orgId, runId, turnId } : null;
}

const sign = (key: Buffer, text: Buffer): Buffer =>
  createHmac('sha256', key).update('turn reply\n').update(text).digest();
