import type { AcceptedRun, AnsweredRun, RunStatus } from '../../../contract/triggers.ts';
import type { StoredAnswer } from '../../store/runs/accept-call.ts';
import { replaceStoredAnswer } from '../../store/idempotency/stored-answer.ts';
import { hasAnswered } from '../../store/runs/wait-for-run.ts';
import { presentMessage } from '../../store/messages/present.ts';
import { listRunMessages, readRunProgress } from '../../store/runs/read.ts';
import type { TriggersDeps } from './deps.ts';
import type { Started } from './start-conversation.ts';

type Deps = Pick<TriggersDeps, 'db' | 'waiter'>;
type Idempotency = { scope: Buffer; request: Buffer } | null;

/**
 * Waits for the agent's first messages after an accepted call and returns them with 200. Returns null when the time has
 * passed, the agent does not answer, the caller has left, or the database is lost. The call was accepted, so no later
 * fault may become a refusal, and the response stays 202. A replay of the call gets the same kind of response.
 */
export const awaitAnswer = (
  deps: Deps,
  started: Started,
  ms: number,
  idempotency: Idempotency,
  signal?: AbortSignal,
): Promise<StoredAnswer | null> => awaitWords(deps, started, ms, idempotency, signal).catch(() => null);

async function awaitWords(
  { db, waiter }: Deps,
  { run, answer }: Started,
  ms: number,
  idempotency: Idempotency,
  signal: AbortSignal | undefined,
): Promise<StoredAnswer | null> {
  const accepted = JSON.parse(answer.body) as AcceptedRun;
  const target = { orgId: run.orgId, runId: run.id };
  if (!(await waiter.wait(target, ms, hasAnswered, signal))) return null;
  const [[progress], rows] = await Promise.all([
    readRunProgress(db, [target]),
    listRunMessages(db, run.orgId, accepted.conversation_id, run.id),
  ]);
  const messages = rows.filter((row) => row.role === 'agent').map(presentMessage);
  if (messages.length === 0) return null;
  const status = (progress?.status ?? accepted.status) as RunStatus;
  const body: AnsweredRun = { ...accepted, outcome: 'answered', status, messages };
  const answered = { status: 200, location: answer.location, body: JSON.stringify(body) };
  await replaceStoredAnswer(db.$client, { orgId: run.orgId, idempotency }, answer, answered);
  return answered;
}
