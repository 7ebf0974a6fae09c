import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** A file download for a user, streamed while it is read. */
export const download = (
  reply: FastifyReply,
  { name, type, parts }: { name: string; type: string; parts: AsyncIterable<string> },
): FastifyReply =>
  reply.type(type).header('content-disposition', `attachment; filename="${name}"`).send(Readable.from(parts));
