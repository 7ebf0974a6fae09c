import type { Db } from '../../store/db.ts';
import type { IdempotencyGuard } from '../../store/idempotency/guard.ts';

/** The dependencies of the verbs in this folder. The function `onAccepted` wakes the workers of this process. */
export type ApprovalsDeps = { db: Db; guard: IdempotencyGuard; onAccepted(): void };
