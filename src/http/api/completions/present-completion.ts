import type { FastifyReply } from 'fastify';
import type { Completion, CompletionDetails, CompletionUsage } from '../../../../contract/completions.ts';
import type { MessageContent } from '../../../../contract/messages.ts';
import { Refusal } from '../../../../contract/problems.ts';
import type { RunRecord } from '../../../../contract/triggers.ts';
import type { Started } from '../../../features/triggers/start-conversation.ts';
import { asText } from '../../../features/triggers/content-as-text.ts';

/** The text between two messages of one answer. */
export const BETWEEN = '\n\n';

export const secondsOf = (timestamp: string): number => Math.floor(Date.parse(timestamp) / 1_000);

/** Presents the answer of a run whose first turn has ended. The function throws if the run failed without an answer. */
export function presentCompletion(run: RunRecord): Completion {
  const details = detailsOf(run);
  return {
    id: run.id,
    object: 'chat.completion',
    created: secondsOf(run.created_at),
    model: run.agent_id,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: details.messages.map(textOf).join(BETWEEN), refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: usageOf(run),
    parley: details,
  };
}

export function detailsOf(run: RunRecord): CompletionDetails {
  const messages = (run.messages ?? []).filter(({ role }) => role === 'agent');
  if (run.status === 'failed' && messages.length === 0)
    throw new Refusal('run_failed', run.error?.detail, { members: { run_id: run.id }, headers: NO_REPEAT });
  return {
    run_id: run.id,
    trigger_id: run.trigger_id,
    conversation_id: run.conversation_id,
    end_user_id: run.end_user_id,
    status: run.status,
    reason: run.reason,
    messages,
  };
}

export function usageOf({ models = [] }: RunRecord): CompletionUsage {
  const prompt_tokens = models.reduce((sum, { input_tokens: tokens }) => sum + tokens, 0);
  const completion_tokens = models.reduce((sum, { output_tokens: tokens }) => sum + tokens, 0);
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}

export const textOf = ({ content }: { content: MessageContent }): string => asText(content);

/**
 * The clients of OpenAI repeat a call automatically. A repeated call without an Idempotency-Key would start another
 * run.
 */
export const NO_REPEAT = { 'X-Should-Retry': 'false' } as const;

export const answerPending = (runId: string, isRepeatable: boolean): Refusal =>
  new Refusal('answer_pending', undefined, {
    members: { run_id: runId },
    ...(!isRepeatable && { headers: NO_REPEAT }),
  });

/** Sets the headers about an accepted call, also on an error. */
export function nameRun(reply: FastifyReply, { answer, replayed }: Started, baseUrl: string): void {
  if (replayed) reply.header('idempotent-replayed', 'true');
  if (answer.location !== null) reply.header('location', baseUrl + answer.location);
}
