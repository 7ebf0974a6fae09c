import type { Config } from '../config/config.ts';
import type { Logger } from '../kernel/log.ts';
import { StartError } from '../kernel/start-error.ts';
import { isUnreachable } from '../store/db.ts';
import { startEmbeddedPostgres } from '../store/embedded/start-embedded-postgres.ts';
import { migrate, SchemaError } from '../store/migrate.ts';

export type OpenDatabase = {
  url: string;
  /** True if this start has made the embedded database. */
  fresh: boolean;
  stop(): Promise<void>;
};

/** The embedded Postgres, or the one that DATABASE_URL names; migrated in both cases. */
export async function openDatabase(config: Config, log: Logger): Promise<OpenDatabase> {
  const database = config.databaseUrl === null ? await embedded(config, log) : external(config.databaseUrl);
  try {
    await migrate(database.url);
    return database;
  } catch (error) {
    await database.stop();
    if (error instanceof SchemaError) throw new StartError(error.message, 'Nothing was changed.', { cause: error });
    if (isUnreachable(error) || config.databaseUrl !== null) {
      throw new StartError(
        `The database at ${withoutPassword(database.url)} cannot be used: ${(error as Error).message}`,
        'Check that the server runs, and that DATABASE_URL names an existing database and a role that may create tables in it.',
        { cause: error },
      );
    }
    throw error;
  }
}

async function embedded(config: Config, log: Logger): Promise<OpenDatabase> {
  const say = (level: 'debug' | 'warn' | 'error') => (text: string) => log[level](text);
  const postgres = await startEmbeddedPostgres({
    dataDir: config.dataDir,
    log: { info: say('debug'), warn: say('warn'), error: say('error') },
  });
  return { url: postgres.url, fresh: postgres.fresh, stop: () => postgres.stop() };
}

const external = (url: string): OpenDatabase => ({ url, fresh: false, stop: async () => {} });

function withoutPassword(text: string): string {
  const url = new URL(text);
  return `${url.host || 'the local socket'}${url.pathname}`;
}
