import type { ChatMessage } from '../../contract/chat.ts';
import { CallError, type Client } from './client.ts';
import { type StateBox, MAX_WAITING, type Waiting } from './stored-state.ts';

export type OutboxListener = {
  /** This function is called when the server has stored the message. `answering`: true if an answer is expected. */
  onSent(message: ChatMessage, answering: boolean): void;
  onRefused(): void;
};

/** The shortest pause after a failed call. */
const RETRY_MS = 5_000;

/** Holds the waiting messages, in the order of typing. Waiting messages are stored, so a reload does not lose them. */
export function createOutbox(client: Client, stored: StateBox, { onSent, onRefused }: OutboxListener) {
  let sending = false;
  let retry: ReturnType<typeof setTimeout> | undefined;

  /** Sends the waiting messages one by one, in order. A message that cannot be sent now stays in the queue. */
  async function flush(): Promise<void> {
    if (sending) return;
    sending = true;
    clearTimeout(retry);
    let next: Waiting | undefined;
    try {
      for (;;) {
        next = stored.read().queue.find(({ failed }) => !failed);
        if (!next) break;
        const { client_id: name } = next;
        const { message, answering } = await client.say(next);
        // Failed entries with the same ID have the same text, so they are removed too.
        stored.change((now) => {
          now.queue = now.queue.filter(({ client_id }) => client_id !== name);
        });
        onSent(message, answering);
      }
    } catch (error) {
      refused(error, next?.client_id);
    } finally {
      sending = false;
    }
  }

  function refused(error: unknown, name: string | undefined): void {
    const { status, waitMs } = error instanceof CallError ? error : new CallError(0);
    const isFinal = [400, 413, 415, 422].includes(status);
    if (isFinal) {
      stored.change((now) => {
        // Another page may have sent the message since then, so another message may be the first one.
        const one = now.queue.find(({ client_id }) => client_id === name);
        if (one) one.failed = true;
      });
    }
    onRefused();
    // Sending continues when the connection returns, at the latest after this pause.
    retry = setTimeout(() => void flush(), isFinal ? 0 : Math.max(waitMs, RETRY_MS));
  }

  return {
    flush,
    /** Returns false if too many messages are waiting. */
    put: (text: string): boolean => {
      if (stored.read().queue.length >= MAX_WAITING) return false;
      stored.change((now) => now.queue.push({ client_id: newName(), text, at: Date.now() }));
      return true;
    },
    /** Sends a refused message again. */
    putAgain: (name: string) =>
      stored.change((now) => {
        for (const one of now.queue) if (one.client_id === name) delete one.failed;
      }),
    stop: () => clearTimeout(retry),
  };
}

/** Creates a random UUID. The browser has `crypto.randomUUID` only on https pages. */
export function newName(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
