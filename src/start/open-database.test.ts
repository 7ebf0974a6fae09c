import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createTestDatabase } from '../../test/postgres.ts';
import { type Config, loadConfig } from '../config/config.ts';
import { createLogger } from '../kernel/log.ts';
import { withClient } from '../store/db.ts';
import { joinDatabase, openDatabase } from './open-database.ts';

const log = createLogger({ level: 'silent', pretty: false });

function configOf(databaseUrl: string): Config {
  const loaded = loadConfig({ DATABASE_URL: databaseUrl, PARLEY_SECRET: 'k3Jx9vQm2TzLr8WcYp5NbHs7DgFa4EuXo1Ri6' });
  if ('faults' in loaded) throw new Error(JSON.stringify(loaded.faults));
  return loaded.config;
}

let fake: Server | undefined;
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  fake?.close();
});

async function listen(onMessage: (socket: Socket, message: Buffer) => void): Promise<string> {
  fake = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {}).on('data', (message: Buffer) => onMessage(socket, message));
  });
  await new Promise<void>((resolve) => fake!.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(fake.address() as AddressInfo).port}`;
}

const TERMINATE = 0x58;
const SASL = 10;
const SASL_CONTINUE = 11;

/** The message with which a server asks a client to authenticate. */
function authentication(kind: number, data: string): Buffer {
  const head = Buffer.alloc(9, 'R');
  head.writeInt32BE(8 + data.length, 1);
  head.writeInt32BE(kind, 5);
  return Buffer.concat([head, Buffer.from(data)]);
}

const faultOf = (opening: Promise<unknown>) =>
  opening.then(
    () => null,
    (error: { name: string; message: string; fix?: string }) => error,
  );

describe.each([
  ['opened', openDatabase],
  ['joined', joinDatabase],
] as const)('a database that is %s, and', (_how, open) => {
  test('a database that does not answer is reported in a sentence, without an endless wait', async () => {
    const address = await listen(() => {});
    const fault = await faultOf(open(configOf(`postgresql://parley:pw@${address}/parley`), log));
    expect(fault).toMatchObject({ name: 'StartError', fix: expect.stringContaining('DATABASE_URL') });
    expect(fault!.message).toBe(`The database at ${address}/parley cannot be used: it does not answer.`);
  });

  test('a database that a newer version of Parley has migrated is refused', async () => {
    const { url, drop } = await createTestDatabase();
    await withClient(url, 'test', (client) =>
      client.query(`INSERT INTO drizzle.__drizzle_migrations (hash, created_at)
        SELECT 'next', max(created_at) + 1 FROM drizzle.__drizzle_migrations`),
    );
    const fault = await faultOf(open(configOf(url), log));
    await drop();
    expect(fault).toMatchObject({ name: 'StartError', fix: 'Nothing was changed.' });
    expect(fault!.message).toContain('migrated by a newer version of Parley');
  });

  test('a missing password is reported, and the connection is released', async () => {
    let isClosed = false;
    const address = await listen((socket, message) => {
      socket.once('close', () => (isClosed = true));
      const nonce = /r=(.+)$/.exec(message.toString('latin1'))?.[1];
      if (message[0] === TERMINATE) socket.end();
      else if (nonce) socket.write(authentication(SASL_CONTINUE, `r=${nonce}x,s=c2FsdA==,i=4096`));
      else socket.write(authentication(SASL, 'SCRAM-SHA-256\0\0'));
    });
    const fault = await faultOf(open(configOf(`postgresql://parley@${address}/parley`), log));
    expect(fault!.message).toContain('it asks for a password, and there is none.');
    await expect.poll(() => isClosed).toBe(true);
  });

  test('a missing database is named without its password', async () => {
    const fault = await faultOf(open(configOf('postgresql://parley:s3cret@127.0.0.1:1/parley'), log));
    expect(fault!.message).toBe('The database at 127.0.0.1:1/parley cannot be used: connect ECONNREFUSED 127.0.0.1:1.');
  });
});

test('a command creates nothing in a database that does not belong to Parley', async () => {
  await using database = await createTestDatabase();
  await withClient(database.url, 'test', (client) => client.query('DROP SCHEMA drizzle CASCADE'));
  const fault = await faultOf(joinDatabase(configOf(database.url), log));
  expect(fault!.message).toContain('contains no Parley data');
});
