import type { Logger } from '../log.ts';
import { readRetryAfter } from '../retry-after.ts';
import { requestJson, spanJson } from './otlp.ts';
import type { EndedSpan, Facts } from './tracer.ts';

/**
 * Sends spans to the operator's collector (OTLP over HTTP, in JSON), in batches and in the background, so that no other
 * work waits. If the collector accepts no spans, they wait for the next try as long as the queue has room. When the
 * queue is full, new spans are dropped and counted. The address comes from the environment, so it needs no egress
 * rules.
 */
export type SpanExport = {
  add(span: EndedSpan): void;
  /** Sends the remaining spans, for at most STOP_MS. */
  stop(): Promise<void>;
};

export type SpanExportOptions = {
  to: Place;
  resource: Facts;
  version: string;
  log: Pick<Logger, 'warn'>;
  /** The counts of spans for /metrics. */
  onSpans?(outcome: 'sent' | 'dropped', many: number): void;
  everyMs: number;
};

/** The defaults are those of OpenTelemetry's batch processor. */
const BATCH = 512;
const MAX_WAITING = 2_048;
const MAX_WAITING_CHARACTERS = 8 * 1024 * 1024;
const TIMEOUT_MS = 5_000;
/** The pause after a failed export. The pause doubles with each failure, up to the longest pause. */
const FIRST_PAUSE_MS = 5_000;
const MAX_PAUSE_MS = 60_000;
const STOP_MS = 2_000;

export function createSpanExport(options: SpanExportOptions): SpanExport {
  const { to, resource, version, log, onSpans, everyMs } = options;
  let waiting: string[] = [];
  let characters = 0;
  let sending: Promise<void> | null = null;
  let notBefore = 0;
  let failures = 0;
  const timer = setInterval(() => void flush(), everyMs);
  timer.unref();

  function add(span: EndedSpan): void {
    const json = spanJson(span);
    if (waiting.length >= MAX_WAITING || characters + json.length > MAX_WAITING_CHARACTERS) {
      onSpans?.('dropped', 1);
      return;
    }
    waiting.push(json);
    characters += json.length;
    if (waiting.length >= BATCH) void flush();
  }

  /** Only one request is in progress at a time. */
  function flush(signal = AbortSignal.timeout(TIMEOUT_MS)): Promise<void> {
    if (sending !== null || waiting.length === 0 || performance.now() < notBefore) return sending ?? Promise.resolve();
    sending = send(waiting.slice(0, BATCH), signal).finally(() => (sending = null));
    return sending;
  }

  async function send(batch: string[], signal: AbortSignal): Promise<void> {
    const { outcome, reason, retryAfterMs } = await post(to, requestJson(resource, version, batch), signal);
    if (outcome === 'later') {
      const pause = retryAfterMs ?? Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures);
      notBefore = performance.now() + Math.min(pause, MAX_PAUSE_MS);
      if (failures++ === 0) log.warn({ reason }, 'the collector of traces does not take spans');
      return;
    }
    waiting = waiting.slice(batch.length);
    characters -= batch.reduce((sum, { length }) => sum + length, 0);
    if (outcome === 'sent') failures = 0;
    else if (failures++ === 0) log.warn({ reason }, 'the collector of traces refuses spans');
    onSpans?.(outcome, batch.length);
    if (waiting.length >= BATCH) setImmediate(() => void flush());
  }

  return {
    add,
    stop: async () => {
      clearInterval(timer);
      const until = AbortSignal.timeout(STOP_MS);
      const over = new Promise<void>((resolve) => until.addEventListener('abort', () => resolve()));
      notBefore = 0;
      await Promise.race([emptied(until), over]);
      if (waiting.length > 0) onSpans?.('dropped', waiting.length);
      waiting = [];
      characters = 0;
    },
  };

  async function emptied(until: AbortSignal): Promise<void> {
    await sending;
    // An unavailable collector gets only one more request, because a failure sets the next pause.
    while (waiting.length > 0 && performance.now() >= notBefore && !until.aborted) await flush(until);
  }
}

type Place = { url: string; headers: Readonly<Record<string, string>> };
type Posted = { outcome: 'sent' | 'dropped' | 'later'; reason?: string; retryAfterMs?: number | null };

/** The statuses that the OTLP specification calls retryable. */
const RETRYABLE = new Set([429, 502, 503, 504]);

async function post({ url, headers }: Place, body: string, signal: AbortSignal): Promise<Posted> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'Parley' },
      body,
      redirect: 'manual',
      signal,
    });
    await answer.body?.cancel();
    if (answer.ok) return { outcome: 'sent' };
    const reason = `it returned ${answer.status}`;
    if (!RETRYABLE.has(answer.status)) return { outcome: 'dropped', reason };
    return { outcome: 'later', reason, retryAfterMs: readRetryAfter(answer.headers.get('retry-after')) };
  } catch (error) {
    const { cause, name } = error as Error & { cause?: { code?: string } };
    return { outcome: 'later', reason: name === 'TimeoutError' ? 'it does not answer' : (cause?.code ?? name) };
  }
}

/** Sends an empty request to the collector. Returns the problem with the collector, or null. */
export async function trySpanExport(to: Place): Promise<string | null> {
  const { outcome, reason } = await post(to, '{"resourceSpans":[]}', AbortSignal.timeout(TIMEOUT_MS));
  return outcome === 'sent' ? null : (reason ?? outcome);
}
