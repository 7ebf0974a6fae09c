import { type ProblemCode, PROBLEMS } from '../../contract/problems.ts';

/**
 * The rules for the header `Retry-After`.
 *
 * Parley sends the header in every response with a code of `contract/problems.ts` that has `retryAfterSeconds` (429 and
 * 503). A refusal with another wait than its code sets the header itself.
 *
 * If a server sends the header to Parley, the server is not called again before this time, which is at most an hour. If
 * the backoff of the caller is longer, the backoff counts.
 */
const MAX_RETRY_AFTER_MS = 60 * 60_000;

export const retryAfter = (seconds: number): { 'retry-after': string } => ({ 'retry-after': String(seconds) });

/** Returns the header of each response with this code. */
export function retryAfterOf(code: ProblemCode): Partial<ReturnType<typeof retryAfter>> {
  const { retryAfterSeconds } = PROBLEMS[code];
  return retryAfterSeconds === undefined ? {} : retryAfter(retryAfterSeconds);
}

/**
 * Returns the wait in milliseconds. The value is a number of seconds or a date (RFC 9110, 10.2.3). Null if the header
 * has no valid value.
 */
export function readRetryAfter(value: string | null | undefined, now = Date.now()): number | null {
  const text = value?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(text)) return boundedWait(Number(text) * 1_000);
  return LIKE_A_DATE.test(text) ? boundedWait(Date.parse(text) - now) : null;
}

/** Matches the three forms of HTTP dates, and the form of JSON. The parser of dates also finds a year in other text. */
const LIKE_A_DATE = /^(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? |\d{4}-\d\d-\d\dT)/i;

/** OpenAI also sends `retry-after-ms`, which is more exact. */
export function readRetryAfterMs(headers: Readonly<Record<string, string>>, now = Date.now()): number | null {
  const exact = Number.parseFloat(headers['retry-after-ms'] ?? '');
  return Number.isFinite(exact) ? boundedWait(exact) : readRetryAfter(headers['retry-after'], now);
}

const boundedWait = (ms: number): number | null => (ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : null);
