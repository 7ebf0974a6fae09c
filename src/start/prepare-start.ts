import type { Sessions } from '../access/sessions/sessions.ts';
import { openInstallation, prepareOwner } from '../access/sessions/prepare-installation.ts';
import type { Role } from '../app/app.ts';
import type { Config } from '../config/config.ts';
import type { Secrets } from '../config/secrets.ts';
import type { Db } from '../store/db.ts';
import { createDemo, type Demo } from './demo.ts';

export type Prepared = {
  /** Null if the installation already has an owner. */
  setupUrl: string | null;
  /** The demo, if this start created it. Null on every later start. */
  demo: Demo | null;
};

/**
 * Prepares the installation before the first request. The function checks that the database belongs to Parley, and
 * creates the demo (if requested) and the first owner.
 */
export async function prepareStart(deps: {
  config: Config;
  db: Db;
  secrets: Secrets;
  sessions: Pick<Sessions, 'hashPassword'>;
  role: Role;
  /** True if the start has created the database. */
  fresh: boolean;
}): Promise<Prepared> {
  const { config, db, secrets, sessions } = deps;
  const installation = await openInstallation({ db, region: config.region, setupKey: secrets.setupKey });
  // A worker has no terminal that could show the demo's key.
  const wanted = (config.demo ?? deps.fresh) && deps.role !== 'worker';
  const demo = wanted && installation.demoAt === null ? await createDemo(deps) : null;
  const { setupUrl } = await prepareOwner({
    db,
    sessions,
    setupKey: secrets.setupKey,
    baseUrl: config.baseUrl,
    installation,
    owner: config.owner,
    showsLink: deps.role !== 'worker',
  });
  return { setupUrl, demo };
}
