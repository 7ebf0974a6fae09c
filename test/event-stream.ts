import { vi } from 'vitest';

/** A listener of server-sent events that stores what it receives. */
export type Listener = {
  status: number;
  events: { event: string; id: string; data: any }[]; // oxlint-disable-line typescript/no-explicit-any
  /** The promise resolves with the next matching event after the previous result of this function. */
  next(isMeant?: (data: any) => boolean): Promise<Listener['events'][number]>; // oxlint-disable-line typescript/no-explicit-any
  /** The promise resolves when the server has ended the stream. */
  ended: Promise<void>;
  close(): void;
};

const WAIT_MS = 15_000;

export async function listen(url: string, headers: Record<string, string>): Promise<Listener> {
  const end = new AbortController();
  const answer = await fetch(url, { headers, signal: end.signal });
  const events: Listener['events'] = [];
  let given = 0;
  const read = async (): Promise<void> => {
    let text = '';
    for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const blocks = text.split('\n\n');
      text = blocks.pop()!;
      for (const block of blocks) {
        const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: ?(.*)/s).slice(0, 2)));
        if ('data' in fields)
          events.push({ event: fields['event'], id: fields['id'] ?? '', data: JSON.parse(fields['data']) });
      }
    }
  };
  const ended = answer.ok ? read().catch(() => {}) : Promise.resolve();
  return {
    status: answer.status,
    events,
    ended,
    next: async (isMeant = () => true) => {
      const found = await vi.waitUntil(
        () => {
          while (given < events.length) {
            const event = events[given++]!;
            if (isMeant(event.data)) return event;
          }
          return undefined;
        },
        { timeout: WAIT_MS, interval: 20 },
      );
      return found;
    },
    close: () => end.abort(),
  };
}
