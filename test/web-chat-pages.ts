import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A shop's website on its own origin with the strictest possible policy, in which the web chat must work. */
export type HostSite = { origin: string; close(): Promise<void> };

/** The function `page` creates the HTML of a path. The result of `page` for `/` is the visible page. */
export async function startHostSite(parley: string, page: (path: string) => string): Promise<HostSite> {
  const policy = [
    "default-src 'none'",
    `script-src ${parley}`,
    `connect-src ${parley}`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
  const server = createServer((request, response) => {
    if (request.url === '/favicon.ico') return void response.writeHead(204).end();
    response
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy })
      .end(page(request.url!));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    // The host and the port differ from the server's, so the website is a different origin in every respect.
    origin: `http://localhost:${port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
