import { loadTraces } from '../config/traces.ts';
import { trySpanExport } from '../kernel/traces/export-spans.ts';

/** Checks the trace collector of this environment for `./parley doctor`. The check sends no span. */
export async function checkTraces(): Promise<{ status: 'ok' | 'warn' | 'fail'; detail: string; fix?: string }> {
  const { traces, faults } = loadTraces();
  const [fault] = faults;
  if (fault) return { status: 'fail', detail: `${fault.variable} ${fault.fault}.`, fix: fault.fix };
  if (traces === null) return { status: 'ok', detail: 'No collector is set here, so no traces are sent.' };
  const { host } = new URL(traces.url);
  const wrong = await trySpanExport(traces);
  if (wrong === null) return { status: 'ok', detail: `${host} takes traces.` };
  return {
    status: 'warn',
    detail: `${host} does not take traces: ${wrong}. Parley works without it, and drops the spans.`,
    fix: 'Check the OTEL_EXPORTER_OTLP_ variables and the collector: it must accept OTLP over HTTP (port 4318).',
  };
}
