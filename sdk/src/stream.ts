import { ParleyError } from './errors.ts';
import { sleep } from './timers.ts';
import type { CallOptions } from './transport.ts';
import type { Message, Run } from './wire.ts';

export type RunEvent =
  | { event: 'run'; data: Run }
  | { event: 'delta'; data: { text: string } }
  | { event: 'replace'; data: { text: string } }
  | { event: 'message'; id: string; data: Message };

type Raw = { event: string; id: string; data: string };

const IDLE_MS = 60_000;
const RESUMES = 8;
const PAUSE_MS = 250;

type Open = (lastEventId: string | null, signal: AbortSignal) => Promise<Response>;
/** Reads the rest of the run by polling. */
type Poll = (lastEventId: string | null) => AsyncGenerator<RunEvent, void, void>;

/**
 * The events of a run. A broken connection is opened again with the ID of the last message, so each message arrives
 * exactly once. The unfinished message arrives again as one `replace`. If the server has no free stream, `poll`
 * continues.
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
  for (;;) {
    const end = new AbortController();
    const abort = (): void => end.abort(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      if (signal?.aborted) abort();
      // An error of `open` is final, because `open` makes its own retries.
      const response = await open(last, end.signal);
      if (!isStream(response)) {
        await response.body?.cancel();
        return yield* poll(last);
      }
      for await (const raw of parse(response, () => end.abort())) {
        const event = { event: raw.event, data: JSON.parse(raw.data) as unknown } as RunEvent;
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

const isStream = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('text/event-stream') === true;

/** Server-sent events. The server writes at least every 15 seconds: after a longer silence the connection is lost. */
async function* parse(response: Response, giveUp: () => void): AsyncGenerator<Raw, void, void> {
  const reader = response.body!.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let timer = setTimeout(giveUp, IDLE_MS);
  try {
    for (;;) {
      // A broken connection ends this stream: `follow` opens the next one.
      const chunk = await reader.read().catch(() => null);
      clearTimeout(timer);
      if (!chunk || chunk.done) return;
      timer = setTimeout(giveUp, IDLE_MS);
      text += decoder.decode(chunk.value, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop()!;
      for (const block of blocks) {
        const raw = fieldsOf(block);
        if (raw.data !== '') yield raw;
      }
    }
  } finally {
    clearTimeout(timer);
    await reader.cancel().catch(() => {});
  }
}

function fieldsOf(block: string): Raw {
  const raw: Raw = { event: 'message', id: '', data: '' };
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon);
    if (name === 'event' || name === 'id') raw[name] = line.slice(colon + 1).trim();
    if (name === 'data') raw.data += line.slice(colon + 1).trim();
  }
  return raw;
}
