import { Refusal } from '../../../contract/problems.ts';
import type { RunRecord } from '../../../contract/triggers.ts';
import { recordWaitingOptOut } from '../../answering/record-opt-out.ts';
import type { Queryable } from '../../store/db.ts';
import { holdPersonOf } from '../../store/end-users/hold-person-of.ts';
import { holdFence } from '../../store/fence/hold-fence.ts';
import { once } from '../../store/idempotency/guard.ts';
import type { IdempotentCall } from '../../store/idempotency/stored-answer.ts';
import { cancelRunRow, findRun } from '../../store/runs/read.ts';
import type { TriggersDeps } from './deps.ts';
import { presentRun } from './read-runs.ts';

/** Cancels a run that has not ended. A turn in progress is discarded, and sent messages stay. */
export const cancelRun = (
  { db, guard }: Pick<TriggersDeps, 'db' | 'guard'>,
  { orgId, keyId, from }: { orgId: string; keyId: string; from: string | null },
  triggerId: string,
  runId: string,
  idempotency: IdempotentCall['idempotency'],
) => {
  const call = { orgId, idempotency };
  return guard(call, () =>
    once(db, call, async (tx) => {
      await holdFence(tx, { orgId, keyId, from });
      return { status: 200, location: null, body: JSON.stringify(await cancel(tx, orgId, triggerId, runId)) };
    }),
  );
};

async function cancel(tx: Queryable, orgId: string, triggerId: string, runId: string): Promise<RunRecord> {
  const row = await findRun(tx, orgId, triggerId, runId);
  if (!row) throw new Refusal('run_not_found');
  if (row.status === 'cancelled') return presentRun(row);
  const person = await holdPersonOf(tx, orgId, row.conversationId);
  if (!(await cancelRunRow(tx, orgId, runId))) throw new Refusal('run_finished');
  await recordWaitingOptOut(tx, orgId, row.conversationId, person);
  return presentRun((await findRun(tx, orgId, triggerId, runId))!);
}
