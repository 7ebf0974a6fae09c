import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { type App, createApp, type Role } from '../src/app/app.ts';
import { type ChannelKinds, channelKinds } from '../src/channels/kinds.ts';
import { type Config, loadConfig } from '../src/config/config.ts';
import type { Secrets } from '../src/config/secrets.ts';
import { createLogger } from '../src/kernel/log.ts';
import { type Db, openDb } from '../src/store/db.ts';
import { createDigest, digestBytes } from '../src/access/api-keys/digest.ts';
import { mintKey } from '../src/access/api-keys/key-format.ts';
import { givenKey } from './factories.ts';
import { createTestDatabase, type TestDatabase } from './postgres.ts';

/** The complete program with its own database and a free port, without the start-up text. */
export type TestApp = {
  app: App;
  db: Db;
  database: TestDatabase;
  config: Config;
  secrets: Secrets;
  kinds: ChannelKinds;
  url: string;
  /** Creates a key with the given rights and returns its value. */
  key(
    orgId: string,
    options?: Omit<NonNullable<Parameters<typeof givenKey>[2]>, 'digest'>,
  ): Promise<{ id: string; value: string }>;
  /** Makes a call of the public API. */
  call(
    method: string,
    path: string,
    /** With `endless`, the response is a stream, so the call returns after its headers. */
    options?: { key?: string; body?: unknown; headers?: Record<string, string>; endless?: boolean },
  ): Promise<Answer>;
  stop(): Promise<void>;
};

// oxlint-disable-next-line typescript/no-explicit-any -- tests read its members without types
export type Answer = { status: number; headers: Headers; body: any; text: string };

export async function startTestApp(
  env: Record<string, string> = {},
  /** The function `lines` receives the log lines of the program, from LOG_LEVEL on, by default from warn on. */
  options: { role?: Role; database?: TestDatabase; lines?: object[] } = {},
): Promise<TestApp> {
  const database = options.database ?? (await createTestDatabase());
  const loaded = loadConfig({
    DATABASE_URL: database.url,
    PARLEY_SECRET: randomBytes(48).toString('base64'),
    PORT: '0',
    LOG_LEVEL: 'silent',
    ...env,
  });
  if ('faults' in loaded) throw new Error(JSON.stringify(loaded.faults));
  const { config } = loaded;
  const db = openDb(config.databaseUrl!);
  const { lines } = options;
  const log = lines
    ? createLogger({
        level: env['LOG_LEVEL'] ?? 'warn',
        pretty: false,
        destination: { write: (line) => void lines.push(JSON.parse(line)) },
      })
    : createLogger({ level: config.logLevel, pretty: false });
  const app = await createApp({
    config,
    db,
    databaseUrl: database.url,
    log,
    role: options.role ?? 'all',
    version: 'test',
  });
  const { secrets } = app;
  const address = (await app.start()) as Pick<AddressInfo, 'port'> | null;
  const url = address ? `http://127.0.0.1:${address.port}` : '';
  const digest = createDigest(secrets.apiKeyPepper);
  return {
    app,
    db,
    database,
    config,
    secrets,
    kinds: channelKinds,
    url,
    key: async (orgId, more = {}) => {
      const value = mintKey(config.region);
      return {
        id: await givenKey(db, orgId, {
          ...more,
          digest: digestBytes(digest(value)),
          generation: digest.generation,
        }),
        value,
      };
    },
    call: async (method, path, { key, body, headers, endless = false } = {}) => {
      const answer = await fetch(url + path, {
        method,
        headers: {
          ...(key && { authorization: `Bearer ${key}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const type = answer.headers.get('content-type') ?? '';
      const isLeft = endless && type.startsWith('text/event-stream');
      const text = isLeft ? '' : await answer.text();
      if (isLeft) await answer.body?.cancel();
      const isJson = /\bjson\b/.test(type);
      return { status: answer.status, headers: answer.headers, text, body: isJson ? JSON.parse(text) : null };
    },
    stop: async () => {
      await app.stop();
      await db.$client.end();
      if (!options.database) await database.drop();
    },
  };
}
