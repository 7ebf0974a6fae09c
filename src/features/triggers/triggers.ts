import type { Db } from '../../store/db.ts';
import type { AcceptQueue } from '../../store/runs/accept.ts';
import type { IdempotentCall } from '../../store/idempotency/stored-answer.ts';
import type { RunWaiter } from '../../store/runs/await.ts';
import { holdFence } from '../../store/fence/hold-fence.ts';
import { type IdempotencyGuard, once } from '../../store/idempotency/guard.ts';
import type { PageRequest } from '../../store/page.ts';
import { createAwaitAnswer } from './await-answer.ts';
import { createPreviewCall, type RenderOpening } from './preview-call.ts';
import { cancelRun, listRuns, presentRun, readRun } from './read-runs.ts';
import { createStartConversation } from './start-conversation.ts';
import type { CheckDeps } from './trigger-call.ts';

export type TriggersDeps = CheckDeps & {
  db: Db;
  queue: AcceptQueue;
  waiter: RunWaiter;
  guard: IdempotencyGuard;
  renderOpening: RenderOpening;
  /** A run was committed: wakes the worker of this process. */
  onAccepted(): void;
};

/** All verbs around a trigger call; each is a file of this folder. */
export const createTriggers = (deps: TriggersDeps) => ({
  start: createStartConversation(deps),
  preview: createPreviewCall(deps),
  awaitAnswer: createAwaitAnswer(deps),
  readRun: (orgId: string, triggerId: string, runId: string, options: { messages: boolean }) =>
    readRun(deps.db, orgId, triggerId, runId, options),
  listRuns: (orgId: string, filter: { triggerId: string; status?: string | undefined }, page: PageRequest) =>
    listRuns(deps.db, orgId, filter, page),
  cancelRun: (
    { orgId, keyId, from }: { orgId: string; keyId: string; from: string | null },
    triggerId: string,
    runId: string,
    idempotency: IdempotentCall['idempotency'],
  ) => {
    const call = { orgId, idempotency };
    return deps.guard(call, () =>
      once(deps.db, call, async (tx) => {
        await holdFence(tx, { orgId, keyId, from });
        const run = await cancelRun(tx, orgId, triggerId, runId);
        return { status: 200, location: null, body: JSON.stringify(run) };
      }),
    );
  },
  presentRun,
});

export type Triggers = ReturnType<typeof createTriggers>;
