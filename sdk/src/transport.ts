import { attempt, Failure } from './attempt.ts';
import { ParleyError } from './errors.ts';
import { writeLog } from './log.ts';
import {
  checkIdempotencyKey,
  isPage,
  milliseconds,
  type ParleyOptions,
  retries,
  type Settings,
  settingsOf,
} from './options.ts';
import { sleep } from './timers.ts';
import { USER_AGENT } from './version.ts';

/**
 * A call is a request that is repeated while a retry can help. Every POST has an Idempotency-Key that is the same in
 * all attempts, so a repeated call has no second effect. The client may repeat GET, PUT, PATCH and DELETE without a
 * key.
 */
export type CallOptions = {
  signal?: AbortSignal | undefined;
  timeout?: number | undefined;
  maxRetries?: number | undefined;
  headers?: Record<string, string> | undefined;
  /** The client calls this function with status and headers of each response that succeeds. */
  onResponse?: ((response: ResponseInfo) => void) | undefined;
};
/** Two calls with the same key, path and body are one call. Without a key, the library creates a key. */
export type WriteOptions = CallOptions & { idempotencyKey?: string | undefined };

export type ResponseInfo = { status: number; headers: Headers; requestId: string | null; attempts: number };
export type Query = Record<string, string | number | boolean | null | undefined>;
export type Request = WriteOptions & { query?: Query | undefined; body?: unknown };

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 8_000;
type Read<T> = (response: Response) => Promise<T>;

export class Transport {
  readonly #settings: Settings;

  constructor(options: ParleyOptions) {
    this.#settings = settingsOf(options);
  }

  /** Returns the JSON of the response, or undefined without a body. */
  json<T>(method: string, path: string, request: Request = {}): Promise<T> {
    return this.#repeat(method, path, request, async (response) => {
      const text = await response.text();
      if (text === '') return undefined as T;
      try {
        return JSON.parse(text) as T;
      } catch (cause) {
        const { status, headers } = response;
        const requestId = headers.get('x-request-id');
        const detail = 'The body is not JSON.';
        throw new ParleyError({ code: 'response_invalid', detail, status, headers, requestId, cause });
      }
    });
  }

  /** Returns the open response, so that the caller reads its body and can cancel it with `signal`. */
  open(method: string, path: string, request: Request = {}): Promise<Response> {
    return this.#repeat(method, path, request, async (response) => response);
  }

  async #repeat<T>(method: string, path: string, request: Request, read: Read<T>): Promise<T> {
    const { fetch: send = globalThis.fetch, log, maxRetryDelay } = this.#settings;
    const { signal, onResponse } = request;
    const maxRetries = retries(request.maxRetries ?? this.#settings.maxRetries);
    const timeout = milliseconds('timeout', request.timeout ?? this.#settings.timeout);
    const { url, init } = this.#prepare(method, path, request);
    for (let attempts = 1; ; attempts++) {
      const began = Date.now();
      const done = await attempt({ send, url, init, signal, timeout, attempts }, read);
      const delay = done instanceof Failure && done.isTemporary ? delayOf(done, attempts) : Infinity;
      const retryIn = attempts > maxRetries || delay > maxRetryDelay ? null : delay;
      const { status, requestId, code = null } = done instanceof Failure ? done.error : done;
      const entry = { method, path: path.replace(/\?.*/, ''), attempt: attempts, status, code, requestId };
      writeLog(log, { ...entry, milliseconds: Date.now() - began, retryIn });
      if (!(done instanceof Failure)) {
        onResponse?.({ status, headers: done.headers, requestId, attempts });
        return done.value;
      }
      if (retryIn === null) throw done.error;
      await sleep(retryIn, signal);
    }
  }

  /** Throws before the first attempt if the request cannot be sent. */
  #prepare(method: string, path: string, request: Request): { url: string; init: RequestInit } {
    if (!path.startsWith('/')) throw new TypeError(`A path begins with a slash; this one is "${path}".`);
    const url = this.#settings.base + path + queryText(request.query);
    try {
      const body = request.body === undefined ? undefined : JSON.stringify(request.body);
      const headers = this.#headers(method, request);
      const init: RequestInit = { method, headers, redirect: 'manual', ...(body !== undefined && { body }) };
      // The constructor of Request checks the request as `fetch` does, but `fetch` would report an invalid request like
      // a lost connection.
      const checked = new globalThis.Request(url, init);
      return { url: checked.url, init };
    } catch (cause) {
      throw new TypeError(`This call cannot be sent: ${(cause as Error).message}`, { cause });
    }
  }

  #headers(method: string, { body, idempotencyKey, headers = {} }: Request): Headers {
    const { apiKey } = this.#settings;
    const all = new Headers({ accept: 'application/json' });
    // A page cannot set the header `user-agent`, because the browser refuses it or sends a preflight request.
    if (!isPage()) all.set('user-agent', USER_AGENT);
    if (apiKey) all.set('authorization', `Bearer ${apiKey}`);
    if (body !== undefined) all.set('content-type', 'application/json');
    if (method === 'POST') all.set('idempotency-key', checkIdempotencyKey(idempotencyKey ?? crypto.randomUUID()));
    for (const [name, value] of Object.entries(headers)) all.set(name, value);
    return all;
  }
}

/**
 * The delay is never shorter than the server requires. A random part of the delay prevents many clients from retrying
 * together.
 */
function delayOf({ retryAfter }: Failure, attempts: number): number {
  const step = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempts - 1));
  return retryAfter === null ? step * (0.5 + Math.random() / 2) : retryAfter + (step * Math.random()) / 4;
}

function queryText(query: Query = {}): string {
  const set = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null) set.set(name, String(value));
  const text = set.toString();
  return text === '' ? '' : `?${text}`;
}

/** Builds a path with percent-encoded values. An empty value in a path would address another route. */
export function path(parts: TemplateStringsArray, ...values: string[]): string {
  return parts.reduce((made, part, index) => {
    const value: unknown = values[index - 1];
    if (typeof value !== 'string' || ['', '.', '..'].includes(value))
      throw new TypeError(
        `The ID after ${made} must be a non-empty string, not ${JSON.stringify(value) ?? 'undefined'}.`,
      );
    return made + encodeURIComponent(value) + part;
  });
}
