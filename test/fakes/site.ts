import { hash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Starts a web site on a real port, whose pages a test changes. The site records the requests, and how many of them
 * were open at the same time.
 */
export type SitePage =
  | { html: string; headers?: Record<string, string> }
  | { status: number; headers?: Record<string, string>; body?: string | Buffer };
export type Site = {
  url: string;
  pages: Map<string, SitePage>;
  asked: { path: string; status: number; agent: string }[];
  /** Returns the most requests that were open at the same time. */
  most(): number;
  stop(): Promise<void>;
};

export async function startSite(latencyMs = 0): Promise<Site> {
  const pages = new Map<string, SitePage>();
  const asked: Site['asked'] = [];
  let [open, most] = [0, 0];
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const path = request.url!;
    const page = pages.get(path) ?? { status: 404, body: 'Not here.' };
    const body = 'html' in page ? page.html : (page.body ?? '');
    const etag = `"${hash('sha256', body)}"`;
    const isKnown = 'html' in page && request.headers['if-none-match'] === etag;
    const status = isKnown ? 304 : 'html' in page ? 200 : page.status;
    asked.push({ path, status, agent: request.headers['user-agent'] ?? '' });
    const type = 'html' in page ? { 'content-type': 'text/html; charset=utf-8', etag } : {};
    response.writeHead(status, { ...type, ...page.headers });
    response.end(isKnown ? undefined : body);
  };
  const server = createServer((request, response) => {
    most = Math.max(most, ++open);
    response.on('close', () => open--);
    if (latencyMs === 0) answer(request, response);
    else setTimeout(() => answer(request, response), latencyMs);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pages,
    asked,
    most: () => most,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const sitePage = (title: string, text: string, links: readonly string[] = [], head = ''): SitePage => ({
  html:
    `<!doctype html><html><head><title>${title}</title>${head}</head><body><nav>` +
    `${links.map((link) => `<a href="${link}">x</a>`).join('')}</nav><main><h1>${title}</h1><p>${text}</p></main></body></html>`,
});
