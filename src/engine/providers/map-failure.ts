import { AISDKError, APICallError, StreamProviderError } from 'ai';
import { EgressError } from '../../kernel/egress.ts';
import { readRetryAfterMs } from '../../kernel/retry-after.ts';
import { ProviderError } from '../provider.ts';

const MAX_QUOTED_CHARACTERS = 300;
const MAX_CAUSES = 8;

/** The retryable statuses other than 5xx. */
const PASSING = new Set([408, 409, 425]);

export type FailureContext = {
  apiKey: string | undefined;
  /** The status of the latest complete response. Null before the first response, and for a stream. */
  answered: number | null;
};

/**
 * Maps an error of the SDK to a ProviderError. The errors of the SDK are dropped and not attached as a cause. An error
 * of the SDK contains the whole request and the answer, which must not reach a log (a SyntaxError quotes the text that
 * it could not parse). The result quotes the provider's message where it helps (an unknown model, a parameter). The
 * result does not quote the message about wrong credentials, because some providers repeat part of the key in it.
 */
export function mapFailure(error: unknown, { apiKey, answered }: FailureContext): ProviderError {
  const chain = causes(error);
  const known = chain.find((each) => each instanceof ProviderError);
  if (known) return known;
  const egress = chain.find((each) => each instanceof EgressError);
  if (egress) return fromEgress(egress);
  if (chain.some((each) => each.name === 'TimeoutError')) return timedOut();
  const frame = chain.find((each) => StreamProviderError.isInstance(each));
  // The error frame of a stream counts like a failed call, so that the turn is tried again.
  if (frame) return fromStatus(frame.statusCode ?? 500, {}, frame.message, apiKey);
  const call = chain.find((each) => APICallError.isInstance(each));
  if (call === undefined) {
    return garbled(chain.find((each) => !AISDKError.isInstance(each) && !(each instanceof SyntaxError)));
  }
  const { statusCode: status, responseHeaders = {} } = call;
  if (status === undefined) return unreachable('The model provider could not be reached.');
  // If a response with status 200 has no usable answer, the SDK invents a status.
  if (status < 300 || (answered !== null && answered < 300)) return garbled();
  return fromStatus(status, responseHeaders, call.message, apiKey);
}

function fromStatus(
  status: number,
  headers: Record<string, string>,
  words: string,
  apiKey: string | undefined,
): ProviderError {
  if (status === 429) {
    return new ProviderError('provider_rate_limited', 'The model provider rate-limits our calls (429).', {
      retryable: true,
      retryAfterMs: readRetryAfterMs(headers),
    });
  }
  if (status >= 500 || PASSING.has(status)) {
    return unreachable(`The model provider returned an error (${status}).`, readRetryAfterMs(headers));
  }
  return refused(status, words, apiKey);
}

export const timedOut = (): ProviderError =>
  new ProviderError('provider_timeout', 'The model provider timed out.', { retryable: true });

export const garbled = (cause?: unknown): ProviderError =>
  new ProviderError('provider_garbled', 'The response of the model provider could not be read.', {
    retryable: true,
    cause,
  });

const unreachable = (sentence: string, retryAfterMs: number | null = null, cause?: unknown): ProviderError =>
  new ProviderError('provider_unreachable', sentence, { retryable: true, retryAfterMs, cause });

function refused(status: number, words: string, apiKey: string | undefined): ProviderError {
  const sentence =
    status === 401 || status === 403
      ? `The model provider rejected the credentials (${status}). Check the API key.`
      : status < 400
        ? `The model provider returned a redirect (${status}), which Parley does not follow. Check the base URL.`
        : `The model provider rejected the call (${status}): ${quote(words, apiKey)}`;
  return new ProviderError('provider_refused', sentence, { retryable: false });
}

function quote(words: string, apiKey: string | undefined): string {
  const plain = words.replace(/\s+/g, ' ').trim();
  const safe = apiKey ? plain.replaceAll(apiKey, '…') : plain;
  return safe === '' ? 'it gave no reason.' : safe.slice(0, MAX_QUOTED_CHARACTERS);
}

function fromEgress(error: EgressError): ProviderError {
  switch (error.code) {
    case 'egress_refused':
      return new ProviderError('provider_refused', `Parley may not call this model provider. ${error.message}`, {
        retryable: false,
        cause: error,
      });
    case 'egress_timeout':
      return timedOut();
    case 'egress_too_large':
      return garbled(error);
    case 'egress_unreachable':
      return unreachable('The model provider could not be reached.', null, error);
  }
}

function causes(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let at = error; at instanceof Error && chain.length < MAX_CAUSES; at = at.cause) chain.push(at);
  return chain;
}
