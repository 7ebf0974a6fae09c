import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import os from 'node:os';
import type { ProblemBody } from '../contract/problems.ts';
import { Failure, Refused } from './failure.ts';

/**
 * Sends one request and returns its response. The function throws a Failure or Refused with a sentence about the
 * problem.
 */
export type Call = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
  headers?: Record<string, string>;
};

export type Answer = { status: number; cookies: string[]; body: unknown };

/** The limit is longer than the server's longest wait (25 s) and its time limit for a request (30 s). */
const TIMEOUT_MS = 40_000;
/** A download has no time limit in total, but ends if the server sends no data for this time. */
const STALL_MS = 60_000;
/**
 * The list of sessions shows a readable name in place of this text
 * (dashboard/src/pages/settings/sessions/browser-name.ts).
 */
const USER_AGENT = `parley-cli (${os.type()})`;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

export async function callServer(url: string, call: Call): Promise<Answer> {
  const answer = await exchange(url, targetOf(url, call), call);
  if (answer.status >= 200 && answer.status < 300) return answer;
  throw refusal(url, answer);
}

function targetOf(url: string, { path, query = {} }: Call): URL {
  const target = new URL(url + path);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) target.searchParams.set(name, String(value));
  }
  return target;
}

/** This function does not use fetch, because fetch refuses some ports on which a server may listen. */
async function exchange(url: string, target: URL, call: Call): Promise<Answer> {
  const headers: Record<string, string> = { accept: 'application/json, application/problem+json', ...call.headers };
  const isBytes = Buffer.isBuffer(call.body);
  const body =
    call.body === undefined ? undefined : isBytes ? (call.body as Buffer) : Buffer.from(JSON.stringify(call.body));
  if (body !== undefined) headers['content-type'] = isBytes ? 'application/octet-stream' : 'application/json';
  if (call.method !== 'GET') headers['content-length'] = String(body?.length ?? 0);
  try {
    const response = await request(target, { method: call.method, headers, body }, AbortSignal.timeout(TIMEOUT_MS));
    return {
      status: response.statusCode ?? 0,
      cookies: response.headers['set-cookie'] ?? [],
      body: await readBody(url, response),
    };
  } catch (error) {
    throw error instanceof Failure ? error : transportFailure(url, error);
  }
}

const request = (
  target: URL,
  { method, headers, body }: { method: string; headers: Record<string, string>; body?: Buffer | undefined },
  signal?: AbortSignal,
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const send = target.protocol === 'https:' ? https.request : http.request;
    const sent = send(
      target,
      { method, headers: { 'user-agent': USER_AGENT, ...headers }, signal, agent: false },
      resolve,
    );
    sent.on('error', reject);
    sent.end(body);
  });

/** Reads a response of any size, in chunks as they arrive. */
export async function downloadFrom(url: string, call: Call, to: (chunk: Buffer) => Promise<void>): Promise<void> {
  const target = targetOf(url, call);
  const stall = new AbortController();
  const watch = (): NodeJS.Timeout => setTimeout(() => stall.abort(), STALL_MS);
  let timer = watch();
  try {
    const response = await request(target, { method: call.method, headers: call.headers ?? {} }, stall.signal);
    const status = response.statusCode ?? 0;
    if (status !== 200) throw refusal(url, { status, cookies: [], body: await readBody(url, response) });
    for await (const chunk of response as AsyncIterable<Buffer>) {
      // The reader of the output may be slow.
      clearTimeout(timer);
      await to(chunk);
      timer = watch();
    }
  } catch (error) {
    if (stall.signal.aborted) throw tooSlow(`${url} sent no data for ${STALL_MS / 1000} seconds.`);
    throw error instanceof Failure || error instanceof Refused ? error : transportFailure(url, error);
  } finally {
    clearTimeout(timer);
  }
}

async function readBody(url: string, response: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw notParley(url, response.statusCode ?? 0);
    chunks.push(chunk);
  }
  if (size === 0) return null;
  try {
    return JSON.parse(Buffer.concat(chunks).toString()) as unknown;
  } catch {
    throw notParley(url, response.statusCode ?? 0);
  }
}

const notParley = (url: string, status: number): Failure =>
  new Failure(
    'server_not_parley',
    `The response from ${url} is not from Parley (status ${status}, not JSON). Check PARLEY_URL, and any proxy in between.`,
  );

function transportFailure(url: string, error: unknown): Failure {
  if (isTimeout(error)) {
    return tooSlow(`${url} did not answer within ${TIMEOUT_MS / 1000} seconds.`);
  }
  const reason = reasonOf(error);
  if (reason === 'ECONNREFUSED') {
    return new Failure(
      'server_unreachable',
      `Parley does not respond at ${url}: start it with npm start, or set PARLEY_URL.`,
    );
  }
  return new Failure(
    'server_unreachable',
    `${url} cannot be reached (${reason}): check PARLEY_URL and the network; it is not known whether a change took effect.`,
    { cause: error },
  );
}

const tooSlow = (message: string): Failure => new Failure('server_too_slow', message);

const isTimeout = (error: unknown): boolean =>
  error instanceof Error && (error.cause as Error | undefined)?.name === 'TimeoutError';

/** Returns the system's error code of the innermost cause. */
function reasonOf(error: unknown): string {
  let reason = 'unknown fault';
  let at: unknown = error;
  for (let depth = 0; at instanceof Error && depth < 5; depth++) {
    const { code } = at as { code?: unknown };
    if (typeof code === 'string') reason = code;
    // If several addresses of one host failed, the first error is used.
    at = at instanceof AggregateError ? at.errors[0] : at.cause;
  }
  return reason;
}

function refusal(url: string, answer: Answer): Error {
  const problem = answer.body as Partial<ProblemBody> | null;
  if (typeof problem !== 'object' || problem === null || typeof problem.code !== 'string') {
    return notParley(url, answer.status);
  }
  const faults = (problem.errors ?? []).map((fault) => `${fault.pointer || '/'}: ${fault.detail}`);
  const sentence = [problem.detail ?? problem.title ?? `The server returned ${answer.status}.`, ...faults].join('\n');
  // The request ID finds a server error in the server's log.
  const trace = answer.status >= 500 && problem.request_id ? ` (${problem.request_id})` : '';
  return new Refused(problem.code, answer.status, sentence + trace);
}
