import { RunRecord } from '../../../../contract/triggers.ts';
import { cancelRun } from '../../../features/triggers/cancel-run.ts';
import type { Route } from '../../route/route.ts';
import { runRecord } from './examples.ts';
import type { TriggerRoutesDeps } from './deps.ts';

/** Ends a run before it is complete. A second call has no effect. */
export const cancelRunRoute = (deps: TriggerRoutesDeps): Route => ({
  method: 'POST',
  path: '/api/triggers/:agent_id/:trigger_id/runs/:run_id/cancel',
  access: { permission: 'triggers', agent: 'agent_id', trigger: 'trigger_id' },
  operation: {
    id: 'cancelRun',
    summary: 'Cancel a run',
    description:
      'A run that has not ended gets the status `cancelled`, and a turn in progress is discarded. Messages that were sent stay.',
    tag: 'Triggers',
    examples: { 200: { ...runRecord, status: 'cancelled', finished_at: '2026-11-20T20:05:00.000Z' } },
  },
  idempotent: true,
  responses: { 200: RunRecord },
  problems: ['run_not_found', 'run_finished'],
  async handle(request, reply) {
    const { caller, from, trigger } = request.admission;
    const { run_id: runId } = request.params as { run_id: string };
    const { answer, replayed } = await cancelRun(deps, { ...caller, from }, trigger!.id, runId, request.idempotency);
    if (replayed) reply.header('idempotent-replayed', 'true');
    return answer.body;
  },
});
