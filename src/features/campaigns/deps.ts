import type { Access } from '../../access/access.ts';
import type { Connector } from '../../channels/connect.ts';
import type { FactLookups } from '../../access/target-facts.ts';
import type { Db } from '../../store/db.ts';
import type { Suppression } from '../../store/end-users/suppression.ts';
import type { OpenSecrets } from '../../store/channels/secrets.ts';
import type { IdempotencyGuard } from '../../store/idempotency/guard.ts';

/** The dependencies of the verbs in this folder. */
export type CampaignsDeps = {
  db: Db;
  access: Pick<Access, 'change'>;
  guard: IdempotencyGuard;
  suppression: Suppression;
  findChannel: FactLookups['channel'];
  openSecrets: OpenSecrets;
  connector: Pick<Connector, 'templates'>;
  /** This function is called after an audience was queued. */
  wake: { additions(): void };
  /** This function is called after recipients were committed, to wake the workers of this process. */
  onAdded(): void;
};
