import { redact } from '../redact.ts';
import { type EndedSpan, type Fact, type Facts, SPAN_KINDS } from './tracer.ts';

/** Writes spans in the JSON form of OTLP 1.x, with IDs in hex and 64-bit numbers as text. */
export function spanJson({ traceId, spanId, parentId, name, kind, startedAt, ms, facts, failure }: EndedSpan): string {
  const began = BigInt(startedAt) * 1_000_000n;
  const span = {
    traceId,
    spanId,
    ...(parentId !== null && { parentSpanId: parentId }),
    name,
    kind: SPAN_KINDS[kind],
    startTimeUnixNano: `${began}`,
    endTimeUnixNano: `${began + BigInt(Math.round(ms * 1_000_000))}`,
    attributes: attributesOf(failure === null ? facts : { ...facts, 'error.type': failure }),
    ...(failure !== null && { status: { code: STATUS_ERROR } }),
  };
  // Text that looks like a credential is removed, as in a log line.
  return redact(JSON.stringify(span));
}

const STATUS_ERROR = 2;

export const requestJson = (resource: Facts, version: string, spans: readonly string[]): string =>
  `{"resourceSpans":[{"resource":${JSON.stringify({ attributes: attributesOf(resource) })},"scopeSpans":[{"scope":${JSON.stringify(
    { name: 'parley', version },
  )},"spans":[${spans.join(',')}]}]}]}`;

const attributesOf = (facts: Facts) =>
  Object.entries(facts).flatMap(([key, value]) =>
    value === null || value === undefined ? [] : [{ key, value: valueOf(value) }],
  );

function valueOf(value: Fact) {
  if (typeof value === 'object') return { arrayValue: { values: value.map((stringValue) => ({ stringValue })) } };
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isSafeInteger(value) ? { intValue: `${value}` } : { doubleValue: value };
}
