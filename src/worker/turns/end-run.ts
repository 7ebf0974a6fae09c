import type { LoadedAgent } from '../../answering/load-agent.ts';
import { fillByModel } from '../../answering/results/fill-by-model.ts';
import { saveValues } from '../../answering/results/save-values.ts';
import { completedTurn } from '../../answering/take-turn.ts';
import type { TurnRequest, TurnResult } from '../../engine/provider.ts';
import type { Span } from '../../kernel/traces/tracer.ts';
import type { EndUserQueue } from '../../store/end-users/upsert.ts';
import type { ClaimedRun } from '../../store/runs/claim.ts';
import type { CompletedTurn } from '../../store/runs/complete.ts';
import { RESOLVED } from '../../store/runs/end.ts';

/** True if a member has ended the conversation, so that the run waits for its result (src/store/runs/end.ts). */
export const isEnding = (run: ClaimedRun): boolean => run.conversation_status === 'resolved' && run.reason === RESOLVED;

export type Ending = { next: 'completed' | 'handed_off'; reason: string };
export type EndDeps = { endUserQueue: Pick<EndUserQueue, 'upsert'> };

/**
 * Ends a run without a message. The open fields of the run are filled first, so that the event about the end contains
 * them.
 */
export async function endRun(
  { endUserQueue }: EndDeps,
  run: ClaimedRun,
  loaded: LoadedAgent,
  request: TurnRequest,
  { next, reason }: Ending,
  traced?: Span,
): Promise<CompletedTurn> {
  const trace = { provider: reason, steps: [] };
  const result: TurnResult = { messages: [], state: run.state, next, tags: [], opted_out: false, trace };
  const { values } = await fillByModel(run, loaded, request, result, traced);
  const turn = completedTurn(run, loaded, result, values);
  await saveValues(endUserQueue, run, loaded, turn.result);
  return { ...turn, reason };
}
