import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

export type FileParts = { name: string; type: string; parts: AsyncIterable<string> };

/**
 * Streams a file to a user while the file is read. The function `check` throws when the user has lost the access. The
 * connection is then closed, because a slow reader could read for hours.
 */
export const download = (
  reply: FastifyReply,
  { name, type, parts }: FileParts,
  check: () => Promise<unknown>,
): FastifyReply =>
  reply
    .type(type)
    .header('content-disposition', `attachment; filename="${name}"`)
    // The framework would read the whole file for a HEAD request, even after the client has disconnected.
    .send(Readable.from(reply.request.method === 'HEAD' ? [] : checked(parts, check)));

/** The gate has checked the user before the first part. */
async function* checked(parts: AsyncIterable<string>, check: () => Promise<unknown>): AsyncGenerator<string> {
  let isFirst = true;
  for await (const part of parts) {
    if (!isFirst) await check();
    isFirst = false;
    yield part;
  }
}
