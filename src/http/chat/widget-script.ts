import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { ChatAppearance } from '../../../contract/chat.ts';
import { Refusal } from '../../../contract/problems.ts';
import { lostDatabase } from '../../access/sessions/lost-database.ts';
import type { VisitorsDeps } from '../../features/visitors/deps.ts';
import { findChatChannel, presentAppearance } from '../../features/visitors/find-chat-channel.ts';
import { contentEncoding } from '../edge/content-encoding.ts';
import type { Route } from '../route/route.ts';

/**
 * The script of one channel, which contains the channel's appearance followed by the widget, so that a page needs only
 * one request.
 */
export type ScriptFile = {
  readonly etag: string;
  readonly plain: Buffer;
  readonly gzip: Buffer;
  readonly brotli: Buffer;
};
export type WidgetScript = (appearance: ChatAppearance) => ScriptFile;
export type ChatPageDeps = Pick<VisitorsDeps, 'db'> & { chatScript: WidgetScript };

/** Maximum number of channels whose compressed script (about 60 KB each) is cached. */
const MAX_KEPT = 200;
/**
 * A page may show an old color or greeting for this long. After this time, the browser uses the old script while it
 * checks for a new script.
 */
const FRESH_SECONDS = 300;
const STALE_SECONDS = 7 * 86_400;
const YEAR_SECONDS = 365 * 86_400;
const BROTLI_QUALITY = 6;

/** The setup creates the file (widget/), possibly while the server runs. */
export function createWidgetScript(file: string): WidgetScript {
  const cached = new Map<string, ScriptFile>();
  let widget: string | null = null;
  return (appearance) => {
    widget ??= existsSync(file) ? readFileSync(file, 'utf8') : null;
    if (widget === null)
      throw new Refusal('unavailable', 'The widget is not built. Run npm start to build the widget.');
    // User text must not become code. The character `<` could end a script element, and the other characters end a line
    // in old browsers.
    const values = JSON.stringify(appearance).replace(
      /[<\u2028\u2029]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    const name = createHash('sha256').update(values).digest('base64url');
    const known = cached.get(name);
    if (known) return known;
    const made = compress(Buffer.from(`(()=>{const PARLEY_CHAT=${values};\n${widget}})();\n`));
    cached.set(name, made);
    if (cached.size > MAX_KEPT) cached.delete(cached.keys().next().value!);
    return made;
  };
}

const compress = (plain: Buffer): ScriptFile => ({
  etag: createHash('sha256').update(plain).digest('base64url').slice(0, 22),
  plain,
  gzip: gzipSync(plain),
  brotli: brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
});

/**
 * A page needs only one script tag. The script contains only public values, because everyone can read it. The server
 * checks each call of the script.
 */
export const widgetScript = (path: string, deps: ChatPageDeps): Route => ({
  method: 'GET',
  path,
  access: 'public',
  operation: { id: 'chatWidget', summary: 'The script of the web chat widget', tag: 'Web chat', hidden: true },
  responses: { 200: Type.Unknown() },
  handle: async (request, reply) => {
    const { channel_id: id } = request.params as { channel_id: string };
    const channel = await findChatChannel(deps, id).catch((error: unknown) => {
      throw lostDatabase('GET', error);
    });
    return send(request, reply, deps.chatScript(presentAppearance(channel)));
  },
});

function send(request: FastifyRequest, reply: FastifyReply, file: ScriptFile): FastifyReply {
  const etag = `"${file.etag}"`;
  // Caches may store a URL with the exact version (as on Parley's own page) permanently.
  const isNamed = request.raw.url!.endsWith(`?v=${file.etag}`);
  reply
    .header('content-type', 'text/javascript; charset=utf-8')
    .header('etag', etag)
    .header('vary', 'accept-encoding')
    .header(
      'cache-control',
      isNamed
        ? `public, max-age=${YEAR_SECONDS}, immutable`
        : `public, max-age=${FRESH_SECONDS}, stale-while-revalidate=${STALE_SECONDS}`,
    )
    .header('access-control-allow-origin', '*')
    .header('cross-origin-resource-policy', 'cross-origin');
  if (request.headers['if-none-match'] === etag) return reply.code(304).send();
  const encoding = contentEncoding(request.headers['accept-encoding']);
  if (encoding === null) return reply.send(file.plain);
  return reply.header('content-encoding', encoding).send(encoding === 'br' ? file.brotli : file.gzip);
}
