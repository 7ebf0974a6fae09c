import { routes } from 'virtual:dashboard-routes';
import type { Fault, ProblemBody, ProblemCode } from '../../../contract/problems.ts';
import type { RunRecord } from '../../../contract/triggers.ts';
import type { AnswerOf, BodyOf, DashboardRouteName, ParamOf, QueryOf } from '../../../contract/dashboard/routes.ts';
import { loadArabicTitles } from '../language/arabic-titles.ts';
import { languageOf, preferences } from '../preferences.ts';

/**
 * Only this file calls `fetch`. The contract (contract/dashboard/routes.ts) defines the name and types of every route.
 * Every failure, whatever its cause, is thrown as a Problem.
 */
export type CallInput<N extends DashboardRouteName> = ParamsInput<N> & {
  query?: QueryOf<N>;
  body?: BodyOf<N>;
  signal?: AbortSignal;
  /** True: the request is sent even if the page is being closed. */
  keepalive?: boolean;
  /** Reads the response of a route that streams (read-stream.ts). */
  read?: ReadResponse;
};
type ReadResponse = (response: Response) => Promise<unknown>;
type ParamsInput<N extends DashboardRouteName> = [ParamOf<N>] extends [never]
  ? { params?: undefined }
  : { params: Record<ParamOf<N>, string> };

type AnyInput = {
  params?: Record<string, string>;
  query?: object;
  body?: unknown;
  signal?: AbortSignal;
  keepalive?: boolean;
  read?: ReadResponse;
};

/** The time limit is longer than the server's longest wait, so the server's response arrives first. */
const TIMEOUT_MS = 40_000;

export async function call<N extends DashboardRouteName>(name: N, input: CallInput<N>): Promise<AnswerOf<N>> {
  const [method, path] = routes[name]!.split(' ') as [string, string];
  const { body, query, signal, keepalive, params = {}, read } = input as AnyInput;
  const init: RequestInit = {
    method,
    signal,
    keepalive,
    credentials: 'same-origin',
    ...(body !== undefined && {
      body: body instanceof Blob ? body : JSON.stringify(body),
      headers: {
        'content-type': body instanceof Blob ? 'application/octet-stream' : 'application/json',
        ...(read && { accept: 'text/event-stream' }),
      },
    }),
  };
  return (await send(fill(path, params) + search(query), init, read)) as AnswerOf<N>;
}

/** Returns the URL of a route for requests that the browser makes, such as a stream or a file. */
export function addressOf<N extends DashboardRouteName>(name: N, input: Omit<CallInput<N>, 'body' | 'signal'>): string {
  const { query, params = {} } = input as AnyInput;
  return fill(routes[name]!.split(' ')[1]!, params) + search(query);
}

export type Me = { label: string; organization: { name: string }; region: string; permissions: string[] };

/** Tests a new key with a call of the public API, without the session. */
export async function callMe(key: string): Promise<Me> {
  return (await send('/api/me', { headers: { authorization: `Bearer ${key}` }, credentials: 'omit' })) as Me;
}

/** The promise rejects if no response comes. Any response counts as success. */
export async function reachServer(): Promise<void> {
  await send('/api/health', { credentials: 'omit' }).catch((error: unknown) => {
    if (error instanceof Problem && error.status === 0) throw error;
  });
}

export type Started = Pick<RunRecord, 'id' | 'conversation_id'>;

/** Calls a trigger with a new key, as a backend would. */
export async function callTrigger(key: string, path: string, body: string): Promise<Started> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return (await send(path, { method: 'POST', body, headers, credentials: 'omit' })) as Started;
}

/** The error of every failed call. With `status` 0, no response came, so it is unknown whether the call took effect. */
export class Problem extends Error {
  readonly code: ProblemCode | 'connection_lost' | 'answer_unreadable';
  readonly status: number;
  readonly title: string;
  readonly requestId: string | null;
  readonly faults: readonly Fault[];
  readonly existingId: string | null;

  constructor(facts: {
    code: Problem['code'];
    status: number;
    title?: string;
    detail?: string;
    requestId?: string | null;
    faults?: readonly Fault[];
    existingId?: string | null;
  }) {
    super(facts.detail ?? facts.code);
    this.name = 'Problem';
    this.code = facts.code;
    this.status = facts.status;
    this.title = facts.title ?? '';
    this.requestId = facts.requestId ?? null;
    this.faults = facts.faults ?? [];
    this.existingId = facts.existingId ?? null;
  }
}

async function send(url: string, init: RequestInit, read?: ReadResponse): Promise<unknown> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  let response: Response;
  try {
    // oxlint-disable-next-line parley/guarded-fetch -- in a browser; the path is one of our own
    response = await fetch(url, {
      ...init,
      cache: 'no-store',
      redirect: 'error',
      signal: init.signal ? AbortSignal.any([init.signal, timeout]) : timeout,
    });
  } catch (error) {
    // If TanStack Query cancelled a call, the connection is not lost.
    if (init.signal?.aborted) throw error;
    throw new Problem({ code: 'connection_lost', status: 0 });
  }
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  if (read && isStream) return read(response);
  if (response.ok) return response.status === 204 ? undefined : readJson(response);
  throw await readProblem(response);
}

async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    throw new Problem({
      code: 'answer_unreadable',
      status: response.status,
      requestId: response.headers.get('x-request-id'),
    });
  }
}

async function readProblem(response: Response): Promise<Problem> {
  return problemOf((await readJson(response)) as Partial<ProblemBody>, response);
}

export async function problemOf(body: Partial<ProblemBody>, response: Response): Promise<Problem> {
  if (languageOf(preferences()) === 'ar') await loadArabicTitles();
  return new Problem({
    code: body.code ?? 'answer_unreadable',
    status: body.status ?? response.status,
    title: body.title,
    detail: body.detail,
    requestId: body.request_id ?? response.headers.get('x-request-id'),
    faults: await inWords(body.errors),
    existingId: body.existing_id,
  });
}

/** The first fault that needs the Arabic sentences loads them. */
async function inWords(faults: readonly Fault[] | undefined): Promise<readonly Fault[] | undefined> {
  if (languageOf(preferences()) !== 'ar' || !faults?.length) return faults;
  // If the Arabic sentences cannot load, for example after an update, the sentences stay in English.
  const words = await import('../language/fault-texts.ts').catch(() => null);
  return faults.map((fault) => ({ ...fault, detail: words?.inArabic(fault.detail) ?? fault.detail }));
}

const fill = (path: string, params: Record<string, string>): string =>
  path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name]!));

function search(query: object | undefined): string {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== '');
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}
