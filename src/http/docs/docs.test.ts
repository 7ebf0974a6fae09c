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
  it('is also found with a trailing slash', async () => {
    const { status, headers } = await get('/docs/');
    expect([status, headers['location']]).toEqual([308, '/docs']);
  });

  it('shows every endpoint with a curl command to paste', async () => {
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

  it('works offline and runs nothing inline', async () => {
    const { text, headers } = await get('/docs');
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; style-src 'self'; script-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    const loaded = [...text.matchAll(/<(?:link|script|img)[^>]*(?:src|href)="([^"]+)"/g)].map(([, url]) => url!);
    expect(loaded).toEqual(['/docs/style.css', '/docs/copy.js']);
    expect((await Promise.all(loaded.map(get))).map(({ status }) => status)).toEqual([200, 200]);
    expect(text).not.toMatch(/<script>|<style|\son\w+=|\sstyle=/);
  });

  it('shows the texts of schemas as text', async () => {
    const { text } = await get('/docs');
    expect(text).not.toContain('<img src=x>');
    expect(text).toContain('&#60;img src=x&#62;');
    expect(text).toContain('it&#39;\\&#39;&#39;s &#60;/pre&#62;');
  });
});

describe('/docs/problems', () => {
  it('lists every code, each with a page that says what to do', async () => {
    const { text } = await get('/docs/problems');
    for (const [code, { status }] of Object.entries(PROBLEMS)) {
      expect(text).toContain(`href="/docs/problems/${code}"`);
      const page = await get(`/docs/problems/${code}`);
      expect(page.status).toBe(200);
      expect(page.text).toContain(`HTTP ${status}`);
    }
  });

  it.each(['nope', 'constructor', '__proto__', 'toString'])('answers 404 for %s', async (code) => {
    expect((await get(`/docs/problems/${code}`)).json().code).toBe('problem_not_found');
  });
});

describe('/llms.txt', () => {
  it('names every endpoint and where to read on', async () => {
    const { text, headers } = await get('/llms.txt');
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(text).toContain('- GET /api/me: Show the calling key');
    expect(text).toContain('https://us.parley.example/api/openapi.json');
  });
});
