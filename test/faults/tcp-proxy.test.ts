import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

/** The proxy causes exactly the requested faults: otherwise a fault run proves nothing. */
let proxy: TcpProxy;
let echo: ReturnType<typeof createServer>;
let received = '';
const clients: Socket[] = [];

beforeEach(async () => {
  received = '';
  echo = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (bytes: Buffer) => {
      received += bytes.toString();
      socket.write(bytes);
    });
  }).listen(0, '127.0.0.1');
  await once(echo, 'listening');
  proxy = await startTcpProxy({ port: (echo.address() as AddressInfo).port, host: '127.0.0.1' });
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await proxy.close();
  echo.close();
});

async function open(name?: string) {
  const socket = connect(proxy.port, '127.0.0.1');
  clients.push(socket);
  let text = '';
  let ending: 'open' | 'reset' | 'closed' = 'open';
  socket.on('data', (bytes: Buffer) => (text += bytes.toString()));
  socket.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ECONNRESET') ending = 'reset';
  });
  socket.on('close', () => (ending = ending === 'open' ? 'closed' : ending));
  await once(socket, 'connect');
  if (name) socket.write(Buffer.from(`\0\0\0\0\0\x03\0\0application_name\0${name}\0\0`, 'latin1'));
  return { send: (bytes: string) => void socket.write(bytes), text: () => text, ending: () => ending };
}
const expectGot = (client: { text(): string }, wanted: string) => expect.poll(client.text).toContain(wanted);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('the proxy passes data in both directions, and new connections use a changed target', async () => {
  const client = await open();
  client.send('hello');
  await expectGot(client, 'hello');
  const other = createServer((socket) => socket.on('error', () => {}).end('another')).listen(0, '127.0.0.1');
  await once(other, 'listening');
  proxy.target = { port: (other.address() as AddressInfo).port, host: '127.0.0.1' };
  const later = await open();
  later.send('hello');
  await expectGot(later, 'another');
  client.send(' again');
  await expectGot(client, 'hello again');
  other.close();
});

test('the proxy can delay one direction without changing the order', async () => {
  const client = await open();
  proxy.set({ kind: 'delay', ms: 60_000 }, { direction: 'down' });
  const sentAt = performance.now();
  client.send('one');
  client.send('two');
  await expect.poll(() => received).toBe('onetwo');
  expect(client.text()).toBe('');
  proxy.set({ kind: 'delay', ms: 150 }, { direction: 'down' });
  await expectGot(client, 'onetwo');
  expect(performance.now() - sentAt).toBeGreaterThanOrEqual(150);
});

test('the proxy stores data during a black hole, and sends it after healing', async () => {
  const client = await open();
  client.send('before.');
  await expectGot(client, 'before.');
  proxy.set({ kind: 'black hole' }, { direction: 'up' });
  client.send('during.');
  const late = await open();
  late.send('new.');
  await pause(100);
  expect(received).toBe('before.');
  expect(client.ending()).toBe('open');
  proxy.heal();
  await expectGot(client, 'during.');
  await expectGot(late, 'new.');
});

test('a reset ends open and new connections until healing', async () => {
  const client = await open();
  client.send('hello');
  await expectGot(client, 'hello');
  proxy.set({ kind: 'reset' });
  await expect.poll(client.ending).toBe('reset');
  const late = await open();
  late.send('x');
  await expect.poll(late.ending).toBe('reset');
  proxy.heal();
  const healed = await open();
  healed.send('well');
  await expectGot(healed, 'well');
});

test('the proxy can end a connection after a number of bytes', async () => {
  const client = await open();
  proxy.set({ kind: 'cut', afterBytes: 4 }, { direction: 'up' });
  client.send('0123456789');
  await expect.poll(client.ending).toBe('reset');
  await expect.poll(() => received).toBe('0123');
});

test('a fault affects only the connections of one application', async () => {
  const [pool, lease] = [await open('parley'), await open('parley lease')];
  await expect.poll(() => proxy.open().toSorted()).toEqual(['parley', 'parley lease']);
  proxy.set({ kind: 'black hole' }, { only: 'parley lease', direction: 'down' });
  lease.send('kept');
  pool.send('through');
  await expectGot(pool, 'through');
  expect(lease.text()).not.toContain('kept');
});
