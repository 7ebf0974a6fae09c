import { once } from 'node:events';
import { connect } from 'node:net';
import { sql } from 'drizzle-orm';
import { expect, it, onTestFinished } from 'vitest';
import { addMember, setUpOwner, startDashboard } from '../../../test/dashboard-server.ts';
import { AUTH, GOOD_KEY, startHttpServer } from '../../../test/http-server.ts';
import { head } from '../../../test/raw-http.ts';
import type { Route } from '../route/route.ts';
import { download } from './download.ts';

/** The route of a file with these parts. */
const fileOf = (parts: () => AsyncGenerator<string>): Route => ({
  method: 'GET',
  path: '/api/file',
  access: { permission: 'triggers' },
  operation: { id: 'file', summary: 'Download', tag: 'Triggers' },
  responses: { 200: null },
  // A promise with a reply resolves when the response ends.
  handle: async (_request, reply) =>
    download(reply, { name: 'a.csv', type: 'text/csv', parts: parts() }, async () => {}),
});

it('no error is logged when a client disconnects in the middle of a file', async () => {
  let isStopped = false;
  async function* endless(): AsyncGenerator<string> {
    try {
      for (;;) yield 'a,b\n'.repeat(10_000);
    } finally {
      isStopped = true;
    }
  }
  const http = await startHttpServer([fileOf(endless)]);
  onTestFinished(() => http.server.close());
  const socket = connect(http.port, '127.0.0.1');
  socket.write(head({ path: '/api/file', headers: ['Host: a', AUTH], bare: true }));
  await once(socket, 'data');
  socket.destroy();
  await expect.poll(() => http.lines.length).toBeGreaterThan(0);
  await expect.poll(() => isStopped).toBe(true);
  expect(http.lines).toMatchObject([{ status: 200, cut_off: true }]);
});

it('a HEAD request gets the headers of a file, and does not read the file', async () => {
  const read: number[] = [];
  async function* rows(): AsyncGenerator<string> {
    for (let n = 1; n <= 3; n++) {
      read.push(n);
      yield `${n}\n`;
    }
  }
  const http = await startHttpServer([fileOf(rows)]);
  onTestFinished(() => http.server.close());
  const headers = { authorization: `Bearer ${GOOD_KEY}` };
  const get = (method: string) => fetch(`${http.url}/api/file`, { method, headers });
  const answer = await get('HEAD');
  expect([answer.status, answer.headers.get('content-disposition')]).toEqual([200, 'attachment; filename="a.csv"']);
  expect(await (await get('GET')).text()).toBe('1\n2\n3\n');
  expect(read).toEqual([1, 2, 3]);
});

it('a file that a member reads slowly ends when the member is removed', async () => {
  const server = await startDashboard();
  onTestFinished(() => server.stop());
  const { call, orgId } = await setUpOwner(server);
  const member = await addMember(server, call, orgId, 'member');
  // More than the sockets of both sides hold.
  await server.db.execute(sql`INSERT INTO end_user (org_id, id, name)
    SELECT ${orgId}, 'enduser_' || n, repeat('name ', 200) FROM generate_series(1, 20000) n`);
  const { port } = new URL(server.url);
  const socket = connect(Number(port), '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  const path = `/dashboard/api/organizations/${orgId}/end-users/export.csv`;
  socket.write(head({ path, headers: [`Host: 127.0.0.1:${port}`, `Cookie: ${member.cookie}`], bare: true }));
  // The head may arrive before the first rows.
  while (!Buffer.concat(chunks).includes('enduser_')) await once(socket, 'data');
  socket.pause();
  const { body } = await call(`GET /organizations/${orgId}/members`);
  const { id } = body.data.find(({ role }: { role: string }) => role === 'member');
  expect((await call(`DELETE /organizations/${orgId}/members/${id}`)).status).toBe(204);
  socket.resume();
  await once(socket, 'close');
  const text = Buffer.concat(chunks).toString();
  expect(text).toMatch(/^HTTP\/1\.1 200 /);
  expect(text.match(/enduser_/g)!.length).toBeLessThan(20_000);
});
