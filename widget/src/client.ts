import { cutText } from '../../contract/cut-text.ts';
import type { ChatMessages, ChatSession, OpenChatSession, RateChat, SentChatMessage } from '../../contract/chat.ts';
import type { StateBox, Waiting } from './stored-state.ts';

/** The error of a failed request. The value 0 of `status` means that no response came. */
export class CallError extends Error {
  readonly status: number;
  readonly waitMs: number;
  constructor(status: number, waitMs = 0) {
    super(`The chat server answers ${status}`);
    this.status = status;
    this.waitMs = waitMs;
  }
}

const ANSWER_MS = 20_000;
/** The time limit is long enough for the largest file on a slow connection. */
const FILE_MS = 180_000;
const DAY_MS = 86_400_000;
/** A new token counts as valid for at least this time. */
const SHORTEST_MS = 3_600_000;

/**
 * The client makes the HTTP calls of the chat. Tokens are sent only in a header, because logs and histories contain
 * URLs.
 */
export function createClient(base: string, stored: StateBox, person: OpenChatSession) {
  let opening: Promise<string> | null = null;
  /** The token of the latest stream. */
  let followed: string | undefined;

  /** Returns a valid token. The function opens or renews a session if necessary. */
  function token(): Promise<string> {
    const { token: known, until = 0, renew = 0 } = stored.read();
    if (known && until > Date.now() + 60_000 && renew > Date.now()) return Promise.resolve(known);
    opening ??= open().finally(() => {
      opening = null;
    });
    return opening;
  }

  async function open(): Promise<string> {
    const { token: known } = stored.read();
    const answer = await send('/sessions', 'POST', known, person);
    const session = (await answer.json()) as ChatSession;
    // Another page of this visitor opened a session at the same time, and all pages use the session that is stored.
    const { token: other } = stored.read();
    if (other !== undefined && other !== known) return other;
    // If the clock of the visitor is fast, a new token would count as expired, and each call would open a session.
    const until = Math.max(Date.parse(session.expires_at), Date.now() + SHORTEST_MS);
    stored.change((now) => {
      now.token = session.token;
      now.until = until;
      now.renew = Date.now() + Math.min(DAY_MS, (until - Date.now()) / 2);
    });
    return session.token;
  }

  const send = (
    path: string,
    method: string,
    bearer?: string,
    body?: unknown,
    signal?: AbortSignal,
  ): Promise<Response> => callServer(base + path, method, bearer, body, signal);

  /** If the server refuses a token, the call is repeated once with a new token. */
  async function withToken<T>(work: (bearer: string) => Promise<T>): Promise<T> {
    const used = await token();
    try {
      return await work(used);
    } catch (error) {
      if (!(error instanceof CallError) || error.status !== 401) throw error;
      stored.change((now) => {
        if (now.token === used) delete now.token;
      });
      return work(await token());
    }
  }

  const call = (path: string, method = 'GET', body?: unknown, signal?: AbortSignal): Promise<Response> =>
    withToken((bearer) => send(path, method, bearer, body, signal));

  return {
    isServerThere: () => isServerThere(base),
    history: async (before?: string) =>
      (await (await call(`/messages${before ? `?before=${before}` : ''}`)).json()) as ChatMessages,
    say: async ({ client_id, text }: Waiting) =>
      (await (await call('/messages', 'POST', { client_id, text })).json()) as SentChatMessage,
    sendFile: async (client_id: string, file: File, onProgress: (sent: number) => void) => {
      const query = new URLSearchParams({ client_id, name: cutText(file.name, 255) || 'file' });
      const path = `/files?${query.toString()}`;
      return JSON.parse(await withToken((used) => upload(base + path, used, file, onProgress))) as SentChatMessage;
    },
    rate: (rated: RateChat) => call('/ratings', 'POST', rated),
    markRead: (message_id: string) => call('/read', 'POST', { message_id }),
    events: (signal: AbortSignal) =>
      withToken((bearer) => {
        followed = bearer;
        return send('/events', 'GET', bearer, undefined, signal);
      }),
    /** True if another page has replaced the token of the latest stream. */
    isReplaced: () => followed !== undefined && followed !== stored.read().token,
  };
}

async function callServer(
  url: string,
  method: string,
  bearer: string | undefined,
  body?: unknown,
  signal: AbortSignal = AbortSignal.timeout(ANSWER_MS),
): Promise<Response> {
  let answer: Response;
  try {
    // oxlint-disable-next-line parley/guarded-fetch -- in a browser; the address is the script's own
    answer = await fetch(url, {
      method,
      signal,
      cache: 'no-store',
      credentials: 'omit',
      headers: {
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  } catch {
    throw new CallError(0);
  }
  if (answer.ok) return answer;
  throw new CallError(answer.status, Number(answer.headers.get('retry-after') ?? 0) * 1_000);
}

/** `fetch` does not report how much of a body is sent, so a file is sent by an older interface of the browser. */
function upload(url: string, bearer: string, file: File, onProgress: (sent: number) => void): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const fail = (): void => reject(new CallError(0));
    request.open('POST', url);
    request.timeout = FILE_MS;
    request.setRequestHeader('authorization', `Bearer ${bearer}`);
    request.setRequestHeader('content-type', 'application/octet-stream');
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0));
    for (const event of ['error', 'abort', 'timeout']) request.addEventListener(event, fail);
    request.addEventListener('load', () => {
      const { status, responseText } = request;
      if (status >= 200 && status < 300) return resolve(responseText);
      reject(new CallError(status, Number(request.getResponseHeader('retry-after') ?? 0) * 1_000));
    });
    request.send(file);
  });
}

/**
 * A browser hides the reason why CORS refused a request. A request without CORS still shows whether the server is
 * reachable.
 */
const isServerThere = (base: string): Promise<boolean> =>
  // oxlint-disable-next-line parley/guarded-fetch -- in a browser; the address is the script's own
  fetch(`${base}/widget.js`, { method: 'HEAD', mode: 'no-cors', cache: 'no-store', credentials: 'omit' }).then(
    () => true,
    () => false,
  );

export type Client = ReturnType<typeof createClient>;
