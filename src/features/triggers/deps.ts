import type { Access } from '../../access/access.ts';
import type { FactLookups } from '../../access/target-facts.ts';
import type { Db } from '../../store/db.ts';
import type { IdempotencyGuard } from '../../store/idempotency/guard.ts';
import type { AcceptQueue } from '../../store/runs/accept.ts';
import type { RunWaiter } from '../../store/runs/wait-for-run.ts';

/** The dependencies of the verbs in this folder. */
export type TriggersDeps = {
  db: Db;
  access: Pick<Access, 'change'>;
  acceptQueue: AcceptQueue;
  waiter: RunWaiter;
  guard: IdempotencyGuard;
  findChannel: FactLookups['channel'];
  /** This function is called after a run was committed, to wake the worker of this process. */
  onAccepted(): void;
};
