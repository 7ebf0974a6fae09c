import type { Config } from '../config/config.ts';
import type { Logger } from '../kernel/log.ts';
import type { Db } from '../store/db.ts';

/** The role `all` runs the API and the workers in one process. */
export type Role = 'all' | 'api' | 'worker';

export type AppDeps = {
  config: Config;
  db: Db;
  databaseUrl: string;
  log: Logger;
  role: Role;
  version: string;
};
