import type { ChannelKinds } from '../../channels/kinds.ts';
import type { Access } from '../../access/access.ts';
import type { FactLookups } from '../../access/admit.ts';
import type { Db } from '../../store/db.ts';
import type { IdempotencyGuard } from '../../store/idempotency/guard.ts';
import type { AcceptQueue } from '../../store/runs/accept.ts';
import type { RunWaiter } from '../../store/runs/await.ts';

/** Renders the agent's opening; null when a model writes it. */
export type RenderOpening = (input: {
  orgId: string;
  agentId: string;
  locale: string | null;
  variables: Record<string, unknown>;
  person: { name: string | null } & Record<string, unknown>;
}) => Promise<string | null>;

/** The dependencies of the verbs in this folder. */
export type TriggersDeps = {
  db: Db;
  access: Pick<Access, 'change'>;
  acceptQueue: AcceptQueue;
  waiter: RunWaiter;
  guard: IdempotencyGuard;
  findChannel: FactLookups['channel'];
  kinds: ChannelKinds;
  renderOpening: RenderOpening;
  /** A run was committed: wakes the worker of this process. */
  onAccepted(): void;
};
