import { type Asker, ProviderError } from '../../engine/provider.ts';
import { type EmbeddingConnection, readEmbeddingConnection } from '../../store/embeddings/read.ts';
import type { EmbedQuestion } from '../knowledge/search-by-meaning.ts';
import { callConnection, type ConnectionDeps } from './call-connection.ts';
import type { CallsFor } from './model-calls.ts';
import { tryContext } from '../try-context.ts';

/** Calls of an embedding model. The SDK is loaded with the first call. */
export type EmbeddingsDeps = ConnectionDeps;

export type Bounds = { timeoutMs: number; signal?: AbortSignal };

/** The time is shorter than the sixty seconds after which a reservation without a run counts as abandoned. */
export const BATCH_TIMEOUT_MS = 30_000;
/** The question of a person waits at most this long for its embedding. */
export const QUESTION_TIMEOUT_MS = 2_000;
/** The number of tokens that providers add to the request. */
const ADDED_TOKENS = 50;

/**
 * The payers of calls for an agent's documents. No key and no campaign pays for the embeddings of an agent's documents.
 */
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
  const { embeddingModel: model, embeddingDimensions: dimensions } = connection;
  const { embedTexts, EMBEDDING_MAX_BYTES } = await import('../../engine/providers/embed-texts.ts');
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const call = { model, caller, inputTokens: bytes + ADDED_TOKENS, timeoutMs, maxBytes: EMBEDDING_MAX_BYTES };
  return callConnection(deps, connection, call, async (settings) => {
    const asked = { settings, model, texts, dimensions, timeoutMs, ...(signal && { signal }) };
    const { vectors, tokens } = await embedTexts(asked);
    return { result: vectors, inputTokens: tokens };
  });
}

/** Embeds the question of one search, within two seconds. The cost is charged to the payers of the turn. */
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

/** The time limit also covers a slow database. */
const tooLate = (late: AbortSignal): Promise<never> =>
  new Promise((_, reject) =>
    late.addEventListener('abort', () =>
      reject(
        new ProviderError('provider_timeout', 'The embedding of the question took too long.', { retryable: true }),
      ),
    ),
  );
