import type { FastifyReply } from 'fastify';

/** Returns a signal that aborts if the connection closes before the whole response was sent. */
export function callerLeft({ raw }: FastifyReply): AbortSignal {
  const left = new AbortController();
  raw.once('close', () => raw.writableFinished || left.abort(new Error('The caller closed the connection.')));
  return left.signal;
}
