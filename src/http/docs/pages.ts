import { setImmediate } from 'node:timers/promises';
import { PROBLEMS, type ProblemCode } from '../../../contract/problems.ts';
import { loadOnce } from '../../kernel/load-once.ts';
import type { Route } from '../route/route.ts';
import { GUIDE_NAMES, guidePage, isGuide } from './guides.ts';
import { page } from './html.ts';
import { describeRoutes, type Described, type OpenApiDocument } from './openapi.ts';
import { problemListPage, problemPage } from './problem-pages.ts';
import type { Entry } from './rank.js';
import { referencePage } from './reference.ts';
import { searchPage } from './search-page.ts';
import { type Content, entriesOf } from './sections.ts';
import { sidebarAt, sidebarOf } from './sidebar.ts';

export type DocsDeps = Described & { readonly allRoutes: () => readonly Route[] };

/** Every page of the documentation by its path. Each part is created once, on its first request. */
export class Pages {
  readonly #deps: DocsDeps;
  readonly #made = new Map<string, () => Promise<unknown>>();

  constructor(deps: DocsDeps) {
    this.#deps = deps;
  }

  document(): Promise<OpenApiDocument> {
    return this.#once('document', async () => describeRoutes(this.#deps.allRoutes(), this.#deps));
  }

  async html(path: string): Promise<string> {
    return this.#around(path, await this.#content(path));
  }

  async found(query: string): Promise<string> {
    return this.#around('/docs?q', searchPage(query, await this.entries()));
  }

  /** Returns the page for a URL without a page, which is the search for the last part of the URL. */
  async missing(name: string): Promise<string> {
    return this.#around('/docs?q', searchPage(name.replaceAll(/[-_]/g, ' '), await this.entries(), 'Page not found'));
  }

  /** Returns the entries of the search index, which are every heading, endpoint, event and code. */
  entries(): Promise<readonly Entry[]> {
    return this.#once('entries', async () => {
      const entries: Entry[] = [];
      for (const path of allPaths()) entries.push(...entriesOf(path, await this.#content(path)));
      return entries;
    });
  }

  async #around(path: string, content: Content): Promise<string> {
    const sidebar = await this.#once('sidebar', async () => sidebarOf(await this.document()));
    return page(content, sidebarAt(sidebar, path));
  }

  #content(path: string): Promise<Content> {
    return this.#once(path, async () => {
      const document = path === '/docs' ? await this.document() : null;
      // Each entry takes tens of milliseconds, so other requests run between the entries.
      await setImmediate();
      if (document) return referencePage(document);
      if (path === '/docs/problems') return problemListPage();
      const name = path.split('/').at(-1)!;
      return isGuide(name) ? guidePage(name, this.#deps.baseUrl) : problemPage(name as ProblemCode, this.#deps.baseUrl);
    });
  }

  #once<T>(name: string, make: () => Promise<T>): Promise<T> {
    const load = (this.#made.get(name) as (() => Promise<T>) | undefined) ?? loadOnce(make);
    this.#made.set(name, load);
    return load();
  }
}

const allPaths = (): string[] => [
  ...GUIDE_NAMES.map((name) => `/docs/guides/${name}`),
  '/docs',
  '/docs/problems',
  ...Object.keys(PROBLEMS).map((code) => `/docs/problems/${code}`),
];
