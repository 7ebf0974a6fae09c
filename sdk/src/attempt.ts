import { ParleyError, type ParleyErrorCode } from './errors.ts';
import { isPage } from './options.ts';
import { LONGEST_TIMER_MS } from './timers.ts';
import type { Problem } from './wire.ts';

export type Attempt = {
  send: typeof globalThis.fetch;
  url: string;
  init: RequestInit;
  signal: AbortSignal | undefined;
  timeout: number;
  attempts: number;
};
type Done<T> = { value: T; status: number; headers: Headers; requestId: string | null; code?: undefined };

/** An attempt that failed. `isTemporary`: true if another attempt may succeed. */
export class Failure {
  readonly error: ParleyError;
  readonly isTemporary: boolean;
  readonly retryAfter: number | null;
  constructor(error: ParleyError, isTemporary: boolean, retryAfter: number | null = null) {
    this.error = error;
    this.isTemporary = isTemporary;
    this.retryAfter = retryAfter;
  }
}

const TEMPORARY = [408, 429, 500, 502, 503, 504];
const lost = (): string =>
  // A browser hides the reason of a network error from the page.
  isPage()
    ? 'The connection failed, or the server allows no call from a page of another origin. Call Parley from your backend.'
    : 'The connection failed before the response was complete.';

/**
 * Sends the request once. The function throws only if the call must end, which is the reason of `signal` or an invalid
 * response.
 */
export async function attempt<T>(
  { send, url, init, signal, timeout, attempts }: Attempt,
  read: (response: Response) => Promise<T>,
): Promise<Done<T> | Failure> {
  signal?.throwIfAborted();
  // The oldest supported Node does not have AbortSignal.any.
  const end = new AbortController();
  const abort = (): void => end.abort(signal?.reason);
  let isLate = false;
  const onTimeout = (): void => {
    isLate = true;
    end.abort();
  };
  const timer = setTimeout(onTimeout, Math.min(timeout, LONGEST_TIMER_MS));
  signal?.addEventListener('abort', abort, { once: true });
  let isOpen = false;
  try {
    const response = await send(url, { ...init, signal: end.signal });
    if (!response.ok) return await refusal(response, url, init, attempts);
    const value = await read(response);
    isOpen = value === response;
    const { status, headers } = response;
    return { value, status, headers, requestId: headers.get('x-request-id') };
  } catch (error) {
    if (error instanceof ParleyError) return new Failure(error, false);
    signal?.throwIfAborted();
    const [code, detail]: [ParleyErrorCode, string] = isLate
      ? ['timed_out', `No complete response within ${timeout} ms.`]
      : ['connection_failed', lost()];
    return new Failure(new ParleyError({ code, detail, attempts, cause: error }), true);
  } finally {
    clearTimeout(timer);
    if (!isOpen) signal?.removeEventListener('abort', abort);
  }
}

async function refusal(response: Response, url: string, init: RequestInit, attempts: number): Promise<Failure> {
  const { status, headers, type } = response;
  const text = await response.text();
  const problem = problemOf(text);
  const requestId = problem?.request_id ?? headers.get('x-request-id');
  const facts = { status, headers, requestId, attempts };
  if (type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    const target = headers.get('location');
    const to = target && URL.canParse(target, url) ? ` to ${new URL(target, url).origin}` : '';
    const detail = `The server redirects this call${to}. Set baseUrl to the final address: a redirect is not followed.`;
    return new Failure(new ParleyError({ ...facts, code: 'response_invalid', detail }), false);
  }
  const code = problem?.code ?? 'response_invalid';
  const hasKey = new Headers(init.headers).has('authorization');
  const detail =
    code === 'authorization_missing' && !hasKey
      ? 'This client has no apiKey. Pass one: new Parley({ baseUrl, apiKey }).'
      : (problem?.detail ?? `Status ${status} without a description.`);
  const error = new ParleyError({ ...facts, code, detail, problem });
  const isTemporary = TEMPORARY.includes(status) || error.code === 'idempotency_in_progress';
  return new Failure(error, isTemporary, retryAfterOf(headers.get('retry-after')));
}

/** Returns null if the response is from a proxy and not from Parley. */
function problemOf(text: string): Problem | null {
  try {
    const problem = JSON.parse(text) as Problem | null;
    return typeof problem?.code === 'string' ? problem : null;
  } catch {
    return null;
  }
}

/** Reads `Retry-After`, which is a number of seconds or a date, in milliseconds. */
function retryAfterOf(header: string | null): number | null {
  if (header === null || header === '') return null;
  const wait = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(wait) ? null : Math.max(0, wait);
}
