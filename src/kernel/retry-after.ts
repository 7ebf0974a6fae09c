import { type ProblemCode, PROBLEMS } from '../../contract/problems.ts';

/**
 * The rules for the header `Retry-After`.
 *
 * Sent by Parley: each code of `contract/problems.ts` with `retryAfterSeconds` (429 and 503) has it in every response. A
 * refusal whose wait differs from that of its code sets the header itself.
 *
 * Received by Parley: a server that sends it is not called again before that time, which is at most an hour. If the
 * backoff of the caller is longer, the backoff counts.
 */
const MAX_RETRY_AFTER_MS = 60 * 60_000;

export const retryAfter = (seconds: number): { 'retry-after': string } => ({ 'retry-after': String(seconds) });

/** The header of each response with this code. */
export function retryAfterOf(code: ProblemCode): Partial<ReturnType<typeof retryAfter>> {
  const { retryAfterSeconds } = PROBLEMS[code];
  return retryAfterSeconds === undefined ? {} : retryAfter(retryAfterSeconds);
}

/**
 * The wait in milliseconds. The value is a number of seconds or a date (RFC 9110, 10.2.3). Null: the header has no
 * valid value.
 */
export function readRetryAfter(value: string | null | undefined, now = Date.now()): number | null {
  const text = value?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(text)) return boundedWait(Number(text) * 1_000);
  return LIKE_A_DATE.test(text) ? boundedWait(Date.parse(text) - now) : null;
}

/** The three forms of HTTP, and that of JSON. The parser of dates also finds a year in any other text. */
const LIKE_A_DATE = /^(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? |\d{4}-\d\d-\d\dT)/i;

/** OpenAI also sends `retry-after-ms`, which is more exact. */
export function readRetryAfterMs(headers: Readonly<Record<string, string>>, now = Date.now()): number | null {
  const exact = Number.parseFloat(headers['retry-after-ms'] ?? '');
  return Number.isFinite(exact) ? boundedWait(exact) : readRetryAfter(headers['retry-after'], now);
}

const boundedWait = (ms: number): number | null => (ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : null);
