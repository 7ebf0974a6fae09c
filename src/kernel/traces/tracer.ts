import { randomBytes } from 'node:crypto';

/**
 * Creates spans of the work of this process, in the form of OpenTelemetry. If tracing is off, no tracer exists, so
 * callers use `tracer?.`. A `traceparent` (W3C Trace Context, version 00) continues a trace in another process or at a
 * customer's server. A `traceparent` contains two random numbers and nothing else. Parley does not pass `tracestate`
 * and `baggage` on, because they contain data of other parties.
 */
export type Tracer = {
  span(name: string, kind: SpanKind, from: Origin, facts?: Facts): Span;
};

/** A `traceparent` of a caller, or of another process of Parley. An invalid `traceparent` starts a new trace. */
export type Origin = { caller: string | null | undefined } | { ours: string | null | undefined };

export type Span = {
  readonly traceparent: string;
  child(name: string, kind: SpanKind, facts?: Facts): Span;
  /** Adds attributes with IDs, names, numbers and codes, never with a text of a person, a key or an address. */
  set(facts: Facts): void;
  /**
   * Adds attributes with texts of people. The attributes that `content` adds are left out unless the operator allowed
   * texts.
   */
  content(texts: () => Facts): void;
  /** `failure`: an error code. Only the first call has an effect. */
  end(failure?: string | null): void;
};

/** OTLP defines the numbers of span kinds. */
export const SPAN_KINDS = { internal: 1, server: 2, client: 3, consumer: 5 } as const;
export type SpanKind = keyof typeof SPAN_KINDS;

export type Fact = string | number | boolean | readonly string[];
export type Facts = Readonly<Record<string, Fact | null | undefined>>;

export type EndedSpan = {
  traceId: string;
  spanId: string;
  parentId: string | null;
  name: string;
  kind: SpanKind;
  startedAt: number;
  ms: number;
  facts: Record<string, Fact>;
  failure: string | null;
};

export type Sampling = {
  /** The share of the new traces that is recorded. */
  ratio: number;
  /** True: the decision of a caller who started the trace applies. */
  followsParent: boolean;
};

export type TracerOptions = Sampling & { content: boolean; onEnd(span: EndedSpan): void };

const MAX_FACT_CHARACTERS = 512;
const MAX_CONTENT_CHARACTERS = 8_000;

const cut = (text: string, max: number): string => text.slice(0, max).toWellFormed();

export function createTracer({ ratio, followsParent, content, onEnd }: TracerOptions): Tracer {
  /** The trace ID decides whether a trace is recorded, so all processes decide the same. */
  const isChosen = (traceId: string): boolean => Number.parseInt(traceId.slice(-13), 16) / 2 ** 52 < ratio;

  function begin(name: string, kind: SpanKind, parent: Parent | null, given: Facts): Span {
    const traceId = parent?.traceId ?? randomBytes(16).toString('hex');
    const sampled = parent !== null && (parent.ours || followsParent) ? parent.sampled : isChosen(traceId);
    const spanId = randomBytes(8).toString('hex');
    const startedAt = Date.now();
    const since = performance.now();
    const facts: EndedSpan['facts'] = {};
    let ended = false;
    const keep = (more: Facts, max: number): void => {
      for (const [fact, value] of Object.entries(more))
        if (value !== null && value !== undefined) facts[fact] = typeof value === 'string' ? cut(value, max) : value;
    };
    if (sampled) keep(given, MAX_FACT_CHARACTERS);
    return {
      traceparent: `00-${traceId}-${spanId}-0${Number(sampled)}`,
      child: (next, nextKind, more = {}) => begin(next, nextKind, { traceId, spanId, sampled, ours: true }, more),
      set: (more) => {
        if (sampled) keep(more, MAX_FACT_CHARACTERS);
      },
      content: (texts) => {
        if (sampled && content) keep(texts(), MAX_CONTENT_CHARACTERS);
      },
      end: (failure = null) => {
        if (ended || !sampled) return;
        ended = true;
        const parentId = parent?.spanId ?? null;
        const ms = performance.now() - since;
        onEnd({ traceId, spanId, parentId, name, kind, startedAt, ms, facts, failure });
      },
    };
  }

  return {
    span: (name, kind, from, facts = {}) => {
      const ours = 'ours' in from;
      const parent = readTraceparent(ours ? from.ours : from.caller);
      return begin(name, kind, parent && { ...parent, ours }, facts);
    },
  };
}

type Parent = { traceId: string; spanId: string; sampled: boolean; ours: boolean };

/** A later version of the header may be longer, but its first fields have the same meaning. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const MAX_CHARACTERS = 256;

/** Null: the header is not valid and is ignored. */
export function readTraceparent(text: string | null | undefined): Omit<Parent, 'ours'> | null {
  if (!text || text.length > MAX_CHARACTERS) return null;
  const [, version, traceId, spanId, flags, more] = TRACEPARENT.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || (version === '00' && more !== undefined)) return null;
  return { traceId, spanId, sampled: (Number.parseInt(flags!, 16) & 1) === 1 };
}
