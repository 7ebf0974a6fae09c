import type { Db } from '../../store/db.ts';
import type { IdempotencyGuard } from '../../store/idempotency/guard.ts';
import type { SendQueue } from '../../store/messages/accept.ts';

/** The dependencies of the verbs in this folder. */
export type MessagesDeps = {
  db: Db;
  sendQueue: SendQueue;
  guard: IdempotencyGuard;
  /** This function is called after a message was committed. */
  wake: { deliveries(): void };
};
