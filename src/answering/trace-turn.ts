import { ProviderError, TurnWaits, type TurnRequest, type TurnResult } from '../engine/provider.ts';
import { contentJson } from '../kernel/traces/content-json.ts';
import type { Span, Tracer } from '../kernel/traces/tracer.ts';
import type { ClaimedRun } from '../store/runs/claim.ts';

/**
 * The span of one attempt at a turn of a run. The span continues the trace of the request that created the run, in any
 * process.
 */
export const spanOfRun = (tracer: Tracer, run: ClaimedRun): Span =>
  tracer.span(
    'run',
    'consumer',
    { ours: run.input.trace },
    {
      'parley.run.id': run.run_id,
      'parley.run.attempt': run.attempts,
      'parley.run.turn': run.turns + 1,
      'parley.request.id': run.request_id,
      'parley.organization.id': run.org_id,
      'parley.channel.kind': run.channel_kind,
    },
  );

/** Opens the span of the turn, with the names of OpenTelemetry's conventions for generative AI. */
export function spanOfAgent(run: Span, { agent, context, input }: TurnRequest, provider: string): Span {
  const span = run.child(`invoke_agent ${agent.name}`, 'internal', {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.provider.name': provider,
    'gen_ai.agent.id': agent.id,
    'gen_ai.agent.name': agent.name,
    'gen_ai.agent.version': context.agent_version,
    'gen_ai.conversation.id': context.conversation_id,
  });
  span.content(() => ({ 'gen_ai.input.messages': contentJson(input.map((text) => message('user', text))) }));
  return span;
}

export async function recordTurn(
  span: Span | undefined,
  signal: AbortSignal,
  turn: PromiseLike<TurnResult | PromiseLike<TurnResult>>,
) {
  try {
    const result = await turn;
    const texts = (): string[] => result.messages.map(({ content }) => ('text' in content && content.text) || '');
    span?.set({ 'parley.turn.next': result.next, 'parley.turn.by': result.trace.provider });
    span?.content(() => ({ 'gen_ai.output.messages': contentJson(texts().map(outputMessage)) }));
    span?.end();
    return result;
  } catch (error) {
    span?.end(codeOf(error, signal));
    throw error;
  }
}

/** Returns a code, because the sentence of an error may contain text of a provider. */
export const codeOf = (error: unknown, signal: AbortSignal): string | null =>
  error instanceof TurnWaits
    ? null
    : signal.aborted
      ? 'aborted'
      : error instanceof ProviderError
        ? error.code
        : 'internal_error';

/** Writes messages in the format of OpenTelemetry's conventions. An ended turn has only complete messages. */
const message = (role: 'user' | 'assistant', content: string) => ({ role, parts: [{ type: 'text', content }] });
const outputMessage = (text: string) => ({ ...message('assistant', text), finish_reason: 'stop' });
