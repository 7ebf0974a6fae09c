import { randomUUID } from 'node:crypto';
import type { TraceSettings } from '../config/traces.ts';
import type { Logger } from '../kernel/log.ts';
import { createSpanExport, type SpanExportOptions } from '../kernel/traces/export-spans.ts';
import { createTracer, type Tracer } from '../kernel/traces/tracer.ts';

/** The module for traces is loaded on demand, because most installations use no traces (docs/traces.md). */
export function openTraces(
  { url, headers, resource, ratio, followsParent, content, everyMs }: TraceSettings,
  {
    log,
    labels: { version, role, region },
    onSpans,
  }: {
    log: Logger;
    labels: Record<'version' | 'role' | 'region', string>;
    onSpans: NonNullable<SpanExportOptions['onSpans']>;
  },
): { tracer: Tracer; stop(): Promise<void> } {
  const spans = createSpanExport({
    to: { url, headers },
    resource: {
      ...resource,
      'service.version': version,
      'service.instance.id': randomUUID(),
      'parley.role': role,
      'parley.region': region,
    },
    version,
    log,
    onSpans,
    everyMs,
  });
  const tracer = createTracer({ ratio, followsParent, content, onEnd: (span) => spans.add(span) });
  return { tracer, stop: () => spans.stop() };
}
