import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { AUTH, startHttpServer } from '../../../test/http-server.ts';
import { head } from '../../../test/raw-http.ts';
import type { Route } from '../route/route.ts';
import { download } from './download.ts';

it('no error is logged when a client disconnects in the middle of a file', async () => {
  let isStopped = false;
  async function* endless(): AsyncGenerator<string> {
    try {
      for (;;) yield 'a,b\n'.repeat(10_000);
    } finally {
      isStopped = true;
    }
  }
  const file: Route = {
    method: 'GET',
    path: '/api/file',
    access: { permission: 'triggers' },
    operation: { id: 'file', summary: 'Download', tag: 'Triggers' },
    responses: { 200: null },
    // A promise with a reply resolves when the response ends.
    handle: async (_request, reply) => download(reply, { name: 'a.csv', type: 'text/csv', parts: endless() }),
  };
  const http = await startHttpServer([file]);
  onTestFinished(() => http.server.close());
  const socket = connect(http.port, '127.0.0.1');
  socket.write(head({ path: '/api/file', headers: ['Host: a', AUTH], bare: true }));
  await once(socket, 'data');
  socket.destroy();
  await expect.poll(() => http.lines.length).toBeGreaterThan(0);
  await expect.poll(() => isStopped).toBe(true);
  expect(http.lines).toMatchObject([{ status: 200, cut_off: true }]);
});
