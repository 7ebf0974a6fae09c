import { Refusal } from '../../../contract/problems.ts';
import type { ModelProviderName } from '../../engine/providers/language-model.ts';
import { type Asker, ProviderError } from '../../engine/provider.ts';
import type { Egress } from '../../kernel/egress.ts';
import type { Key } from '../../kernel/seal.ts';
import type { Db } from '../../store/db.ts';
import { type EmbeddingConnection, readEmbeddingConnection } from '../../store/embeddings/read.ts';
import { openModelKey } from '../../store/open-model-key.ts';
import { hasBudgets } from '../../store/spending/budgets.ts';
import type { EmbedQuestion } from '../knowledge/search-by-meaning.ts';
import { type CallsDeps, type CallsFor, openCalls } from '../turns/model-calls.ts';
import { tryContext } from '../turns/try-context.ts';

/**
 * Calls of an embedding model. They pass the same gate and the same budgets as the calls of turns, and what they use is
 * counted with them. The SDK is loaded with the first call.
 */
export type EmbeddingsDeps = Omit<CallsDeps, 'pool'> & { db: Db; egress: Pick<Egress, 'fetchWith'>; sealingKey: Key };

export type Bounds = { timeoutMs: number; signal?: AbortSignal };

/** Less than the sixty seconds after which a reservation without a run counts as dead. */
export const BATCH_TIMEOUT_MS = 30_000;
/** As long as a person's question waits for it. */
export const QUESTION_TIMEOUT_MS = 2_000;
/** Added by providers to what we send. */
const ADDED_TOKENS = 50;

/** For an agent's documents: no key and no campaign pays. */
export const forDocuments = (orgId: string, agentId: string): CallsFor => ({
  context: tryContext(orgId, agentId),
  agent: { id: agentId, definition: {} },
});

export async function callEmbeddings(
  deps: EmbeddingsDeps,
  connection: EmbeddingConnection,
  texts: readonly string[],
  caller: CallsFor,
  { timeoutMs, signal }: Bounds,
): Promise<Int8Array[]> {
  const { provider, baseUrl, embeddingModel: model, embeddingDimensions: dimensions, orgId } = connection;
  const { embedTexts, EMBEDDING_MAX_BYTES } = await import('../../engine/providers/embed-texts.ts');
  const [apiKey, limited] = await Promise.all([
    openModelKey(deps.db, deps.sealingKey, connection),
    hasBudgets(deps.db, orgId),
  ]);
  if (apiKey === null) throw new ProviderError('provider_refused', LOST_KEY, { retryable: false });
  const agent = { id: caller.agent.id, definition: { max_output_tokens: 0 } };
  const ref = { provider, model };
  const calls = openCalls({ ...deps, pool: deps.db.$client }, ref, { ...caller, agent, turns: 0 }, limited);
  const settings = {
    name: provider as ModelProviderName,
    baseUrl: baseUrl ?? undefined,
    apiKey,
    fetch: deps.egress.fetchWith({ timeoutMs, maxBytes: EMBEDDING_MAX_BYTES }),
  };
  let failure: unknown = null;
  try {
    const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    await calls.calling.begin({ inputTokens: bytes + ADDED_TOKENS });
    const asked = { settings, model, texts, dimensions, timeoutMs, ...(signal && { signal }) };
    const { vectors, tokens } = await embedTexts(asked);
    calls.calling.end(tokens === null ? null : { input: tokens, cached: 0, output: 0 });
    return vectors;
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    await calls.close(failure, []);
  }
}

const LOST_KEY = 'The stored key belongs to other settings. Give it again with the provider.';

/** The question of one search, within two seconds. The payers are those of the turn. */
export function createEmbedQuestion(deps: EmbeddingsDeps): EmbedQuestion {
  return async (orgId, vectors, text, asker: Asker) => {
    const late = AbortSignal.timeout(QUESTION_TIMEOUT_MS);
    const work = async (): Promise<Int8Array> => {
      const connection = await readEmbeddingConnection(deps.db, orgId);
      if (connection?.embeddingModel !== vectors.model || connection.provider !== vectors.provider) {
        throw new ProviderError('provider_refused', 'The embedding model was changed.', { retryable: false });
      }
      const bounds = { timeoutMs: QUESTION_TIMEOUT_MS, signal: asker.signal };
      const [vector] = await callEmbeddings(deps, connection, [text], asker, bounds);
      return vector!;
    };
    return Promise.race([work(), tooLate(late)]);
  };
}

/** One call for a person who connects the model; it is counted, and belongs to no agent. */
export function createTryEmbedding(deps: EmbeddingsDeps) {
  return async (connection: EmbeddingConnection): Promise<number> => {
    const unknown = { ...connection, embeddingDimensions: null };
    const caller = forDocuments(connection.orgId, '');
    try {
      const [vector] = await callEmbeddings(deps, unknown, ['A first text.'], caller, { timeoutMs: BATCH_TIMEOUT_MS });
      return vector!.length;
    } catch (error) {
      if (error instanceof ProviderError) throw new Refusal('provider_failed', error.message, { cause: error });
      throw error;
    }
  };
}

/** Also the database may be slow. */
const tooLate = (late: AbortSignal): Promise<never> =>
  new Promise((_, reject) =>
    late.addEventListener('abort', () =>
      reject(
        new ProviderError('provider_timeout', 'The embedding of the question took too long.', { retryable: true }),
      ),
    ),
  );
