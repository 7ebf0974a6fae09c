import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROBLEMS } from '../../../contract/problems.ts';
import { echo, startHttpServer, type TestHttpServer } from '../../../test/http-server.ts';
import { raw } from '../../../test/raw-http.ts';
import type { Route } from '../route/route.ts';

const hostile: Route = {
  ...echo,
  path: '/api/hostile',
  operation: {
    id: 'hostile',
    summary: '<img src=x>',
    description: '`<script>`',
    tag: 'Triggers',
    example: { text: "it's </pre>" },
  },
};
let http: TestHttpServer;
beforeAll(async () => {
  http = await startHttpServer([echo, hostile]);
});
afterAll(() => http.server.close());
const get = (path: string) => raw(http.port, { path });

describe('/docs', () => {
  it('the page is also found with a trailing slash', async () => {
    const { status, headers } = await get('/docs/');
    expect([status, headers['location']]).toEqual([308, '/docs']);
  });

  it('the page shows every endpoint with a curl command to copy', async () => {
    const { text, headers } = await get('/docs');
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    for (const part of [
      'id="getHealth"',
      'id="getMe"',
      'id="echo"',
      'curl -X POST &#39;https://us.parley.example/api/echo/ID&#39;',
    ])
      expect(text).toContain(part);
    expect(text).not.toContain('docs:/docs');
  });

  it('the docs work offline and contain no inline script', async () => {
    const { text, headers } = await get('/docs');
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; style-src 'self'; font-src 'self'; script-src 'self'; base-uri 'none'; form-action https://us.parley.example/docs; frame-ancestors 'none'",
    );
    const loaded = [...text.matchAll(/<(?:link|script|img)[^>]*(?:src|href)="([^"]+)"/g)].map(([, url]) => url!);
    expect(loaded).toEqual(['/docs/style.css', '/docs/copy.js', '/docs/pages.js', '/docs/search.js']);
    const all = [...loaded, '/docs/rank.js', '/docs/entries.js'];
    expect(new Set((await Promise.all(all.map(get))).map(({ status }) => status))).toEqual(new Set([200]));
    expect(text).not.toMatch(/<script>|<style|\son\w+=|\sstyle=/);
  });

  it('the docs use the fonts of the dashboard', async () => {
    const { text } = await get('/docs/style.css');
    const fonts = [...text.matchAll(/url\('([^']+)'\)/g)].map(([, url]) => url!);
    expect(fonts).toEqual(['/docs/fonts/inter.woff2', '/docs/fonts/mono.woff2']);
    for (const font of fonts) {
      const { status, headers, text: bytes } = await get(font);
      expect([status, headers['content-type'], bytes.slice(0, 4)]).toEqual([200, 'font/woff2', 'wOF2']);
    }
  });

  it('the page shows texts from schemas as text, not as HTML', async () => {
    const { text } = await get('/docs');
    expect(text).not.toContain('<img src=x>');
    expect(text).toContain('&#60;img src=x&#62;');
    expect(text).toContain('it&#39;\\&#39;&#39;s &#60;/pre&#62;');
  });
});

describe('/docs?q=', () => {
  it.each([
    ['get me', '/docs#getMe'],
    ['/api/echo', '/docs#echo'],
    ['key_inv', '/docs/problems/key_invalid'],
    ['campaign.ended', '/docs#event-campaign.ended'],
    ['Run a campaign', '/docs/guides/campaigns'],
  ])('the search finds %s without scripts', async (query, href) => {
    const { text } = await get(`/docs?q=${encodeURIComponent(query).replaceAll('%20', '+')}`);
    const [, found] = text.split('<ul class="found">');
    expect(found).toContain(`href="${href}"`);
  });

  it('the search shows the query as text, and reports if nothing was found', async () => {
    const { status, text } = await get('/docs?q=%3Cimg+src%3Dx%3E+zzzz&q=2&utm=%ff');
    expect(status).toBe(200);
    expect(text).not.toContain('<img');
    expect(text).toContain('Nothing was found for “&#60;img src=x&#62; zzzz”');
  });

  it.each(['', '?q=', '?q=+', '?other=1'])('without a query, /docs%s is the reference', async (query) => {
    expect((await get(`/docs${query}`)).text).toContain('<h1>Parley API reference</h1>');
  });
});

describe('every page', () => {
  it.each(['/docs', '/docs/guides/sdk', '/docs/problems', '/docs/problems/key_invalid', '/docs?q=key'])(
    'the page %s lists all pages and sections, and marks its own entry',
    async (path) => {
      const { text } = await get(path);
      const [, side] = /<nav id="contents"[^>]*>([^]*?)<\/nav>/.exec(text)!;
      for (const href of ['/docs#echo', '/docs#events', '/docs/guides/sdk', '/docs/problems#status-401'])
        expect(side).toContain(`href="${href}"`);
      const current = [...side!.matchAll(/href="([^"]+)" aria-current="page"/g)].map(([, href]) => href);
      const own = path.startsWith('/docs/problems') ? '/docs/problems' : path;
      expect(current).toEqual(path.includes('?') ? [] : [own]);
    },
  );
});

describe('/docs/problems', () => {
  it('the page lists every code, and each has a page with the solution', async () => {
    const { text } = await get('/docs/problems');
    for (const [code, { status }] of Object.entries(PROBLEMS)) {
      expect(text).toContain(`href="/docs/problems/${code}"`);
      const page = await get(`/docs/problems/${code}`);
      expect(page.status).toBe(200);
      expect(page.text).toContain(`HTTP ${status}`);
    }
  });

  it.each(['nope', 'constructor', '__proto__', 'toString'])('the path %s gets 404', async (code) => {
    expect((await get(`/docs/problems/${code}`)).json().code).toBe('problem_not_found');
  });
});

describe('a URL without a page', () => {
  it.each([
    ['/docs/events', '/docs/guides/events'],
    ['/docs/guides', '/docs'],
  ])('%s leads to %s', async (path, target) => {
    const { status, headers } = await get(path);
    expect([status, headers['location']]).toEqual([308, target]);
  });

  it.each(['/docs/key-inv', '/docs/guides/key_inv', '/docs/problems/key-inv'])(
    'a person who opens %s gets the search, and a program gets a problem',
    async (path) => {
      const page = await raw(http.port, { path, headers: ['Accept: text/html,*/*'] });
      expect([page.status, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
      expect(page.text).toContain('<h1>Page not found</h1>');
      expect(page.text).toContain('href="/docs/problems/key_invalid"');
      expect((await get(path)).json()).toMatchObject({ status: 404, code: expect.stringMatching(/_not_found$/) });
    },
  );

  it('the page repeats the URL as text, not as HTML', async () => {
    const { text } = await raw(http.port, { path: '/docs/%3Cimg%20src=x%3E', headers: ['Accept: text/html'] });
    expect(text).toContain('“&#60;img src=x&#62;”');
  });
});

describe('/llms.txt', () => {
  it('the file names every endpoint and further pages', async () => {
    const { text, headers } = await get('/llms.txt');
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(text).toContain('- GET /api/me: Show the calling key');
    expect(text).toContain('https://us.parley.example/api/openapi.json');
  });
});
