import type { Config } from '../config/config.ts';
import type { Logger } from '../kernel/log.ts';
import { StartError } from '../kernel/start-error.ts';
import { isUnreachable, withClient } from '../store/db.ts';
import { findRunningPostgres, startEmbeddedPostgres } from '../store/embedded/start-embedded-postgres.ts';
import { isMigrated, migrate, SchemaError } from '../store/migrate.ts';
import { type PoolerReport, readPooler, storeSessionDefaults } from '../store/pooler.ts';
import { keepsSession, WORK } from '../store/connection-settings.ts';

export type OpenDatabase = {
  /** The address with real sessions. */
  url: string;
  /** A pooler in transaction mode for requests and workers. Null: no pooler is used. */
  pooler: { url: string; keepsPrepared: boolean } | null;
  /** True if this start has created the embedded database. */
  fresh: boolean;
  stop(): Promise<void>;
};

/**
 * Opens the embedded Postgres or the database in DATABASE_URL. Parley migrates the embedded database and the database
 * in DATABASE_URL.
 */
export async function openDatabase(config: Config, log: Logger): Promise<OpenDatabase> {
  const database = config.databaseUrl === null ? await embedded(config, log) : external(config.databaseUrl);
  try {
    await insistOnSessions(database.url);
    await migrate(database.url, config.cells);
    return config.poolerUrl === null
      ? database
      : { ...database, pooler: await openPooler(config.poolerUrl, database.url, log) };
  } catch (error) {
    await database.stop();
    throw explained(config, database.url, error);
  }
}

/**
 * Opens the database in its current state, for commands that run with or without a server. The function neither creates
 * nor migrates the database.
 */
export async function joinDatabase(config: Config, log: Logger): Promise<OpenDatabase> {
  const running = config.databaseUrl ?? findRunningPostgres(config.dataDir);
  const database = running === null ? await embedded(config, log) : external(running);
  try {
    await insistOnSessions(database.url);
    if (await isMigrated(database.url)) return database;
    throw new SchemaError(`The database at ${withoutPassword(database.url)} contains no Parley data.`);
  } catch (error) {
    await database.stop();
    throw explained(config, database.url, error);
  }
}

/** LISTEN, settings and prepared statements last as long as a session of the server. */
export async function insistOnSessions(url: string): Promise<void> {
  const isKept = await withClient(url, 'check', (one) => withClient(url, 'check', (other) => keepsSession(one, other)));
  if (isKept) return;
  throw new SchemaError(
    `${withoutPassword(url)} is a connection pooler in transaction mode, and Parley needs sessions: set DATABASE_DIRECT_URL to the server itself, or set pool_mode = session.`,
  );
}

/** With cells, a connection has the search path of a cell, which a pooler in transaction mode does not keep. */
export const NO_POOLER =
  'Several cells cannot be used with a pooler in transaction mode: set DATABASE_URL to the server itself, and unset DATABASE_DIRECT_URL.';

/** Each session of the pooler begins with the settings of Parley. */
async function openPooler(url: string, direct: string, log: Logger): Promise<OpenDatabase['pooler']> {
  const { rowCount: cells } = await withClient(direct, 'check', (client) => client.query('SELECT FROM public.cell'));
  if (cells) throw new SchemaError(`The database has several cells. ${NO_POOLER}`);
  await withClient(direct, 'check', storeSessionDefaults, WORK);
  const { differing, keepsPrepared } = await checkPooler(direct, url);
  if (differing.length > 0)
    log.warn({ settings: differing }, 'Sessions of the pooler have old settings: run RECONNECT in its console.');
  return { url, keepsPrepared };
}

export async function checkPooler(direct: string, poolerUrl: string): Promise<PoolerReport> {
  const report = await withClient(direct, 'check', (client) => readPooler(client, poolerUrl), WORK);
  if (report.isSameDatabase) return report;
  throw new SchemaError('DATABASE_URL and DATABASE_DIRECT_URL lead to different databases or roles.');
}

function explained(config: Config, url: string, error: unknown): unknown {
  if (error instanceof SchemaError) return new StartError(error.message, 'Nothing was changed.', { cause: error });
  if (!isUnreachable(error) && config.databaseUrl === null) return error;
  return new StartError(
    `The database at ${withoutPassword(url)} cannot be used: ${reasonOf(error)}.`,
    'Check that the server is running, and that DATABASE_URL names an existing database and a role that may create tables in it.',
    { cause: error },
  );
}

/** Returns the server's message, or the connection error, which is the innermost cause. */
export function reasonOf(error: unknown): string {
  let at = error as Error;
  for (;;) {
    const inner: unknown = at instanceof AggregateError ? at.errors[0] : at.cause;
    if (!(inner instanceof Error)) break;
    at = inner;
  }
  if (at.message === 'timeout expired') return 'it does not answer';
  if (at.message.includes('client password must be a string')) return 'it asks for a password, and there is none';
  return at.message.replace(/\.$/, '');
}

async function embedded(config: Config, log: Logger): Promise<OpenDatabase> {
  const say = (level: 'debug' | 'warn' | 'error') => (text: string) => log[level](text);
  const postgres = await startEmbeddedPostgres({
    dataDir: config.dataDir,
    log: { info: say('debug'), warn: say('warn'), error: say('error') },
  });
  return { url: postgres.url, pooler: null, fresh: postgres.fresh, stop: () => postgres.stop() };
}

const external = (url: string): OpenDatabase => ({ url, pooler: null, fresh: false, stop: async () => {} });

export function withoutPassword(text: string): string {
  const url = new URL(text);
  return `${url.host || 'the local socket'}${url.pathname}`;
}
