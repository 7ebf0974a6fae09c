import type { ModelSettings } from './language-model.ts';
import { mapFailure } from './map-failure.ts';

/** Makes one SDK call outside an agent's turn, with its time limit and the meaning of its failure. */
export type TimedCall = {
  /** Settings with a `fetch` that has a time limit. */
  settings: ModelSettings;
  until: AbortSignal;
  /** Returns the error to throw, which is the caller's own reason or a ProviderError. */
  failure(error: unknown): unknown;
};

export function timedCall(
  settings: ModelSettings,
  { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal | undefined },
): TimedCall {
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
