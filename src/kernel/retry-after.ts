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

/** The wait in milliseconds. The value is a number of seconds or a date (RFC 9110, 10.2.3). Null: no valid value. */
export function readRetryAfter(value: string | null | undefined, now = Date.now()): number | null {
  const text = value?.trim() ?? '';
  return boundedWait(/^\d+(\.\d+)?$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now);
}

/** OpenAI also sends `retry-after-ms`, which is more exact. */
export function readRetryAfterMs(headers: Readonly<Record<string, string>>, now = Date.now()): number | null {
  const exact = Number.parseFloat(headers['retry-after-ms'] ?? '');
  return Number.isNaN(exact) ? readRetryAfter(headers['retry-after'], now) : boundedWait(exact);
}

const boundedWait = (ms: number): number | null =>
  Number.isFinite(ms) && ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : null;
