import { ParleyError, type ParleyErrorCode } from './errors.ts';
import type { Problem } from './wire.ts';

/**
 * One call: a request, repeated while that can help. Every POST has an Idempotency-Key, made once and sent with each
 * attempt, so that a call whose answer was lost has no second effect. GET, PUT, PATCH and DELETE can be repeated as they are.
 */
export type ParleyOptions = {
  apiKey?: string;
  /** The address of the server, without a path: `https://us.parley.example`. */
  baseUrl: string;
  /** How long one attempt may take, in milliseconds; 60,000 unless set. */
  timeout?: number;
  /** Attempts after the first one; 4 unless set. */
  maxRetries?: number;
  /** A `Retry-After` over this many milliseconds is not waited for; 90,000 unless set. */
  maxRetryDelay?: number;
  /** In place of the global `fetch`. */
  fetch?: typeof globalThis.fetch;
  /** Anyone who opens a page can read a key in it. Only for pages that you alone open. */
  dangerouslyAllowBrowser?: boolean;
};

export type CallOptions = {
  signal?: AbortSignal;
  timeout?: number;
  maxRetries?: number;
  headers?: Record<string, string>;
};
/** Two calls with the same key, path and body are one call. Made for you when it is absent. */
export type WriteOptions = CallOptions & { idempotencyKey?: string };

export type Query = Record<string, string | number | boolean | null | undefined>;
export type Request = WriteOptions & { query?: Query; body?: unknown };

export const IDLE_MS = 60_000;
const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 8_000;
/** A browser tells a page that may not read the answer nothing but that the call failed. */
const LOST =
  'document' in globalThis
    ? 'The connection failed, or the server allows no call from a page of another origin. Call Parley from your backend.'
    : 'The connection failed before the response was complete.';
const WORTH_A_RETRY = [408, 429, 500, 502, 503, 504];

export class Transport {
  readonly #options: ParleyOptions;
  readonly #base: string;

  constructor(options: ParleyOptions) {
    if (options.apiKey && 'document' in globalThis && !options.dangerouslyAllowBrowser)
      throw new TypeError('An API key in a page is readable by everyone who opens it: call Parley from your backend.');
    this.#options = options;
    this.#base = options.baseUrl.replace(/\/+$/, '');
  }

  /** The JSON of the response; undefined when it has none. */
  async json<T>(method: string, path: string, request: Request = {}): Promise<T> {
    return this.#repeat(method, path, request, async (response) => {
      const text = await response.text();
      if (text === '') return undefined as T;
      try {
        return JSON.parse(text) as T;
      } catch (cause) {
        throw new ParleyError({ ...said(response), code: 'response_invalid', detail: 'The body is not JSON.', cause });
      }
    });
  }

  /** The open response: its body is read by the caller, who ends it with `signal`. */
  open(method: string, path: string, request: Request = {}): Promise<Response> {
    return this.#repeat(method, path, request, async (response) => response);
  }

  async #repeat<T>(
    method: string,
    path: string,
    request: Request,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const { maxRetries = this.#options.maxRetries ?? 4, signal } = request;
    const headers = this.#headers(method, request);
    for (let attempts = 1; ; attempts++) {
      const failed = await this.#attempt(method, path, request, headers, attempts, read).catch(
        (error: unknown) => error,
      );
      if (!(failed instanceof Failure)) {
        // What was read, or what is no answer of a server: an abort, a fault of ours.
        if (failed instanceof Done) return failed.value as T;
        throw failed;
      }
      const delay = delayOf(failed, attempts);
      const isOver = attempts > maxRetries || delay > (this.#options.maxRetryDelay ?? 90_000);
      if (!failed.mayHelp || isOver) throw failed.error;
      await sleep(delay, signal);
    }
  }

  async #attempt<T>(
    method: string,
    path: string,
    { query, body, signal, timeout = this.#options.timeout ?? 60_000 }: Request,
    headers: Record<string, string>,
    attempts: number,
    read: (response: Response) => Promise<T>,
  ): Promise<Done> {
    signal?.throwIfAborted();
    // AbortSignal.any is newer than the oldest Node that we serve.
    const end = new AbortController();
    const abort = (): void => end.abort(signal?.reason);
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      end.abort();
    }, timeout);
    signal?.addEventListener('abort', abort, { once: true });
    let keep = false;
    try {
      const send = this.#options.fetch ?? globalThis.fetch;
      const response = await send(this.#base + path + queryText(query), {
        method,
        headers,
        signal: end.signal,
        redirect: 'error',
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      if (!response.ok) throw await refusal(response, attempts);
      const value = await read(response);
      keep = value === response;
      return new Done(value);
    } catch (error) {
      if (error instanceof Failure || error instanceof ParleyError) throw error;
      signal?.throwIfAborted();
      const facts: [ParleyErrorCode, string] = isLate
        ? ['timed_out', `No complete response within ${timeout} ms.`]
        : ['connection_failed', LOST];
      throw new Failure(new ParleyError({ code: facts[0], detail: facts[1], attempts, cause: error }), true, null);
    } finally {
      clearTimeout(timer);
      if (!keep) signal?.removeEventListener('abort', abort);
    }
  }

  #headers(method: string, { body, idempotencyKey, headers = {} }: Request): Record<string, string> {
    const { apiKey } = this.#options;
    return {
      accept: 'application/json',
      ...(apiKey && { authorization: `Bearer ${apiKey}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(method === 'POST' && { 'idempotency-key': idempotencyKey ?? crypto.randomUUID() }),
      ...headers,
    };
  }
}

class Done {
  readonly value: unknown;
  constructor(value: unknown) {
    this.value = value;
  }
}

/** An attempt that failed, and whether another one may succeed. */
class Failure {
  readonly error: ParleyError;
  readonly mayHelp: boolean;
  readonly retryAfter: number | null;
  constructor(error: ParleyError, mayHelp: boolean, retryAfter: number | null) {
    this.error = error;
    this.mayHelp = mayHelp;
    this.retryAfter = retryAfter;
  }
}

const said = (response: Response) => ({
  status: response.status,
  requestId: response.headers.get('x-request-id'),
});

async function refusal(response: Response, attempts: number): Promise<Failure> {
  const text = await response.text();
  const { status } = response;
  let problem: Problem | null = null;
  try {
    const read = JSON.parse(text) as Problem;
    if (typeof read.code === 'string') problem = read;
  } catch {
    // A proxy in between has answered.
  }
  const error = new ParleyError({
    ...said(response),
    code: problem?.code ?? 'response_invalid',
    detail: problem?.detail ?? `Status ${status} without a description.`,
    attempts,
    problem,
    ...(problem && { requestId: problem.request_id }),
  });
  const mayHelp = WORTH_A_RETRY.includes(status) || error.code === 'idempotency_in_progress';
  return new Failure(error, mayHelp, secondsOf(response.headers.get('retry-after')));
}

/** `Retry-After` in milliseconds: seconds, or a date. */
function secondsOf(header: string | null): number | null {
  if (header === null || header === '') return null;
  const wait = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(wait) ? null : Math.max(0, wait);
}

/** Never sooner than the server says; with jitter, so that clients that failed together do not return together. */
function delayOf({ retryAfter }: Failure, attempts: number): number {
  const step = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempts - 1));
  return retryAfter === null ? step * (0.5 + Math.random() / 2) : retryAfter + (step * Math.random()) / 4;
}

export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal!.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}

function queryText(query: Query = {}): string {
  const set = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null) set.set(name, String(value));
  const text = set.toString();
  return text === '' ? '' : `?${text}`;
}

/** A path with each value percent-encoded. An empty one would name another route. */
export function path(parts: TemplateStringsArray, ...values: string[]): string {
  return parts.reduce((made, part, index) => {
    const value = values[index - 1]!;
    if (typeof value !== 'string' || value === '' || value === '.' || value === '..')
      throw new TypeError('An id in the path must be a text that is not empty.');
    return made + encodeURIComponent(value) + part;
  });
}
