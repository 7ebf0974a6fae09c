import http from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * The server with the minimal work of Node for an HTTP request, as the baseline of comparisons. `end(body)` without
 * `writeHead` sends Content-Length; a chunked response would be slower, and the compared servers would seem faster than
 * they are.
 */
const BODY = JSON.stringify({ id: 'key_01k8v3m9e5f7rsm6z4n0q2x1ab', label: 'Bench', permissions: ['triggers'] });

const server = http.createServer((_request, reply) => {
  reply.setHeader('content-type', 'application/json');
  reply.end(BODY);
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`);
});
process.once('SIGTERM', () => process.exit(0));
