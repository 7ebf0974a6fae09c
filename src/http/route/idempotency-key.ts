import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Refusal } from '../../../contract/problems.ts';
import type { ClientCaller } from '../../access/types.ts';
import type { Idempotency } from './route.ts';

/**
 * A key has 1 to 255 visible ASCII characters. Node joins two headers with a comma and a space, and a space is not a
 * visible character.
 */
const SYNTAX = /^[\x21-\x7e]{1,255}$/;

/**
 * A page may choose any key, so the keys of a client token have their own scope, separate from backends and other end
 * users.
 */
export function idempotencyOf(request: IncomingMessage, body: Buffer, client?: ClientCaller): Idempotency | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key !== 'string' || !SYNTAX.test(key))
    throw new Refusal('validation_failed', 'The Idempotency-Key header is malformed.', {
      errors: [
        {
          pointer: '/headers/idempotency-key',
          code: 'format',
          detail: 'Must be 1 to 255 visible ASCII characters, in one header.',
        },
      ],
    });
  const of = client === undefined ? '' : `\n${client.mark} ${client.conversationKey ?? ''}`;
  return {
    scope: hash('sha256', `${request.method}\n${pathOf(request.url!)}\n${key}${of}`, 'buffer'),
    request: hash('sha256', body, 'buffer'),
  };
}

/** All spellings of one path have the same scope. The router has already decoded the path, so decoding cannot fail. */
function pathOf(target: string): string {
  const end = target.indexOf('?');
  const path = end === -1 ? target : target.slice(0, end);
  return path.includes('%') ? decodeURIComponent(path) : path;
}
