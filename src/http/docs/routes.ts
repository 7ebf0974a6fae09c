import { setImmediate } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import { isProblemCode, Refusal } from '../../../contract/problems.ts';
import { describeRoutes, type Described } from './openapi.ts';
import type { Route } from '../route/route.ts';
import { guidePage, isGuide } from './guides.ts';
import { asset, sendPage } from './html.ts';
import { llmsText } from './llms.ts';
import { problemListPage, problemPage } from './problem-pages.ts';
import { referencePage } from './reference.ts';

type Deps = Described & { readonly allRoutes: () => readonly Route[] };

/** Pages for people. They are public, need no network and contain no data of any organization. */
export function docsRoutes(deps: Deps): Route[] {
  const made = new Map<string, string>();
  /** Each page is built once, on its first request. */
  const once = (path: string, make: () => string): string => {
    const known = made.get(path) ?? make();
    made.set(path, known);
    return known;
  };
  const document = () => describeRoutes(deps.allRoutes(), deps);
  return [
    get('/docs', async (reply) => {
      const described = made.has('/docs') ? null : document();
      // Each half takes some tens of milliseconds: other requests come between them.
      await setImmediate();
      return sendPage(
        reply,
        once('/docs', () => referencePage(described ?? document())),
      );
    }),
    get('/docs/', (reply) => reply.redirect('/docs', 308)),
    get('/docs/guides/:name', async (reply, _code, name) => {
      if (!isGuide(name)) throw new Refusal('route_not_found');
      const path = `/docs/guides/${name}`;
      const text = made.get(path) ?? (await guidePage(name, deps.baseUrl));
      return sendPage(
        reply,
        once(path, () => text),
      );
    }),
    get('/docs/problems', (reply) => sendPage(reply, once('/docs/problems', problemListPage))),
    get('/docs/problems/:code', (reply, code) => {
      if (!isProblemCode(code)) throw new Refusal('problem_not_found');
      return sendPage(
        reply,
        once(`/docs/problems/${code}`, () => problemPage(code, deps.baseUrl)),
      );
    }),
    get('/docs/style.css', (reply) =>
      sendAsset(
        reply,
        'text/css',
        once('style', () => asset('style.css')),
      ),
    ),
    get('/docs/copy.js', (reply) =>
      sendAsset(
        reply,
        'text/javascript',
        once('copy', () => asset('copy.js')),
      ),
    ),
    get('/llms.txt', (reply) =>
      sendAsset(
        reply,
        'text/plain',
        once('llms', () => llmsText(document(), deps.baseUrl)),
      ),
    ),
  ];
}

type Answer = (reply: FastifyReply, code: string, name: string) => FastifyReply | Promise<FastifyReply>;
const get = (path: string, answer: Answer): Route => ({
  method: 'GET',
  path,
  access: 'public',
  operation: { id: `docs:${path}`, summary: 'A page for people', tag: 'Docs', hidden: true },
  responses: { 200: null },
  handle: (request, reply) => {
    const { code = '', name = '' } = request.params as { code?: string; name?: string };
    return answer(reply, code, name);
  },
});

const sendAsset = (reply: FastifyReply, type: string, text: string): FastifyReply =>
  reply.header('cache-control', 'no-cache').type(`${type}; charset=utf-8`).send(text);
