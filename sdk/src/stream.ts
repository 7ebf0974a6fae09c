import { ParleyError } from './errors.ts';
import { readEvents } from './read-events.ts';
import { sleep } from './timers.ts';
import type { CallOptions } from './transport.ts';
import type { Message, Run } from './wire.ts';

export type RunEvent =
  | { event: 'run'; data: Run }
  | { event: 'delta'; data: { text: string } }
  | { event: 'replace'; data: { text: string } }
  | { event: 'message'; id: string; data: Message };

const IDLE_MS = 60_000;
const RESUMES = 8;
const PAUSE_MS = 250;

type Open = (lastEventId: string | null, signal: AbortSignal) => Promise<Response>;
/** Reads the rest of the run by polling. */
type Poll = (lastEventId: string | null) => AsyncGenerator<RunEvent, void, void>;

/**
 * Yields the events of a run. The client opens a broken connection again with the ID of the last message, so each
 * message arrives exactly once. The unfinished message arrives again as one `replace`. If the server has no free
 * stream, `poll` continues.
 */
export async function* follow(
  open: Open,
  poll: Poll,
  { signal }: CallOptions,
  isLast: (run: Run) => boolean,
  after: string | null = null,
): AsyncGenerator<RunEvent, void, void> {
  let last = after;
  let broken = 0;
  /** True: the reader has an unfinished message. After a broken connection, its turn may have started again. */
  let isUnfinished = false;
  for (;;) {
    const end = new AbortController();
    const abort = (): void => end.abort(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      if (signal?.aborted) abort();
      // An error of `open` is final, because `open` makes its own retries.
      const response = await open(last, end.signal);
      let isFirst = true;
      if (!isStream(response)) {
        await response.body?.cancel();
        if (isUnfinished) yield NOTHING_WRITTEN;
        return yield* poll(last);
      }
      for await (const raw of readEvents(response, IDLE_MS)) {
        const event = { event: raw.event, data: JSON.parse(raw.data) as unknown } as RunEvent;
        if (isFirst && isUnfinished && event.event !== 'replace') yield NOTHING_WRITTEN;
        if (isFirst || event.event !== 'run') isUnfinished = event.event === 'delta' || event.event === 'replace';
        isFirst = false;
        if (event.event === 'message') event.id = raw.id;
        if (raw.id !== '') last = raw.id;
        broken = 0;
        yield event;
        if (event.event === 'run' && isLast(event.data)) return;
      }
      signal?.throwIfAborted();
    } finally {
      signal?.removeEventListener('abort', abort);
      end.abort();
    }
    if (++broken > RESUMES)
      throw new ParleyError({ code: 'connection_failed', detail: 'The stream breaks again and again.' });
    await sleep(PAUSE_MS * broken * (0.5 + Math.random() / 2), signal);
  }
}

/** Removes the unfinished message. */
const NOTHING_WRITTEN: RunEvent = { event: 'replace', data: { text: '' } };

const isStream = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('text/event-stream') === true;
