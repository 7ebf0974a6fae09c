import type { LogEntry } from './log.ts';

export type ParleyOptions = {
  /** The address of the server, such as `https://us.parley.example`. */
  baseUrl: string | undefined;
  /** Omit the key only for routes that need no key. */
  apiKey?: string | undefined;
  /** The time limit of one attempt in milliseconds, 60,000 by default. */
  timeout?: number | undefined;
  /** The number of attempts after the first attempt, 4 by default. */
  maxRetries?: number | undefined;
  /**
   * If `Retry-After` is longer than this number of milliseconds (90,000 by default), the call throws the error
   * immediately.
   */
  maxRetryDelay?: number | undefined;
  /** Replaces the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** The client calls this function after each attempt. A log entry contains no key, no body and no query. */
  log?: ((entry: LogEntry) => void) | undefined;
  /**
   * Allows an API key in a browser page, where every visitor can read it. Use this option only for pages that no one
   * else opens.
   */
  dangerouslyAllowBrowser?: boolean | undefined;
};

export type Settings = Pick<ParleyOptions, 'apiKey' | 'fetch' | 'log'> & {
  base: string;
  timeout: number;
  maxRetries: number;
  maxRetryDelay: number;
};

export const isPage = (): boolean => 'document' in globalThis;
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

/** Checks everything that a caller can get wrong, because `fetch` reports a wrong option like a lost connection. */
export function settingsOf(options: ParleyOptions): Settings {
  const { apiKey, fetch, log } = options ?? {};
  if ('apiKey' in (options ?? {}) && !apiKey)
    throw new TypeError('apiKey is empty. Is the environment variable set? Omit apiKey only for routes without a key.');
  if (apiKey && !VISIBLE_ASCII.test(apiKey))
    throw new TypeError('apiKey contains a space, a line break or a letter that no API key contains.');
  if (apiKey && isPage() && !options.dangerouslyAllowBrowser)
    throw new TypeError('An API key in a page is readable by everyone who opens it: call Parley from your backend.');
  return {
    base: baseOf(options?.baseUrl),
    apiKey,
    fetch,
    log,
    timeout: milliseconds('timeout', options.timeout ?? 60_000),
    maxRetries: retries(options.maxRetries ?? 4),
    maxRetryDelay: milliseconds('maxRetryDelay', options.maxRetryDelay ?? 90_000),
  };
}

function baseOf(baseUrl: string | undefined): string {
  const example = 'for example https://us.parley.example';
  if (!baseUrl) throw new TypeError(`baseUrl is missing. Pass the address of your server, ${example}.`);
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new TypeError(`baseUrl must begin with https:// or http://, ${example}.`);
  if (url.username || url.password || url.search || url.hash)
    throw new TypeError(`baseUrl must be an address without credentials, query and fragment, ${example}.`);
  return url.origin + url.pathname.replace(/\/+$/, '');
}

export function milliseconds(name: string, value: number): number {
  if (!(value > 0)) throw new TypeError(`${name} must be a number of milliseconds over 0.`);
  return value;
}

export function retries(value: number): number {
  if (!(value >= 0)) throw new TypeError('maxRetries must be 0 or more.');
  return value;
}

/** The server refuses any other key, and HTTP cannot send some other keys. */
export function checkIdempotencyKey(key: string): string {
  if (typeof key !== 'string' || !VISIBLE_ASCII.test(key) || key.length > MAX_IDEMPOTENCY_KEY)
    throw new TypeError(`idempotencyKey must have 1 to ${MAX_IDEMPOTENCY_KEY} visible ASCII characters.`);
  return key;
}

export const MAX_IDEMPOTENCY_KEY = 255;
