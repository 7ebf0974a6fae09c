import { Refusal } from '../../../contract/problems.ts';
import type { AcceptedRun, RunRecord } from '../../../contract/triggers.ts';
import { replaceStoredAnswer } from '../../store/idempotency/stored-answer.ts';
import { hasAnswered } from '../../store/runs/wait-for-run.ts';
import type { TriggersDeps } from './deps.ts';
import { readRun } from './read-runs.ts';
import type { StartConversation, Started } from './start-conversation.ts';

type Deps = Pick<TriggersDeps, 'db' | 'waiter'>;

/**
 * Waits for the first turn of an accepted call. Returns the run with its messages and its use of models, or null when
 * the time has passed, the caller has left, or the database is lost. The call was accepted, so no later fault may
 * become a refusal. The only exception is an erased person, whose run is erased too.
 */
export async function awaitFirstTurn(
  deps: Deps,
  { run, answer }: Started,
  ms: number,
  signal?: AbortSignal,
): Promise<RunRecord | null> {
  const triggerId = triggerOf({ answer });
  try {
    if (!(await deps.waiter.wait({ orgId: run.orgId, runId: run.id }, ms, hasAnswered, signal))) return null;
    return await readRun(deps, run.orgId, triggerId, run.id, { messages: true, models: true });
  } catch (error) {
    if (error instanceof Refusal) throw error;
    return null;
  }
}

/** Returns the trigger of an accepted call. The function throws if the person, and so the run, was erased. */
export function triggerOf({ answer }: Pick<Started, 'answer'>): string {
  const { trigger_id: triggerId } = JSON.parse(answer.body) as Partial<AcceptedRun>;
  if (triggerId === undefined) throw new Refusal('run_not_found', 'The person of this call was erased.');
  return triggerId;
}

/**
 * Stores the body of the response for a repeated call. If the body cannot be stored, a repeated call creates it again.
 */
export const keepAnswer = (
  { db }: Pick<Deps, 'db'>,
  { run, answer }: Started,
  idempotency: StartConversation['idempotency'],
  body: string,
): Promise<void> =>
  replaceStoredAnswer(db.$client, { orgId: run.orgId, idempotency }, answer, { ...answer, status: 200, body }).catch(
    () => {},
  );
