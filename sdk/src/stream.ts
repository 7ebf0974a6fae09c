import { ParleyError } from './errors.ts';
import { IDLE_MS, sleep, type CallOptions } from './transport.ts';
import type { Message, Run } from './wire.ts';

export type RunEvent =
  | { event: 'run'; data: Run }
  | { event: 'delta'; data: { text: string } }
  | { event: 'replace'; data: { text: string } }
  | { event: 'message'; id: string; data: Message };

type Raw = { event: string; id: string; data: string };

export const HAS_ENDED = new Set(['completed', 'failed', 'skipped', 'cancelled']);
const RESUMES = 8;
const PAUSE_MS = 250;

type Open = (lastEventId: string | null, signal: AbortSignal) => Promise<Response>;

/**
 * The events of a run. A connection that breaks is opened again with the id of the last message, so no message comes
 * twice and none is lost; words that were being written come again as one `replace`.
 */
export async function* follow(
  open: Open,
  { signal }: CallOptions,
  /** Ends with the agent's answer (a call that starts a run), or with the run. */
  until: 'answer' | 'end',
  after: string | null = null,
): AsyncGenerator<RunEvent, void, void> {
  let last = after;
  let broken = 0;
  for (;;) {
    const end = new AbortController();
    const abort = (): void => end.abort(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    let fault: unknown = null;
    try {
      if (signal?.aborted) abort();
      const response = await open(last, end.signal);
      for await (const raw of parse(response, () => end.abort())) {
        const event = { event: raw.event, data: JSON.parse(raw.data) as unknown } as RunEvent;
        if (event.event === 'message') event.id = raw.id;
        if (raw.id !== '') last = raw.id;
        broken = 0;
        yield event;
        if (event.event === 'run' && isDone(event.data.status, until)) return;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof ParleyError) throw error;
      fault = error;
    } finally {
      signal?.removeEventListener('abort', abort);
      end.abort();
    }
    if (++broken > RESUMES)
      throw new ParleyError({ code: 'connection_failed', detail: 'The stream breaks again and again.', cause: fault });
    await sleep(PAUSE_MS * broken * (0.5 + Math.random() / 2), signal);
  }
}

const isDone = (status: Run['status'], until: 'answer' | 'end'): boolean =>
  HAS_ENDED.has(status) || (until === 'answer' && !['queued', 'running'].includes(status));

/** Server-sent events. The server writes at least every 15 seconds; silence is a connection that is gone. */
async function* parse(response: Response, giveUp: () => void): AsyncGenerator<Raw, void, void> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    await response.body?.cancel();
    return;
  }
  const reader = response.body!.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let timer = setTimeout(giveUp, IDLE_MS);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      clearTimeout(timer);
      if (done) return;
      timer = setTimeout(giveUp, IDLE_MS);
      text += decoder.decode(value, { stream: true });
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
