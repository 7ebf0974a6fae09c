import type { Access } from '../../access/access.ts';
import type { FactLookups } from '../../access/admit.ts';
import type { Db } from '../../store/db.ts';
import type { Suppression } from '../../store/end-users/suppression.ts';
import type { IdempotencyGuard } from '../../store/idempotency/guard.ts';

/** The dependencies of the verbs in this folder. */
export type CampaignsDeps = {
  db: Db;
  access: Pick<Access, 'change'>;
  guard: IdempotencyGuard;
  suppression: Suppression;
  findChannel: FactLookups['channel'];
  /** Why a text with variables cannot be parsed; null: it can. */
  faults: { template(text: string): string | null };
  /** An audience was queued: wakes the worker of this process. */
  onPush(): void;
  /** Recipients were committed: wakes the workers of this process. */
  onPushed(): void;
};
