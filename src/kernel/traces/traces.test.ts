import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Collector, startCollector } from '../../../test/fakes/otlp-collector.ts';
import { contentJson } from './content-json.ts';
import { createSpanExport, type SpanExport } from './export-spans.ts';
import { createTracer, type EndedSpan, readTraceparent, type TracerOptions } from './tracer.ts';

const VALID = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

describe('traceparent', () => {
  test('a traceparent is read according to W3C Trace Context', () => {
    const read = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7', sampled: true };
    expect(readTraceparent(VALID)).toEqual(read);
    expect(readTraceparent(VALID.replace(/01$/, '00'))).toEqual({ ...read, sampled: false });
    // A later version may add to it.
    expect(readTraceparent(`cc${VALID.slice(2)}-more`)).toEqual(read);
  });
  test.each([
    '',
    'x',
    `${VALID}-more`,
    `ff${VALID.slice(2)}`,
    VALID.toUpperCase(),
    VALID.replace('4bf92f3577b34da6a3ce929d0e0e4736', '0'.repeat(32)),
    VALID.replace('00f067aa0ba902b7', '0'.repeat(16)),
    `${VALID}, ${VALID}`,
    ` ${VALID}`,
    `cc${VALID.slice(2)}-${'a'.repeat(300)}`,
  ])('an invalid traceparent %j is ignored', (text) => expect(readTraceparent(text)).toBeNull());
});

function traced(options: Partial<TracerOptions> = {}) {
  const ended: EndedSpan[] = [];
  const onEnd = (span: EndedSpan): void => void ended.push(span);
  return { ended, tracer: createTracer({ ratio: 1, followsParent: true, content: false, onEnd, ...options }) };
}

describe('a span', () => {
  test('a span ends only once and contains no content unless it is allowed', () => {
    const { ended, tracer } = traced();
    const span = tracer.span('one', 'internal', { caller: VALID }, { known: 'a', missing: undefined });
    span.content(() => expect.unreachable());
    span.end('broken');
    span.end();
    expect(ended).toMatchObject([{ parentId: '00f067aa0ba902b7', facts: { known: 'a' }, failure: 'broken' }]);
  });
  test('a span contains content if it is allowed, up to a limited length', () => {
    const { ended, tracer } = traced({ content: true });
    const span = tracer.span('one', 'internal', { caller: null });
    span.content(() => ({ said: 'x'.repeat(100_000) }));
    span.end();
    expect(ended[0]!.facts['said']).toHaveLength(8_000);
  });
  test.each([
    [0, true, VALID, true],
    [0, false, VALID, false],
    [0, true, null, false],
    [1, true, VALID.replace(/01$/, '00'), false],
    [1, false, VALID.replace(/01$/, '00'), true],
  ])(
    'with the ratio %d (follows the parent: %j) and the parent %j, a span is recorded: %j',
    (ratio, followsParent, caller, isKept) => {
      const { ended, tracer } = traced({ ratio, followsParent });
      const span = tracer.span('one', 'server', { caller });
      span.child('two', 'internal').end();
      span.end();
      expect(ended).toHaveLength(isKept ? 2 : 0);
    },
  );
  test('a trace of our own is recorded like its first span, whatever the sampler', () => {
    const { ended, tracer } = traced({ ratio: 0, followsParent: false });
    tracer.span('run', 'consumer', { ours: VALID }).end();
    expect(ended).toHaveLength(1);
  });
  test('a sampler with a ratio of a tenth records about a tenth of the traces', () => {
    const { ended, tracer } = traced({ ratio: 0.1 });
    for (let n = 0; n < 2_000; n++) tracer.span('one', 'server', { caller: null }).end();
    expect(ended.length).toBeGreaterThan(100);
    expect(ended.length).toBeLessThan(320);
  });
});

test('content stays valid JSON and says that texts were cut or dropped', () => {
  const long = JSON.parse(contentJson([{ role: 'user', parts: [{ type: 'text', content: '"'.repeat(50_000) }] }]));
  expect(long[0].parts[0].content).toMatch(/^"{100,6000}$/);
  expect(contentJson(long).length).toBeLessThanOrEqual(8_000);
  expect(JSON.parse(contentJson(Array(5_000).fill('text')))).toEqual({ omitted: 'too_large' });
  expect(contentJson('shipped')).toBe('"shipped"');
});

describe('the export', () => {
  let collector: Collector;
  const counts = { sent: 0, dropped: 0 };
  const log = { warn: vi.fn<() => void>() };
  beforeEach(async () => {
    Object.assign(counts, { sent: 0, dropped: 0 });
    log.warn.mockClear();
    collector = await startCollector();
  });
  afterEach(() => collector.stop());

  function open(url = collector.url): SpanExport & { many(count: number, facts?: EndedSpan['facts']): void } {
    const { ended, tracer } = traced();
    const spans = createSpanExport({
      to: { url: `${url}/v1/traces`, headers: { 'x-key': 'secret of the collector' } },
      resource: { 'service.name': 'parley' },
      version: '1',
      log,
      onSpans: (outcome, many) => (counts[outcome] += many),
      everyMs: 20,
    });
    return {
      ...spans,
      many: (count, facts = {}) => {
        for (let n = 0; n < count; n++) tracer.span('one', 'internal', { caller: null }, facts).end();
        for (const span of ended.splice(0)) spans.add(span);
      },
    };
  }

  test('spans are sent in batches, with numbers and booleans in the OTLP format', async () => {
    const spans = open();
    spans.many(1_300, { text: 'a\u0000\ud800"', whole: 3, part: 0.5, truth: true, list: ['a', 'b'] });
    await spans.stop();
    expect(collector.faults).toEqual([]);
    expect(collector.spans).toHaveLength(1_300);
    expect(collector.requests).toHaveLength(3);
    expect(collector.spans[0]!.attributes).toEqual({
      text: 'a\u0000\ufffd"',
      whole: 3,
      part: 0.5,
      truth: true,
      list: ['a', 'b'],
    });
    expect(counts).toEqual({ sent: 1_300, dropped: 0 });
  });

  test('text that looks like a credential is removed before the export', async () => {
    const spans = open();
    spans.many(1, { text: 'Authorization: Bearer abcdefghijklmnop1234' });
    await spans.stop();
    expect(collector.requests[0]!.body).not.toContain('abcdefghijklmnop1234');
  });

  test('spans are sent again later if the collector is busy', async () => {
    collector.answer = () => ({ status: 503, headers: { 'retry-after': '0.05' } });
    const spans = open();
    spans.many(3);
    await expect.poll(() => collector.requests.length).toBeGreaterThan(0);
    collector.answer = () => ({ status: 200 });
    await expect.poll(() => collector.spans.length).toBe(3);
    await spans.stop();
    expect(counts).toEqual({ sent: 3, dropped: 0 });
  });

  test('the export uses bounded memory while the collector is unavailable, and counts lost spans', async () => {
    const { url } = collector;
    await collector.stop();
    const spans = open(url);
    spans.many(5_000);
    expect(counts.dropped).toBe(5_000 - 2_048);
    await spans.stop();
    expect(counts).toEqual({ sent: 0, dropped: 5_000 });
    expect(log.warn).toHaveBeenCalledTimes(1);
    expect(JSON.stringify(log.warn.mock.calls)).not.toContain('secret');
    collector = await startCollector();
  });

  test('the memory limit also counts the size of spans', async () => {
    collector.answer = () => 'hang';
    const spans = open();
    spans.many(2_000, Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`f${n}`, 'x'.repeat(500)])));
    expect(counts.dropped).toBeGreaterThan(1_000);
    await spans.stop();
  });

  test('spans that the collector refused are not sent again', async () => {
    collector.answer = () => ({ status: 403 });
    const spans = open();
    spans.many(3);
    await spans.stop();
    expect(collector.requests).toHaveLength(1);
    expect(counts).toEqual({ sent: 0, dropped: 3 });
  });

  // The promise is a time.
  test('a collector that hangs delays a stop by 2 s at most', async () => {
    collector.answer = () => 'hang';
    const spans = open();
    spans.many(3);
    await expect.poll(() => collector.requests.length).toBe(1);
    const began = performance.now();
    await spans.stop();
    expect(performance.now() - began).toBeLessThan(3_000);
    expect(counts.dropped).toBe(3);
  });
});
