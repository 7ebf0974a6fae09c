import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** A file for the person at the screen, written out as it is read. */
export const download = (
  reply: FastifyReply,
  { name, type, parts }: { name: string; type: string; parts: AsyncIterable<string> },
): FastifyReply =>
  reply.type(type).header('content-disposition', `attachment; filename="${name}"`).send(Readable.from(parts));
