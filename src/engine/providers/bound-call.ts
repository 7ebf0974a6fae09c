import type { ModelSettings } from './language-model.ts';
import { mapFailure } from './map-failure.ts';

/** One call of an SDK beside the turns of agents: its end, and what its failure means. */
export type BoundCall = {
  /** With a `fetch` that ends in time. */
  settings: ModelSettings;
  until: AbortSignal;
  /** What is to be thrown: the caller's own reason, or a ProviderError. */
  failure(error: unknown): unknown;
};

export function boundCall(
  settings: ModelSettings,
  { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal | undefined },
): BoundCall {
  const timeout = AbortSignal.timeout(timeoutMs);
  const until = signal ? AbortSignal.any([signal, timeout]) : timeout;
  let answered: number | null = null;
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const response = await settings.fetch(url, { ...init, signal: until });
    answered = response.status;
    return response;
  };
  return {
    settings: { ...settings, fetch },
    until,
    failure: (error) => (signal?.aborted ? signal.reason : mapFailure(error, { apiKey: settings.apiKey, answered })),
  };
}
