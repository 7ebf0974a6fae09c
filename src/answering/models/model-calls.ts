import { randomUUID } from 'node:crypto';
import type { InsteadOf } from '../../../contract/costs.ts';
import { type ModelCalls, type ModelResponse, ProviderError, type TurnRequest } from '../../engine/provider.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Span } from '../../kernel/traces/tracer.ts';
import type { Db } from '../../store/db.ts';
import { endProbe, enterGate, type Gate, reportFailure, reportSuccess } from '../../store/costs/circuit-breaker.ts';
import {
  markSpent,
  type Measured,
  type Payers,
  type Refused,
  reserve,
  chargeLostReservations,
  type Spending,
} from '../../store/costs/reserve.ts';
import { recordTurnUse } from '../../store/costs/record-use.ts';

/**
 * The calls of one model in one attempt of a turn. Before each call, the circuit breaker of the model and the budgets
 * are checked, in this order. The highest possible cost of the call is reserved in the database, so budgets are valid
 * for any number of nodes. After the turn, one statement counts the usage. An agent without a model does not use this
 * file.
 */
export type ModelRef = { provider: string; model: string };

export type CallsDeps = {
  pool: Db['$client'];
  log: Pick<Logger, 'error' | 'warn'>;
  /** Reports the usage for /metrics. */
  onUse?(use: ModelRef & { spent: Spending; calls: number; toolCalls: number; failure: string | null }): void;
};

/**
 * One answer has at most this many tokens if neither agent nor provider sets a limit. A message has at most 32,000
 * characters, so this limit rarely cuts an answer.
 */
const MAX_OUTPUT_TOKENS = 8_192;
/** The reservations of other turns end within seconds, so a busy budget is checked again soon. */
const BUSY_MS = 1_000;
const MAX_DEAD = 100;
/** If a provider has failed for less than this time, the attempts of waiting runs do not count. */
const PATIENCE_MS = 15 * 60_000;

/** The provider bills nothing after the listed failures, because it refused the call or was not reached. */
const FREE = new Set(['provider_refused', 'provider_rate_limited', 'provider_unreachable']);
/**
 * Failures that count as failures of the provider. An empty or unreadable answer is a fault of its conversation, not of
 * the provider. A person can cause an empty answer, so it must not stop other conversations.
 */
const COUNTED = new Set(['provider_unreachable', 'provider_rate_limited', 'provider_timeout']);

const NOTHING: Spending = {
  input: 0,
  cached: 0,
  output: 0,
  unknownInput: 0,
  unknownOutput: 0,
  calls: 0,
  time: 0,
  unknownTime: 0,
};
/** The time limit of a call whose agent sets no limit. */
const DEFAULT_SECONDS = 30;

/** The payers of a model call. `turns`: 0 for a call outside a turn. */
export type CallsFor = Pick<TurnRequest, 'context' | 'account' | 'span'> & {
  agent: {
    id: string;
    definition: Pick<TurnRequest['agent']['definition'], 'max_output_tokens' | 'time_limit_seconds'>;
  };
  turns?: 0;
};

const payersOf = (request: CallsFor): Payers => ({
  orgId: request.context.organization_id,
  agentId: request.agent.id,
  keyId: request.account?.key_id ?? '',
  campaignId: request.account?.campaign_id ?? '',
});

/** `limited`: the organization has budgets. */
export function openCalls(deps: CallsDeps, ref: ModelRef, request: CallsFor, limited: boolean) {
  const id = randomUUID();
  const payers = payersOf(request);
  const { definition } = request.agent;
  const at = { orgId: payers.orgId, ...ref };
  const limitMs = (definition.time_limit_seconds ?? DEFAULT_SECONDS) * 1_000;
  let spent = NOTHING;
  let open: { input: number; output: number; since: number } | null = null;
  let [unmeasured, toolCalls] = [0, 0];
  let gate: Gate | null = null;
  let reserved = false;
  let span: Span | undefined;

  const calling: ModelCalls = {
    ...(limited && { maxOutputTokens: MAX_OUTPUT_TOKENS }),
    async begin({ inputTokens }) {
      closeUnknown();
      gate ??= await passGate(deps, at);
      const output = definition.max_output_tokens ?? MAX_OUTPUT_TOKENS;
      if (limited) await takeFrom(inputTokens, output);
      open = { input: inputTokens, output, since: performance.now() };
      spent = { ...spent, calls: spent.calls + 1 };
      span = spanOf(request, ref, definition.max_output_tokens);
    },
    end(used, response) {
      if (response) span?.set(responseOf(response));
      if (used !== null) span?.set(usageOf(used));
      span?.end();
      if (used === null) return closeUnknown();
      spent = withMeasured(spent, used);
      closeMeasured();
    },
    tool: () => void toolCalls++,
  };

  function closeMeasured(): void {
    if (open === null) return;
    spent = { ...spent, time: spent.time + Math.round(performance.now() - open.since) };
    open = null;
  }

  /**
   * The provider may bill a call whose usage it did not report, so the budget is charged with the call's upper limit.
   */
  function closeUnknown(): void {
    if (open === null) return;
    spent = upToLimit(spent, open, limitMs);
    unmeasured++;
    open = null;
  }

  async function takeFrom(input: number, output: number): Promise<void> {
    const upTo = { ...upToLimit(spent, { input, output }, limitMs), calls: spent.calls + 1 };
    const { run_id: runId } = request.context;
    const lease = request.account?.lease ?? null;
    await reserveOrRefuse(deps, { id, payers, ...ref, upTo, runId, lease });
    reserved = true;
  }

  /**
   * Ends the attempt after a success or a failure. `insteadOf`: the earlier models in the agent's order, which did not
   * answer.
   */
  async function close(thrown: unknown, insteadOf: readonly InsteadOf[]): Promise<void> {
    const failure = thrown instanceof ProviderError ? thrown : null;
    span?.end(failure?.code ?? 'aborted');
    if (failure !== null && FREE.has(failure.code)) closeMeasured();
    closeUnknown();
    if (spent.calls > 0 || reserved) {
      const { conversation_id: conversationId, run_id: runId } = request.context;
      const { turns } = request;
      const use = {
        id,
        payers,
        conversationId,
        runId,
        ...ref,
        unmeasured,
        toolCalls,
        spent,
        insteadOf,
        ...(turns === 0 && { turns }),
      };
      await withPatience(() => recordTurnUse(deps.pool, use)).catch((err: unknown) =>
        deps.log.error({ err, run_id: runId }, 'the use of a model could not be counted; its budget pays the limit'),
      );
      deps.onUse?.({ ...ref, spent, calls: spent.calls, toolCalls, failure: failure?.code ?? null });
    }
    if (gate !== null) await report(deps, at, gate, failure, thrown !== null).catch(() => undefined);
  }

  return { calling, close };
}

const withMeasured = (spent: Spending, used: Measured): Spending => ({
  ...spent,
  input: spent.input + used.input,
  cached: spent.cached + used.cached,
  output: spent.output + used.output,
});

const upToLimit = (spent: Spending, call: Pick<Measured, 'input' | 'output'>, limitMs: number): Spending => ({
  ...spent,
  unknownInput: spent.unknownInput + call.input,
  unknownOutput: spent.unknownOutput + call.output,
  unknownTime: spent.unknownTime + limitMs,
});

/** Refuses when the call does not fit into a budget. */
async function reserveOrRefuse({ pool }: CallsDeps, wanted: Parameters<typeof reserve>[1]): Promise<void> {
  const { orgId } = wanted.payers;
  let refused = await reserve(pool, wanted);
  const isBusy = refused.length > 0 && refused.every(({ why }) => why === 'busy');
  if (isBusy && (await chargeLostReservations(pool, MAX_DEAD, orgId)) > 0) refused = await reserve(pool, wanted);
  const spentOnes = refused.filter(({ why }) => why === 'spent').map((each) => each.id);
  if (spentOnes.length > 0) await markSpent(pool, orgId, spentOnes);
  if (refused.length > 0) throw overBudget(refused, wanted);
}

/** Reports the outcome of the attempt to the circuit breaker of the model. */
async function report(
  { pool }: CallsDeps,
  at: ModelRef & { orgId: string },
  { entered, known }: Gate,
  failure: ProviderError | null,
  failed: boolean,
): Promise<void> {
  const probed = entered === 'probe';
  if (failure !== null && COUNTED.has(failure.code)) {
    return reportFailure(pool, at, { code: failure.code, waitMs: failure.retryAfterMs, probed });
  }
  // A provider that refuses a call is reachable. An aborted turn does not show whether the provider works.
  if (!failed || failure?.code === 'provider_refused') {
    if (known) await reportSuccess(pool, at, probed);
  } else if (probed) await endProbe(pool, at);
}

/** The names of providers that the OpenTelemetry conventions define. */
const SYSTEMS: Record<string, string> = { google: 'gcp.gemini' };

const spanOf = ({ span, turns }: CallsFor, { provider, model }: ModelRef, maxOutput: number | undefined) => {
  const operation = turns === 0 ? 'embeddings' : 'chat';
  return span?.child(`${operation} ${model}`, 'client', {
    'gen_ai.operation.name': operation,
    'gen_ai.provider.name': SYSTEMS[provider] ?? provider,
    'gen_ai.request.model': model,
    'gen_ai.request.max_tokens': turns === 0 ? undefined : maxOutput,
  });
};

/** The reasons for the end of an answer, as the OpenTelemetry conventions name them. */
const FINISH_REASONS: Record<string, string> = { 'tool-calls': 'tool_call', 'content-filter': 'content_filter' };

const responseOf = ({ id, model, reason }: ModelResponse) => ({
  'gen_ai.response.id': id,
  'gen_ai.response.model': model,
  'gen_ai.response.finish_reasons': [FINISH_REASONS[reason] ?? reason],
});

const usageOf = ({ input, cached, output }: Measured) => ({
  'gen_ai.usage.input_tokens': input,
  'gen_ai.usage.cache_read.input_tokens': cached,
  'gen_ai.usage.output_tokens': output,
});

/** Records that the embedded agent or a hand-off answered instead of a model. */
export async function countFallback(
  { pool, log }: CallsDeps,
  provider: string,
  request: TurnRequest,
  insteadOf: readonly InsteadOf[],
): Promise<void> {
  const { conversation_id: conversationId, run_id: runId } = request.context;
  const none = { model: '', unmeasured: 0, toolCalls: 0, spent: NOTHING };
  const use = { id: randomUUID(), payers: payersOf(request), conversationId, runId, provider, ...none, insteadOf };
  await recordTurnUse(pool, use).catch((err: unknown) =>
    log.warn({ err, run_id: runId }, 'a fallback was not counted'),
  );
}

async function passGate({ pool }: CallsDeps, at: ModelRef & { orgId: string }): Promise<Gate> {
  const gate = await enterGate(pool, at);
  if (gate.entered !== 'closed') return gate;
  throw new ProviderError(
    gate.reason as ProviderError['code'],
    gate.reason === 'provider_rate_limited'
      ? 'The model provider limits our calls and asked us to wait.'
      : 'The model provider failed several times in a row; it is called again in a moment.',
    { retryable: true, retryAfterMs: gate.waitMs, waits: gate.failingMs < PATIENCE_MS },
  );
}

const SUBJECTS: Record<string, string> = {
  organization: 'of the organization',
  agent: 'of this agent',
  campaign: 'of this campaign',
  key: 'of this API key',
};

function overBudget(refused: readonly Refused[], { provider, model }: ModelRef): ProviderError {
  const { subject, period, unit, why } = refused.find((each) => each.why !== 'busy') ?? refused[0]!;
  const which = `The budget ${SUBJECTS[subject]} for this ${period} in ${unit}`;
  if (why === 'busy') {
    const detail = `${which} is reserved by turns in progress.`;
    return new ProviderError('budget_busy', detail, { retryable: true, retryAfterMs: BUSY_MS, waits: true });
  }
  const detail =
    why === 'spent'
      ? `${which} is spent: the rest does not cover another call.`
      : `${which} cannot pay for ${provider}/${model}, which has no price in ${unit}.`;
  return new ProviderError('budget_spent', detail, { retryable: false });
}

const ATTEMPTS = 4;

async function withPatience(work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200 * 2 ** attempt));
    }
  }
}
