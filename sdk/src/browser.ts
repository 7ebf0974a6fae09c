import { readEvents } from './read-events.ts';
import type { AcceptedRun, Message, Run, TriggerCall } from './wire.ts';

/**
 * A conversation of a web page with an agent uses a client token instead of an API key (docs/client-tokens.md). The
 * package for pages is apart from the client library, so that a page loads only what it needs.
 */
export type { Message } from './wire.ts';

/** After this time without data, the connection counts as lost. */
const IDLE_MS = 45_000;
/**
 * The time limit of a call, and of a stream until it opens. Without this limit, a dead connection would delay all later
 * messages.
 */
const ANSWER_MS = 20_000;

export type ConnectOptions = {
  baseUrl: string;
  agent: string;
  trigger: string;
  /**
   * Returns a client token from your backend. The chat calls `getToken` before the first call, and when a token has
   * expired.
   */
  getToken: () => Promise<string>;
  /** The ID of an earlier conversation, which continues. */
  conversation?: string | undefined;
  variables?: TriggerCall['variables'];
  metadata?: TriggerCall['metadata'];
  /** Replaces the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
};

export type ChatState = {
  /** The messages of the conversation, oldest first. */
  readonly messages: readonly Message[];
  /** The beginning of the message that the agent writes now. */
  readonly writing: string;
  /** The value `waiting` means that the agent has not answered yet. */
  readonly status: 'ready' | 'waiting';
  /** Store this ID to continue the conversation later. The ID is null before the conversation has started. */
  readonly conversationId: string | null;
  /** The reason why the last call failed. The next call clears this reason. */
  readonly error: ChatError | null;
};

export class ChatError extends Error {
  readonly code: string;
  readonly status: number;
  constructor(code: string, detail: string, status: number) {
    super(detail);
    this.name = 'ChatError';
    this.code = code;
    this.status = status;
  }
}

export type Chat = {
  readonly state: ChatState;
  /** Calls the given function after each change. Returns a function that stops the calls of `listener`. */
  subscribe(listener: (state: ChatState) => void): () => void;
  /** The promise resolves when the message is stored. The promise rejects with a `ChatError`. */
  send(text: string): Promise<void>;
  /** Starts a conversation in which the agent writes first. */
  start(): Promise<void>;
  /** Reads the conversation again, and continues its stream. A page needs `open` only after `close`. */
  open(): void;
  close(): void;
};

type Init = Omit<RequestInit, 'headers'> & { headers?: Record<string, string> };

const TRIES = 5;
const FIRST_PAUSE_MS = 400;
const LONGEST_PAUSE_MS = 15_000;
const ENDED = new Set<Run['status']>(['completed', 'failed', 'skipped', 'cancelled']);
const WAITS = new Set<Run['status']>(['queued', 'scheduled', 'running']);
/** Refusals with the listed status codes are temporary. */
const PASSING = new Set([0, 408, 429, 502, 503, 504]);

export function connect(options: ConnectOptions): Chat {
  const { getToken, variables, metadata, fetch: send = globalThis.fetch } = options;
  const base = `${options.baseUrl.replace(/\/+$/, '')}/api/triggers/${options.agent}/${options.trigger}`;
  const listeners = new Set<(state: ChatState) => void>();
  let state: ChatState = {
    messages: [],
    writing: '',
    status: 'ready',
    conversationId: options.conversation ?? null,
    error: null,
  };
  let token: Promise<string> | null = null;
  let runId: string | null = null;
  /** Ends the streams when the page closes the chat. */
  let following = new AbortController();
  /** The number of the stream of the latest run. */
  let latest = 0;
  let isOpen = false;
  let closes = 0;
  /** The latest call that sends a message. Two calls at a time would start two conversations. */
  let sending: Promise<unknown> = Promise.resolve();
  let sends = 0;
  let isAnswerDue = false;
  /** A call without a response, which the server may have stored. */
  let unsure: { body: string; key: string } | null = null;

  const set = (change: Partial<ChatState>): void => {
    state = { ...state, ...change };
    if (change.status === 'ready') isAnswerDue = false;
    for (const listener of listeners) listener(state);
  };

  const add = (message: Message, isLatest: boolean): void => {
    if (state.messages.some(({ id }) => id === message.id)) return;
    // The messages are in the order of arrival, because the clock of the page may be wrong.
    const messages = [...state.messages, message];
    set({ messages, ...(isLatest && message.role !== 'end_user' && { writing: '', status: 'ready' }) });
  };

  /** A failed request for a token is repeated by the next call. */
  const tokenOf = (used: Promise<string>): Promise<string> =>
    used.catch((error: unknown) => {
      if (token === used) token = null;
      throw new ChatError('token_missing', error instanceof Error ? error.message : 'There is no client token.', 0);
    });

  /** Makes one call, and replaces an expired token once. */
  async function call(path: string, { headers, ...init }: Init): Promise<Response> {
    for (let renewed = false; ; renewed = true) {
      token ??= getToken();
      const used = token;
      const authorization = `Bearer ${await tokenOf(used)}`;
      let answer: Response;
      try {
        const { signal = AbortSignal.timeout(ANSWER_MS) } = init;
        answer = await send(base + path, { ...init, signal, headers: { ...headers, authorization } });
      } catch (error) {
        throw new ChatError('connection_failed', error instanceof Error ? error.message : 'No response.', 0);
      }
      if (answer.ok) return answer;
      const problem = (await answer.json().catch(() => ({}))) as { code?: string; detail?: string };
      const { code = 'response_invalid', detail = '' } = problem;
      if (answer.status !== 401 || renewed) throw new ChatError(code, detail, answer.status);
      if (token === used) token = null;
    }
  }

  function post(message: string | undefined): Promise<void> {
    sends++;
    const shown = message === undefined ? [] : [ownMessage(message)];
    set({ status: 'waiting', error: null, messages: [...state.messages, ...shown] });
    const before = closes;
    const sent = sending.then(() => deliver(message, shown, before));
    sending = sent.catch(() => {});
    return sent;
  }

  /** Stores the message. `before`: how often the chat was closed before the call. */
  async function deliver(message: string | undefined, shown: readonly Message[], before: number): Promise<void> {
    set({ status: 'waiting' });
    const { conversationId } = state;
    try {
      const run = await accept(message).catch((error: unknown) => {
        if (conversationId === null || !(error instanceof ChatError) || error.code !== NOT_FOUND) throw error;
        // The conversation is of another person, or of an API key that was replaced.
        set({ conversationId: null });
        return accept(message);
      });
      set({ conversationId: run.conversation_id });
      runId = run.id;
      isAnswerDue = true;
      // The page may have closed the chat while the call was in progress.
      if (closes !== before && !isOpen) return;
      isOpen = true;
      void follow(run.id);
    } catch (error) {
      const messages = state.messages.filter((each) => !shown.includes(each));
      set({ messages, status: isAnswerDue ? 'waiting' : 'ready', error: error as ChatError });
      throw error;
    }
  }

  async function accept(message: string | undefined): Promise<AcceptedRun> {
    const request: TriggerCall = {
      ...(message !== undefined && { message }),
      ...(variables && { variables }),
      ...(metadata && { metadata }),
      ...(state.conversationId !== null && { conversation: { id: state.conversationId } }),
    };
    const body = JSON.stringify(request);
    // Each attempt has the same key, so that a repeated call has no second effect. The person repeats a message too.
    const key = unsure?.body === body ? unsure.key : crypto.randomUUID();
    const headers = { 'content-type': 'application/json', 'idempotency-key': key };
    unsure = null;
    try {
      return await retry(async () => bodyOf(await call('', { method: 'POST', headers, body })));
    } catch (error) {
      if (error instanceof ChatError && mayPass(error)) unsure = { body, key };
      throw error;
    }
  }

  /**
   * Follows the run until it has ended, and connects again when the stream breaks. A later call ends the run, so the
   * stream of an earlier run only brings the messages that are still on their way.
   */
  async function follow(run: string): Promise<void> {
    const own = ++latest;
    const { signal } = following;
    let last: string | null = null;
    for (let broken = 0; !signal.aborted && own === latest; broken++) {
      const end = new AbortController();
      const abort = (): void => end.abort();
      const limit = setTimeout(abort, ANSWER_MS);
      signal.addEventListener('abort', abort);
      try {
        const headers: Record<string, string> = { accept: 'text/event-stream' };
        if (last !== null) headers['last-event-id'] = last;
        const stream: Response = await retry(
          () => call(`/runs/${run}/events`, { headers, signal: end.signal }),
          end.signal,
        );
        clearTimeout(limit);
        // The stream sends the unfinished message again, if there is one.
        if (state.writing !== '' && !signal.aborted && own === latest) set({ writing: '' });
        for await (const { event, id, data: text } of readEvents(stream, IDLE_MS)) {
          if (signal.aborted) return;
          const data = JSON.parse(text) as unknown;
          broken = 0;
          if (id !== '') last = id;
          if (event === 'message') add(data as Message, own === latest);
          if (event === 'run' && ENDED.has((data as Run).status) && own !== latest) return;
          if (own !== latest) continue;
          if (event === 'delta') set({ writing: state.writing + (data as { text: string }).text });
          if (event === 'replace') set({ writing: (data as { text: string }).text });
          if (event !== 'run') continue;
          const { status } = data as Run;
          if (!WAITS.has(status)) set({ status: 'ready', writing: '' });
          if (ENDED.has(status)) return;
        }
      } catch (error) {
        if (signal.aborted || own !== latest) return;
        if (!(error instanceof ChatError) || !PASSING.has(error.status)) {
          set({ status: 'ready', writing: '', error: error as ChatError });
          return;
        }
      } finally {
        clearTimeout(limit);
        signal.removeEventListener('abort', abort);
      }
      await pause(broken + 1, signal);
    }
  }

  async function readHistory(): Promise<void> {
    let id: string | null = null;
    try {
      let data: readonly Message[];
      let before: number;
      // A message that is sent during the read may be absent from the page, so the page is read again.
      do {
        await sending;
        before = sends;
        id = state.conversationId;
        if (id === null) return;
        const path = `/conversations/${id}/messages?limit=100`;
        ({ data } = await retry(async () => bodyOf<{ data: Message[] }>(await call(path, {}))));
      } while (before !== sends);
      const own = state.messages.filter(({ id }) => data.every((each) => each.id !== id) && !id.startsWith(OWN));
      // The list of the server has the newest message first.
      set({ messages: [...data.map((_, at) => data[data.length - 1 - at]!), ...own] });
    } catch (error) {
      // The next message starts another conversation.
      if ((error as ChatError).code !== NOT_FOUND) set({ error: error as ChatError });
      else if (state.conversationId === id) set({ conversationId: null });
    }
  }

  const open = (): void => {
    if (isOpen) return;
    isOpen = true;
    void readHistory();
    if (runId !== null) void follow(runId);
  };
  if (state.conversationId !== null) open();
  return {
    get state() {
      return state;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    send: post,
    start: () => post(undefined),
    open,
    close: () => {
      closes++;
      isOpen = false;
      following.abort();
      following = new AbortController();
    },
  };
}

const OWN = 'own_';
const NOT_FOUND = 'conversation_not_found';

/** A call is repeated while its first attempt is in progress, because the response of the first attempt was lost. */
const mayPass = ({ status, code }: ChatError): boolean => PASSING.has(status) || code === 'idempotency_in_progress';

const bodyOf = <T = AcceptedRun>(answer: Response): Promise<T> =>
  answer.json().catch(() => {
    throw new ChatError('connection_failed', 'The response is not complete.', 0);
  }) as Promise<T>;

const ownMessage = (text: string): Message => ({
  id: OWN + crypto.randomUUID(),
  role: 'end_user',
  content: { type: 'text', text },
  sources: [],
  created_at: new Date().toISOString(),
});

const pause = (tries: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const ms = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (tries - 1)) * (0.5 + Math.random() / 2);
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });

/** Repeats the work as long as a retry can help. */
async function retry<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (signal?.aborted || tries >= TRIES || !(error instanceof ChatError) || !mayPass(error)) throw error;
      await pause(tries, signal);
    }
  }
}
