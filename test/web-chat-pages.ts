import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A shop's web site on its own origin, with the strictest possible policy: the web chat must work there. */
export type HostSite = { origin: string; close(): Promise<void> };

/** `page` creates the markup of a path; its result for `/` is what people see. */
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
    // Another host and another port than the server's: a different origin in every respect.
    origin: `http://localhost:${port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
