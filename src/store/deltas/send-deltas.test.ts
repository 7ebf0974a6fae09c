import { Socket } from 'node:net';
import { expect, test, vi } from 'vitest';
import { createTestDatabase } from '../../../test/postgres.ts';
import { listenForHints } from '../nodes/leases.ts';
import { createDeltaSender } from './send-deltas.ts';

test('each connection that listens is checked while it is silent', async () => {
  const { url, drop } = await createTestDatabase();
  const setKeepAlive = vi.spyOn(Socket.prototype, 'setKeepAlive');
  try {
    const channels = ['parley_words'];
    const pool = { query: () => Promise.reject(new Error('Nothing is sent.')) };
    const sender = createDeltaSender({ pool, url, role: 'api', channels, onPayload() {}, onListening() {} });
    sender.listen();
    await sender.listening;
    const heard = Promise.withResolvers<void>();
    const hints = listenForHints(url, heard.resolve, { role: 'api', onError: heard.reject });
    await heard.promise;
    await Promise.all([sender.stop(), hints.stop()]);
    expect(setKeepAlive.mock.calls).toEqual([
      [true, 10_000],
      [true, 10_000],
    ]);
  } finally {
    setKeepAlive.mockRestore();
    await drop();
  }
});
