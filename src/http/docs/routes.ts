import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isProblemCode, type ProblemCode, Refusal } from '../../../contract/problems.ts';
import { ownFile } from '../../kernel/own-files.ts';
import type { Route } from '../route/route.ts';
import { isGuide } from './guides.ts';
import { asset, sendPage } from './html.ts';
import { llmsText } from './llms.ts';
import { type DocsDeps, Pages } from './pages.ts';

const MOST_LETTERS = 200;
/** The fonts of the dashboard, from its files. Without the fonts of Parley, a browser uses its system's fonts. */
const FONTS = { inter: 'inter-latin-wght-normal-', mono: 'jetbrains-mono-latin-wght-normal-' } as const;
const DASHBOARD_FILES = 'dashboard/dist/assets';
const SCRIPTS = ['copy.js', 'pages.js', 'search.js', 'rank.js'] as const;

/**
 * Serves the pages of the documentation for people. The pages are public, need no network, and contain no data of any
 * organization.
 */
export function docsRoutes(deps: DocsDeps): Route[] {
  const pages = new Pages(deps);
  const made = new Map<string, string>();
  /** Each file is read once, on its first request. */
  const file = (name: string): string => {
    const known = made.get(name) ?? asset(name);
    made.set(name, known);
    return known;
  };
  const fonts = new Map<string, Buffer>();
  const font = async (beginning: string): Promise<Buffer> => {
    const bytes = fonts.get(beginning) ?? (await readFont(beginning));
    fonts.set(beginning, bytes);
    return bytes;
  };
  const send = async (reply: FastifyReply, path: string) => sendPage(reply, await pages.html(path), deps.baseUrl);
  /** A person who guessed a URL sees the search for its last part. Programs get the usual problem. */
  const missing = async (reply: FastifyReply, { headers }: FastifyRequest, name: string, code: ProblemCode) => {
    if (!headers.accept?.includes('text/html')) throw new Refusal(code);
    return sendPage(reply.code(404), await pages.missing(name.slice(0, MOST_LETTERS)), deps.baseUrl);
  };
  return [
    get('/docs', async (reply, { query }) => {
      const wanted = new URLSearchParams(query as string).get('q')?.trim().slice(0, MOST_LETTERS);
      return wanted ? sendPage(reply, await pages.found(wanted), deps.baseUrl) : send(reply, '/docs');
    }),
    get('/docs/', async (reply) => reply.redirect('/docs', 308)),
    get('/docs/guides', async (reply) => reply.redirect('/docs', 308)),
    get('/docs/guides/:name', async (reply, request) => {
      const { name } = request.params as { name: string };
      return isGuide(name) ? send(reply, `/docs/guides/${name}`) : missing(reply, request, name, 'route_not_found');
    }),
    // The path of the file in the repository, without its ending.
    get('/docs/:name', async (reply, request) => {
      const { name } = request.params as { name: string };
      return isGuide(name)
        ? reply.redirect(`/docs/guides/${name}`, 308)
        : missing(reply, request, name, 'route_not_found');
    }),
    get('/docs/problems', (reply) => send(reply, '/docs/problems')),
    get('/docs/problems/:code', async (reply, request) => {
      const { code } = request.params as { code: string };
      return isProblemCode(code)
        ? send(reply, `/docs/problems/${code}`)
        : missing(reply, request, code, 'problem_not_found');
    }),
    get('/docs/style.css', async (reply) => sendAsset(reply, 'text/css', file('style.css'))),
    ...SCRIPTS.map((name) => get(`/docs/${name}`, async (reply) => sendAsset(reply, 'text/javascript', file(name)))),
    ...Object.entries(FONTS).map(([name, file]) =>
      get(`/docs/fonts/${name}.woff2`, async (reply) => {
        const bytes = await font(file);
        return reply.header('cache-control', 'public, max-age=86400').type('font/woff2').send(bytes);
      }),
    ),
    get('/docs/entries.js', async (reply) => {
      const text = JSON.stringify(await pages.entries());
      return sendAsset(reply, 'text/javascript', `export const ENTRIES = ${text};\n`);
    }),
    get('/llms.txt', async (reply) => sendAsset(reply, 'text/plain', llmsText(await pages.document(), deps.baseUrl))),
  ];
}

type Answer = (reply: FastifyReply, request: FastifyRequest) => Promise<FastifyReply>;
const get = (path: string, answer: Answer): Route => ({
  method: 'GET',
  path,
  access: 'public',
  operation: { id: `docs:${path}`, summary: 'An HTML page', tag: 'Docs', hidden: true },
  responses: { 200: null },
  handle: (request, reply) => answer(reply, request),
});

async function readFont(beginning: string): Promise<Buffer> {
  const folder = ownFile(DASHBOARD_FILES);
  const names = await readdir(folder).catch(() => []);
  const name = names.find((one) => one.startsWith(beginning));
  if (name === undefined) throw new Refusal('route_not_found');
  return readFile(path.join(folder, name));
}

const sendAsset = (reply: FastifyReply, type: string, text: string): FastifyReply =>
  reply.header('cache-control', 'no-cache').type(`${type}; charset=utf-8`).send(text);
