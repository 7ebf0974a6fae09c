import type { ChatMessage } from '../../contract/chat.ts';
import { CallError, type Client } from './client.ts';

export type ConnectionState = 'idle' | 'connecting' | 'online' | 'offline' | 'closed';

export type ConnectionListener = {
  /**
   * The stream has started or lost its position, so all messages must be read again. The promise rejects if the
   * messages cannot be read.
   */
  onReady(): Promise<void>;
  onMessages(messages: ChatMessage[]): void;
  /** The unfinished text of the agent, which is the next part, or the whole text if `replaces` is true. */
  onWords(text: string, replaces: boolean): void;
  onState(state: ConnectionState): void;
};

/** If the first byte of a stream does not arrive in this time, a proxy is probably buffering the stream. */
const FIRST_BYTE_MS = 6_000;
/** The server writes to a stream at least every 15 s. A longer silence means that the connection is lost. */
const SILENCE_MS = 40_000;
const POLL_MS = 3_000;
/** After the widget has polled for this time, it tries the stream again. */
const POLL_FOR_MS = 60_000;
/** A stream that lasts for this time causes fewer requests than polling, so the next pause is short again. */
const STABLE_MS = 6_000;
const MAX_WAIT_MS = 30_000;

/** Prints a message for the owner of the site to the browser console. */
const notAllowed = (origin: string): string =>
  `Parley: the chat is not allowed on this site. Add ${origin} to the allowed sites of the channel.`;

/**
 * Receives new messages through a stream. The connection uses fetch, because EventSource cannot send a header and a
 * token must not be part of a URL. If streams do not work, the connection polls. The connection runs from `start` to
 * `stop` and reconnects automatically.
 */
export function createConnection(client: Client, listener: ConnectionListener) {
  let run: AbortController | null = null;
  let wake: (() => void) | undefined;

  async function loop(signal: AbortSignal): Promise<void> {
    let failures = 0;
    let pollUntil = 0;
    // If the server has accepted this site, a later failure means a bad connection.
    let isAccepted = false;
    let readyAt = Infinity;
    const onReady = async (): Promise<void> => {
      await listener.onReady();
      isAccepted = true;
      readyAt = Date.now();
    };
    const nextWait = (): number => {
      if (Date.now() - readyAt >= STABLE_MS) failures = 0;
      readyAt = Infinity;
      return jitter(Math.min(MAX_WAIT_MS, 1_000 * 2 ** failures++));
    };
    listener.onState('connecting');
    while (!signal.aborted) {
      try {
        if (Date.now() < pollUntil) {
          await onReady();
          listener.onState('online');
          failures = 0;
          await pause(POLL_MS, signal);
        } else if (await follow(client, { ...listener, onReady }, signal)) await pause(nextWait(), signal);
        else pollUntil = Date.now() + POLL_FOR_MS;
      } catch (error) {
        if (signal.aborted) return;
        const { status, waitMs } = error instanceof CallError ? error : new CallError(0);
        // The visitor has too many streams, but other calls may succeed.
        if (status === 429 && pollUntil < Date.now()) pollUntil = Date.now() + POLL_FOR_MS;
        const isSiteRefused = status === 0 && !isAccepted && (await client.isServerThere());
        // oxlint-disable-next-line eslint/no-console -- the page has no other place for its owner
        if (isSiteRefused) console.warn(notAllowed(location.origin));
        const isClosed = isSiteRefused || status === 403 || status === 404 || status === 409;
        listener.onState(isClosed ? 'closed' : 'offline');
        await pause(Math.max(isClosed ? jitter(MAX_WAIT_MS) : nextWait(), waitMs), signal);
      }
    }
  }

  const pause = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener('abort', done);
      wake = done;
    });

  const start = (): void => {
    if (run) return;
    run = new AbortController();
    void loop(run.signal);
  };
  const end = (): void => {
    run?.abort();
    run = null;
  };

  return {
    start,
    stop: () => {
      end();
      listener.onState('idle');
    },
    /** Another page has replaced the token, so a running connection continues with the new token. */
    restart: () => {
      if (!run) return;
      end();
      start();
    },
    /** The browser is online again, so the pause can end. */
    hurry: () => wake?.(),
    /** The browser is offline, so open requests cannot finish. */
    cut: () => {
      if (!run) return;
      end();
      listener.onState('offline');
    },
  };
}

/** A random part of a pause prevents many visitors from connecting together. */
const jitter = (ms: number): number => ms * (0.5 + Math.random() / 2);

/** The promise resolves with true if the stream ran and ended. The result is false if no data arrived. */
async function follow(client: Client, listener: ConnectionListener, outer: AbortSignal): Promise<boolean> {
  const own = new AbortController();
  const cut = (): void => own.abort();
  outer.addEventListener('abort', cut);
  let heard = false;
  let timer = setTimeout(cut, FIRST_BYTE_MS);
  try {
    const { body } = await client.events(own.signal);
    if (!body) return false;
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return heard;
      heard = true;
      clearTimeout(timer);
      timer = setTimeout(cut, SILENCE_MS);
      const parts = (rest + value).split('\n\n');
      rest = parts.pop()!;
      for (const part of parts) await take(listener, part);
    }
  } catch (error) {
    if (own.signal.aborted && !outer.aborted) {
      if (heard) throw new CallError(0);
      return false;
    }
    throw error;
  } finally {
    clearTimeout(timer);
    own.abort();
    outer.removeEventListener('abort', cut);
  }
}

async function take(listener: ConnectionListener, part: string): Promise<void> {
  const event = /^event: (.*)$/m.exec(part)?.[1];
  const data = /^data: (.*)$/m.exec(part)?.[1];
  if (event === 'ready') {
    await listener.onReady();
    listener.onState('online');
  } else if (event === 'messages' && data !== undefined) {
    listener.onMessages((JSON.parse(data) as { data: ChatMessage[] }).data);
  } else if ((event === 'delta' || event === 'replace') && data !== undefined) {
    listener.onWords((JSON.parse(data) as { text: string }).text, event === 'replace');
  }
}
