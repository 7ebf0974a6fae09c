import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ContentEncoding, contentEncoding } from '../edge/content-encoding.ts';

/**
 * Serves the built dashboard. The files are listed once, so no path from a request reaches the file system. The first
 * request reads a file, and the first request for an encoding compresses it. Later requests get the file from memory (a
 * few MB in total). A node that serves only API keys caches no files. Names below /assets/ contain a hash of their
 * content, so caches may store these files permanently. The file index.html is built for each request, because its
 * style elements need a nonce.
 */
export function mountDashboard(server: FastifyInstance, folder: string): void {
  let site = readSite(folder);
  server.get('/*', async (request, reply) => {
    // The dashboard may be built while the server runs, so no restart is needed.
    site ??= readSite(folder);
    const target = request.raw.url!.split('?', 1)[0]!;
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
    const file = await site?.files
      .get(target)?.()
      .catch(() => {
        // The dashboard was built again after its files were listed.
        site = readSite(folder);
        return site?.files.get(target)?.();
      });
    if (file) return sendFile(request, reply, file);
    if (!isPage(request, target)) return reply.callNotFound();
    return site ? sendPage(reply, site.page) : sendMissing(reply);
  });
}

type StoredFile = {
  type: string;
  etag: string;
  plain: Buffer;
  /** Compressed at the first request for this encoding. Null: the file is sent as it is. */
  compressed: Readonly<Record<ContentEncoding, () => Promise<Buffer>>> | null;
  hashed: boolean;
};
type Site = { files: ReadonlyMap<string, () => Promise<StoredFile>>; page: string };

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.woff': 'font/woff',
  '.txt': 'text/plain; charset=utf-8',
};
const COMPRESSED = new Set(['.js', '.css', '.svg', '.txt']);
/** Below this size, the headers are larger than the savings. */
const COMPRESS_FROM_BYTES = 1024;
/**
 * With this quality, the result is smaller than with gzip's best level and takes a quarter of a second for all files,
 * on other threads. The build has already compressed the files of every first load with the best level (`.br`).
 */
const BROTLI_QUALITY = 6;
const gzipped = promisify<Buffer, Buffer>(gzip);
const brotlied = promisify(brotliCompress);
const NONCE_PLACE = /__CSP_NONCE__/g;

function readSite(folder: string): Site | null {
  const page = path.join(folder, 'index.html');
  if (!existsSync(page)) return null;
  const files = new Map<string, () => Promise<StoredFile>>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const extension = path.extname(entry.name);
    const type = TYPES[extension];
    if (!entry.isFile() || !type) continue;
    const file = path.join(entry.parentPath, entry.name);
    const url = `/${path.relative(folder, file).split(path.sep).join('/')}`;
    let stored: Promise<StoredFile> | undefined;
    const read = () => store(file, type, COMPRESSED.has(extension), url.startsWith('/assets/'));
    files.set(url, async () => {
      stored ??= read();
      return stored;
    });
  }
  return { files, page: readFileSync(page, 'utf8') };
}

async function store(file: string, type: string, text: boolean, hashed: boolean): Promise<StoredFile> {
  const plain = await readFile(file);
  const compress = text && plain.length >= COMPRESS_FROM_BYTES;
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  const built = compress ? await readFile(`${file}.br`).catch(() => null) : null;
  return {
    type,
    hashed,
    plain,
    etag: `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`,
    compressed: compress
      ? { br: once(async () => built ?? brotlied(plain, { params })), gzip: once(() => gzipped(plain)) }
      : null,
  };
}

function once(work: () => Promise<Buffer>): () => Promise<Buffer> {
  let done: Promise<Buffer> | undefined;
  return async () => (done ??= work());
}

async function sendFile(request: FastifyRequest, reply: FastifyReply, file: StoredFile): Promise<FastifyReply> {
  reply
    .header('content-type', file.type)
    .header('etag', file.etag)
    .header('vary', 'accept-encoding')
    .header('cache-control', file.hashed ? 'public, max-age=31536000, immutable' : 'no-cache')
    // A browser shows an SVG file as a document when it is opened directly.
    .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'");
  if (request.headers['if-none-match'] === file.etag) return reply.code(304).send();
  const encoding = contentEncoding(request.headers['accept-encoding']);
  if (file.compressed === null || encoding === null) return reply.send(file.plain);
  const body = await file.compressed[encoding]();
  return reply.header('content-encoding', encoding).send(body);
}

/**
 * A program that requests an unknown path gets the JSON error body. A browser gets the dashboard's page, which shows
 * its own error.
 */
function isPage(request: FastifyRequest, target: string): boolean {
  if (/^\/(?:api|attachments|chat|dashboard|docs|assets|mcp|ready|metrics)(?:\/|$)/.test(target)) return false;
  if (/\.\w{1,5}$/.test(target)) return false;
  // The program `curl` accepts any type, so it gets the page only at the root path.
  return /\btext\/html\b/.test(request.headers.accept ?? '') || target === '/';
}

function sendPage(reply: FastifyReply, page: string): FastifyReply {
  const nonce = randomBytes(18).toString('base64url');
  return secured(reply, nonce).send(page.replace(NONCE_PLACE, nonce));
}

function sendMissing(reply: FastifyReply): FastifyReply {
  return secured(reply.code(503), null).send(
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>Parley</title><h1>The dashboard is not built</h1>
<p>The server runs, and the HTTP API and the command line work. <code>npm start</code> builds the dashboard before it
starts; to build it alone run <code>node_modules/.bin/vite build dashboard</code>, then load this page again.</p></html>`,
  );
}

/**
 * The policy allows only script files of Parley, style files of Parley, and styles with the nonce. The policy allows no
 * frame, no plug-in and no other site.
 */
function secured(reply: FastifyReply, nonce: string | null): FastifyReply {
  const policy = [
    "default-src 'self'",
    "script-src 'self'",
    `style-src 'self'${nonce === null ? '' : ` 'nonce-${nonce}'`}`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    // The policy allows frames of Parley's own pages, because users try a web chat on the page where they configure it.
    "frame-src 'self'",
    "frame-ancestors 'none'",
  ];
  return reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('content-security-policy', policy.join('; '))
    .header('x-frame-options', 'DENY')
    .header('referrer-policy', 'no-referrer')
    .header('cross-origin-opener-policy', 'same-origin')
    .header('permissions-policy', 'camera=(), microphone=(), geolocation=(), payment=()');
}
