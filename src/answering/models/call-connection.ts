import { type ModelProviderName, type ModelSettings } from '../../engine/providers/language-model.ts';
import { ProviderError } from '../../engine/provider.ts';
import type { Egress } from '../../kernel/egress.ts';
import type { Key } from '../../kernel/seal.ts';
import type { Db } from '../../store/db.ts';
import type { ModelRow } from '../../store/models.ts';
import { openModelKey } from '../../store/open-model-key.ts';
import { hasBudgets } from '../../store/costs/budgets.ts';
import { type CallsDeps, type CallsFor, openCalls } from './model-calls.ts';

export type ConnectionDeps = Omit<CallsDeps, 'pool'> & { db: Db; egress: Pick<Egress, 'fetchWith'>; sealingKey: Key };

export type ConnectionCall = {
  model: string;
  caller: CallsFor;
  /** The maximum number of tokens of the request, for the budgets. */
  inputTokens: number;
  /** The maximum number of tokens of the answer. By default, the answer has no tokens, as for embeddings. */
  outputTokens?: number;
  timeoutMs: number;
  /** The maximum size of the response. */
  maxBytes: number;
};

/**
 * Calls a connected provider once, outside a turn. The same pauses and budgets apply as for the calls of turns, and the
 * usage is counted with them. The number `inputTokens` of the outcome is null if the provider does not report it.
 */
export async function callConnection<T>(
  deps: ConnectionDeps,
  connection: ModelRow,
  { model, caller, inputTokens, outputTokens = 0, timeoutMs, maxBytes }: ConnectionCall,
  work: (settings: ModelSettings) => Promise<{ result: T; inputTokens: number | null; outputTokens?: number }>,
): Promise<T> {
  const { provider, baseUrl, orgId } = connection;
  const [apiKey, limited] = await Promise.all([
    openModelKey(deps.db, deps.sealingKey, connection),
    hasBudgets(deps.db, orgId),
  ]);
  if (apiKey === null) throw new ProviderError('provider_refused', LOST_KEY, { retryable: false });
  const definition = { max_output_tokens: outputTokens, time_limit_seconds: timeoutMs / 1_000 };
  const agent = { id: caller.agent.id, definition };
  const calls = openCalls(
    { ...deps, pool: deps.db.$client },
    { provider, model },
    { ...caller, agent, turns: 0 },
    limited,
  );
  const fetch = deps.egress.fetchWith({ timeoutMs, maxBytes });
  let failure: unknown = null;
  try {
    await calls.calling.begin({ inputTokens });
    const done = await work({ name: provider as ModelProviderName, baseUrl: baseUrl ?? undefined, apiKey, fetch });
    const { inputTokens: input, outputTokens: output = 0 } = done;
    calls.calling.end(input === null ? null : { input, cached: 0, output });
    return done.result;
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    await calls.close(failure, []);
  }
}

const LOST_KEY = 'The stored key belongs to other settings. Give it again with the provider.';
