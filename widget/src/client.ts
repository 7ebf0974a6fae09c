import type { ChatMessages, ChatSession, OpenChatSession, SentChatMessage } from '../../contract/chat.ts';
import type { KeptBox, Waiting } from './kept.ts';

/** The server said no. `status` 0: nothing was heard from it. */
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
/** For the largest file on a slow connection. */
const FILE_MS = 180_000;
const DAY_MS = 86_400_000;

/** The calls of the chat. Tokens travel in a header only: an address ends up in logs and histories. */
export function createClient(base: string, kept: KeptBox, person: OpenChatSession) {
  let opening: Promise<string> | null = null;

  /** A token that holds for a while, opened or renewed where there is none. */
  function token(): Promise<string> {
    const { token: known, until = 0, renew = 0 } = kept.read();
    if (known && until > Date.now() + 60_000 && renew > Date.now()) return Promise.resolve(known);
    opening ??= open().finally(() => {
      opening = null;
    });
    return opening;
  }

  async function open(): Promise<string> {
    const { token: known } = kept.read();
    const answer = await send('/sessions', 'POST', known, person);
    const session = (await answer.json()) as ChatSession;
    const until = Date.parse(session.expires_at);
    kept.change((now) => {
      now.token = session.token;
      now.until = until;
      now.renew = Date.now() + Math.min(DAY_MS, (until - Date.now()) / 2);
    });
    return session.token;
  }

  async function send(
    path: string,
    method: string,
    bearer: string | undefined,
    body?: unknown,
    signal: AbortSignal = AbortSignal.timeout(ANSWER_MS),
  ): Promise<Response> {
    let answer: Response;
    try {
      // oxlint-disable-next-line parley/guarded-fetch -- in a browser; the address is the script's own
      answer = await fetch(base + path, {
        method,
        signal,
        cache: 'no-store',
        credentials: 'omit',
        headers: {
          ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
          ...(body !== undefined && {
            'content-type': body instanceof Blob ? 'application/octet-stream' : 'application/json',
          }),
        },
        ...(body !== undefined && { body: body instanceof Blob ? body : JSON.stringify(body) }),
      });
    } catch {
      throw new CallError(0);
    }
    if (answer.ok) return answer;
    throw new CallError(answer.status, Number(answer.headers.get('retry-after') ?? 0) * 1_000);
  }

  /** A token that is not taken any more is given back for a new one, once. */
  async function call(path: string, method = 'GET', body?: unknown, signal?: AbortSignal): Promise<Response> {
    const used = await token();
    try {
      return await send(path, method, used, body, signal);
    } catch (error) {
      if (!(error instanceof CallError) || error.status !== 401) throw error;
      kept.change((now) => {
        if (now.token === used) delete now.token;
      });
      return send(path, method, await token(), body, signal);
    }
  }

  return {
    isServerThere: () => isServerThere(base),
    history: async (before?: string) =>
      (await (await call(`/messages${before ? `?before=${before}` : ''}`)).json()) as ChatMessages,
    say: async ({ client_id, text }: Waiting) =>
      (await (await call('/messages', 'POST', { client_id, text })).json()) as SentChatMessage,
    sendFile: async (client_id: string, file: File) => {
      const query = new URLSearchParams({ client_id, name: file.name.slice(0, 255) || 'file' });
      const sent = await call(`/files?${query.toString()}`, 'POST', file, AbortSignal.timeout(FILE_MS));
      return (await sent.json()) as SentChatMessage;
    },
    markRead: (message_id: string) => call('/read', 'POST', { message_id }),
    events: (signal: AbortSignal) => call('/events', 'GET', undefined, signal),
  };
}

/** Browsers hide why a site is refused. A call without CORS still shows whether the server is there. */
const isServerThere = (base: string): Promise<boolean> =>
  // oxlint-disable-next-line parley/guarded-fetch -- in a browser; the address is the script's own
  fetch(`${base}/widget.js`, { method: 'HEAD', mode: 'no-cors', cache: 'no-store', credentials: 'omit' }).then(
    () => true,
    () => false,
  );

export type Client = ReturnType<typeof createClient>;
