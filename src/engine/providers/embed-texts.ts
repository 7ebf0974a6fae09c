import { embedMany, type EmbeddingModel } from 'ai';
import { MAX_EMBEDDING_DIMENSIONS, NO_EMBEDDINGS } from '../../../contract/dashboard/models.ts';
import { MAX_NUMBERS } from '../knowledge/embedding-batch.ts';
import { quantize } from '../knowledge/vector-table.ts';
import { ProviderError } from '../provider.ts';
import { timedCall } from './timed-call.ts';
import { baseUrlOf, type ModelSettings, unset } from './language-model.ts';
import { garbled } from './map-failure.ts';
import { readTokens } from './read-usage.ts';
import { withWellFormedBody } from './well-formed-body.ts';

/**
 * Requests vectors of texts from a connected provider. The response comes from an untrusted server, so `fetch` limits
 * its bytes and each vector is checked. A batch is small, because the event loop parses the response (`batchOf`).
 */
export type Embedded = { vectors: Int8Array[]; tokens: number | null };

export type Embedding = {
  settings: ModelSettings;
  model: string;
  texts: readonly string[];
  /** The number of dimensions of the model. Null: the number is not known yet. */
  dimensions: number | null;
  timeoutMs: number;
  signal?: AbortSignal;
};

/** The limit for the `fetch` in `settings`, because a number needs at most about 24 characters. */
export const EMBEDDING_MAX_BYTES = MAX_NUMBERS * 26;

export async function embedTexts({
  settings,
  model,
  texts,
  dimensions,
  timeoutMs,
  signal,
}: Embedding): Promise<Embedded> {
  const call = timedCall(settings, { timeoutMs, signal });
  try {
    const { embeddings, usage } = await embedMany({
      model: await embeddingModel(call.settings, model),
      values: [...texts],
      maxRetries: 0,
      abortSignal: call.until,
      telemetry: { isEnabled: false },
    });
    if (embeddings.length !== texts.length) {
      throw wrong(`The model provider returned ${embeddings.length} vectors for ${texts.length} texts.`);
    }
    const wanted = dimensions ?? embeddings[0]?.length ?? 0;
    for (const vector of embeddings) checkVector(vector, wanted);
    return { vectors: embeddings.map(quantize), tokens: readTokens(usage.tokens) };
  } catch (error) {
    throw call.failure(error);
  }
}

function checkVector(vector: readonly number[], dimensions: number): void {
  if (vector.length > MAX_EMBEDDING_DIMENSIONS || vector.length === 0) {
    throw wrong(`A vector has ${vector.length} dimensions; Parley takes 1 to ${MAX_EMBEDDING_DIMENSIONS}.`);
  }
  if (vector.length !== dimensions) {
    throw wrong(`A vector has ${vector.length} dimensions instead of ${dimensions}. Check the embedding model again.`);
  }
  let hasDirection = false;
  for (const value of vector) {
    if (!Number.isFinite(value)) throw garbled();
    hasDirection ||= value !== 0;
  }
  if (!hasDirection) throw wrong('A vector has no direction: all its numbers are 0.');
}

const wrong = (sentence: string): ProviderError => new ProviderError('provider_garbled', sentence, { retryable: true });

async function embeddingModel(settings: ModelSettings, model: string): Promise<EmbeddingModel> {
  const { name, apiKey = '' } = settings;
  const fetch = withWellFormedBody(settings.fetch);
  const baseURL = baseUrlOf(settings);
  if (name === 'openai_compatible') {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    return createOpenAICompatible({ name, baseURL, ...(apiKey !== '' && { apiKey }), fetch }).embeddingModel(model);
  }
  if (name === 'anthropic') throw unset(NO_EMBEDDINGS);
  if (name === 'openai')
    return (await import('@ai-sdk/openai')).createOpenAI({ baseURL, apiKey, fetch }).embeddingModel(model);
  return (await import('@ai-sdk/google')).createGoogle({ baseURL, apiKey, fetch }).embeddingModel(model);
}
