import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { createDigest, digestForms } from '../src/access/api-keys/digest.ts';
import { openDb } from '../src/store/db.ts';
import { readKeyByDigest } from '../src/store/api-keys/records.ts';

/**
 * The server without a cache, for comparison: a bare server that makes one indexed query per request. The server has
 * the pool of the program, and the query that fills the program's cache. `node select-server.ts DATABASE_URL PEPPER`
 */
const [, , url, pepper] = process.argv;
const db = openDb(url!);
const digest = createDigest(Buffer.from(pepper!, 'base64url'));

const server = http.createServer((request, reply) => {
  const value = request.headers.authorization!.slice('Bearer '.length);
  void answer(value, reply);
});

async function answer(value: string, reply: http.ServerResponse): Promise<void> {
  const key = await readKeyByDigest(db.$client, digestForms(digest(value)));
  reply.statusCode = key === null ? 401 : 200;
  reply.setHeader('content-type', 'application/json');
  reply.end(JSON.stringify(key ?? {}));
}

server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`);
});
process.once('SIGTERM', () => process.exit(0));
