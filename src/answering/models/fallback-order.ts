import type { AgentDefinition, Fallback } from '../../../contract/agents.ts';
import type { FallbackReason, InsteadOf } from '../../../contract/costs.ts';
import { CODE_PROVIDER } from '../../../contract/turns.ts';
import { dontKnowTurn, handOffTurn } from '../../engine/before-model.ts';
import { embeddedProvider } from '../../engine/embedded/provider.ts';
import {
  type ModelCalls,
  type Provider,
  ProviderError,
  type TurnRequest,
  type TurnResult,
} from '../../engine/provider.ts';
import { type CallsDeps, countFallback, openCalls } from './model-calls.ts';

/**
 * The reasons why a model does not answer, as a fallback names them in `when`. A spent budget is one of the reasons for
 * a fallback. When a budget is spent, the model is not called, and the next entry of `fallback` answers whose `when` is
 * absent or contains `budget`. An entry is another model, the built-in engine (`embedded`) or a hand-off. Without a
 * matching entry, the turn fails with `budget_spent`. Failures without a reason end the turn.
 */
const REASONS: Partial<Record<ProviderError['code'], FallbackReason>> = {
  budget_spent: 'budget',
  provider_unreachable: 'failure',
  provider_refused: 'failure',
  provider_garbled: 'failure',
  provider_timeout: 'slow',
  provider_rate_limited: 'limit',
};

/**
 * The maximum number of calls of all models for one message. The maximum limits the cost of models that keep calling
 * tools. Each single model stops earlier (generate.ts), so only several models together reach the maximum.
 */
const MAX_CALLS = 12;

/** A model in the agent's order, and its provider. */
export type Link = { model: string; timeLimit: number | undefined; provider: Provider };

/**
 * Calls the agent's model. If this model is not allowed or fails, calls the next model in the agent's order whose rule
 * matches. The trace of the turn records each model that was tried. If a model gave no usable answer and no other model
 * answers, the agent says that it does not know, because a retry would get the same answer. If the failure has a
 * retryable reason, the turn fails with the first such reason, so that it is tried again. Without a retryable reason,
 * the turn fails with the first reason.
 */
export const tryInOrder = (
  deps: CallsDeps,
  first: Link,
  findLink: (next: Fallback) => Promise<Link>,
  limited: boolean,
): Provider => ({
  name: first.provider.name,
  async turn(request) {
    const insteadOf: InsteadOf[] = [];
    const failures: ProviderError[] = [];
    const made = { calls: 0 };
    const ask = (link: Link) => askOne(deps, link, request, limited, { insteadOf, made });
    let reason: FallbackReason | undefined;
    try {
      return await ask(first);
    } catch (error) {
      reason = note(error, first, insteadOf, failures);
    }
    for (const next of request.agent.definition.fallback ?? []) {
      if (request.signal.aborted) break;
      if (next.when !== undefined && !next.when.includes(reason)) continue;
      if (next.provider === 'embedded' || next.provider === 'hand_off') {
        // The built-in engine answers only messages of the person, and this turn has no message.
        if (next.provider === 'embedded' && reportsOnly(request)) continue;
        const result = await answerWithoutModel(next.provider, request);
        await countFallback(deps, next.provider, request, insteadOf);
        return withNotes(result, insteadOf, failures);
      }
      const link = await findLink(next);
      try {
        return withNotes(await ask(link), insteadOf, failures);
      } catch (error) {
        reason = note(error, link, insteadOf, failures);
      }
    }
    const isGarbled = failures.some(({ code }) => code === 'provider_garbled');
    if (isGarbled && request.task === undefined && !request.signal.aborted) {
      return withNotes({ ...dontKnowTurn(request), readDecisions: true }, insteadOf, failures);
    }
    throw failures.find(({ retryable }) => retryable) ?? failures[0]!;
  },
});

const reportsOnly = ({ input, approvals = [] }: TurnRequest): boolean =>
  input.length === 0 && approvals.some(({ status }) => status !== 'pending');

const answerWithoutModel = async (provider: 'embedded' | 'hand_off', request: TurnRequest): Promise<TurnResult> =>
  provider === 'embedded' ? embeddedProvider.turn(request) : handOffTurn(request, 'The model did not answer.');

async function askOne(
  deps: CallsDeps,
  { provider, model, timeLimit }: Link,
  request: TurnRequest,
  limited: boolean,
  { insteadOf, made }: { insteadOf: readonly InsteadOf[]; made: { calls: number } },
): Promise<TurnResult> {
  const { calling, close } = openCalls(deps, { provider: provider.name, model }, request, limited);
  const agent = { ...request.agent, definition: inPlace(request.agent.definition, model, timeLimit) };
  const calls: ModelCalls = {
    ...calling,
    async begin(call) {
      if (made.calls >= MAX_CALLS) throw tooManyCalls();
      await calling.begin(call);
      made.calls++;
    },
  };
  let failure: unknown = null;
  try {
    return await provider.turn({ ...request, agent, calls });
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    await close(failure, insteadOf);
  }
}

const tooManyCalls = (): ProviderError =>
  new ProviderError('provider_garbled', `${MAX_CALLS} calls of models gave no answer to the message.`, {
    retryable: false,
  });

const inPlace = (definition: AgentDefinition, model: string, timeLimit: number | undefined): AgentDefinition => ({
  ...definition,
  model,
  ...(timeLimit !== undefined && { time_limit_seconds: timeLimit }),
});

/** Throws errors that another model could not avoid. */
function note(
  error: unknown,
  { provider, model }: Link,
  insteadOf: InsteadOf[],
  failures: ProviderError[],
): FallbackReason {
  const reason = error instanceof ProviderError ? REASONS[error.code] : undefined;
  if (!(error instanceof ProviderError) || reason === undefined) throw error;
  insteadOf.push({ provider: provider.name, model, code: error.code });
  failures.push(error);
  return reason;
}

/** The author of own code needs the reason, and a failure of own code contains no text of a provider. */
const why = (provider: string, failure: ProviderError): string =>
  provider === CODE_PROVIDER ? `${failure.code}. ${failure.message}` : failure.code;

const withNotes = (
  result: TurnResult,
  insteadOf: readonly InsteadOf[],
  failures: readonly ProviderError[],
): TurnResult => ({
  ...result,
  trace: {
    ...result.trace,
    steps: [
      ...insteadOf.map(({ provider, model }, index) => ({
        kind: 'fallback',
        detail: `${provider}/${model}: ${why(provider, failures[index]!)}`,
      })),
      ...result.trace.steps,
    ],
  },
});
