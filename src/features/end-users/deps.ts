import type { Db } from '../../store/db.ts';
import type { Suppression } from '../../store/end-users/suppression.ts';
import type { EndUserQueue } from '../../store/end-users/upsert.ts';
import type { IdempotencyGuard } from '../../store/idempotency/guard.ts';

/** The dependencies of the verbs in this folder. */
export type EndUsersDeps = { db: Db; endUserQueue: EndUserQueue; guard: IdempotencyGuard; suppression: Suppression };

/** The caller of a write, for the fence and the Idempotency-Key. */
export type Writer = {
  orgId: string;
  /** Null: a member writes in the dashboard. */
  keyId: string | null;
  /** The network address from which the key calls. The fence also checks the network address. */
  from: string | null;
  idempotency?: { scope: Buffer; request: Buffer } | null;
  /** The import that writes. */
  import?: { id: string; lease: string };
};
