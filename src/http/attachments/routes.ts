import { Readable } from 'node:stream';
import { Type } from 'typebox';
import { lostDatabase } from '../../access/sessions/lost-database.ts';
import type { ConversationsDeps } from '../../features/conversations/deps.ts';
import { findSentFile, readSentFile } from '../../features/conversations/read-attachment.ts';
import type { Route } from '../route/route.ts';

/**
 * A page may show files of the listed types, and all other files can only be downloaded. Types that a browser could
 * execute are never shown.
 */
const SHOWN = /^(?:image|audio|video)\//;

/**
 * Serves the files of conversations. A caller that knows the address may read the file, because channel providers and
 * visitors' pages have no key. The file is shown on Parley's own origin, so it must be inert: Parley sets the type,
 * browsers do not guess it, and a file that is opened directly runs in a sandbox.
 */
export const attachmentRoutes = (deps: Pick<ConversationsDeps, 'db' | 'blobs'>): Route[] => [
  {
    method: 'GET',
    path: '/attachments/:org_id/:attachment_id/:token/:name',
    access: 'public',
    operation: { id: 'readAttachment', summary: 'A file of a conversation', tag: 'Conversations', hidden: true },
    responses: { 200: Type.Unknown() },
    handle: async (request, reply) => {
      const { org_id: orgId, attachment_id: id, token } = request.params as Record<string, string>;
      const file = await findSentFile(deps, orgId!, { id: id!, token: token! }).catch((error: unknown) => {
        throw lostDatabase('GET', error);
      });
      const etag = `"${file.hash}"`;
      reply
        .header('etag', etag)
        // No cache may store the file, because a copy in a cache would stay after the erasure of the file.
        .header('cache-control', 'private, no-cache')
        .header('content-security-policy', "default-src 'none'; sandbox")
        .header('cross-origin-resource-policy', 'cross-origin')
        .header('x-robots-tag', 'noindex');
      if (request.headers['if-none-match'] === etag) return reply.code(304).send();
      const part = partOf(request.headers.range, file.size);
      if (part) reply.code(206).header('content-range', `bytes ${part.first}-${part.last}/${file.size}`);
      const { first, last } = part ?? { first: 0, last: file.size - 1 };
      return reply
        .header('content-type', file.type)
        .header('content-disposition', disposition(file))
        .header('accept-ranges', 'bytes')
        .header('content-length', last - first + 1)
        .send(Readable.from(request.method === 'HEAD' ? [] : readSentFile(deps, orgId!, id!, { first, last })));
    },
  },
];

/** Sends the exact name for browsers and an ASCII name for all other clients (RFC 6266). */
function disposition({ name, type }: { name: string; type: string }): string {
  const ascii = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const exact = encodeURIComponent(name).replaceAll(/['()*]/g, (one) => `%${one.charCodeAt(0).toString(16)}`);
  return `${SHOWN.test(type) ? 'inline' : 'attachment'}; filename="${ascii}"; filename*=UTF-8''${exact}`;
}

/** Players of audio and video request one part of a file. Any other request gets the whole file (RFC 9110, 14.2). */
function partOf(range: string | undefined, size: number): { first: number; last: number } | null {
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range ?? '') ?? [];
  if (from === '' && to === '') return null;
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  return first <= last ? { first, last } : null;
}
