import type { ConfigFault, Environment } from './environment.ts';
import { type Reading, webUrl } from './readers.ts';

/** The destination of spans, from the standard variables of OpenTelemetry. */
export type TraceSettings = {
  url: string;
  /** The headers may contain a secret of the collector. */
  headers: Record<string, string>;
  resource: Record<string, string>;
  /** The recorded share of the traces that begin in Parley, from 0 to 1. */
  ratio: number;
  /** True: a trace that a caller began is recorded if the caller records it. */
  followsParent: boolean;
  /** True: spans may contain texts of people and of tools. */
  content: boolean;
  /** The interval at which spans are sent. */
  everyMs: number;
};

const SAMPLERS = ['always_on', 'always_off', 'traceidratio'];
const JSON_PROTOCOL = 'http/json';

/** Null: tracing is off. If no endpoint is set, variables that another program needs have no effect. */
export function readTraces(env: Environment, faults: ConfigFault[]): TraceSettings | null {
  const of = (name: string): string => env[name]?.trim() ?? '';
  const isOff = /^true$/i.test(of('OTEL_SDK_DISABLED')) || of('OTEL_TRACES_EXPORTER') === 'none';
  const name = of(TRACES_ENDPOINT) === '' ? 'OTEL_EXPORTER_OTLP_ENDPOINT' : TRACES_ENDPOINT;
  if (isOff || of(name) === '') return null;
  const read = <T>(variable: string, reading: Reading<T>, absent: T): T => {
    if ('value' in reading) return reading.value;
    faults.push({ variable, ...reading });
    return absent;
  };
  const either = (suffix: string): [string, string] => {
    const own = `OTEL_EXPORTER_OTLP_TRACES_${suffix}`;
    const variable = of(own) === '' ? `OTEL_EXPORTER_OTLP_${suffix}` : own;
    return [variable, of(variable)];
  };
  const address = read(name, webUrl(of(name)), '');
  const [protocolName, protocol] = either('PROTOCOL');
  if (protocol !== '' && protocol !== JSON_PROTOCOL) {
    const fix = `Write ${JSON_PROTOCOL}, which collectors accept at port 4318, or unset the variable.`;
    faults.push({ variable: protocolName, fault: 'names a protocol that Parley does not speak', fix });
  }
  const [headersName, headers] = either('HEADERS');
  return {
    url: name === TRACES_ENDPOINT ? address : `${address.replace(/\/$/, '')}/v1/traces`,
    headers: read(headersName, pairs(headers), {}),
    resource: {
      'service.name': 'parley',
      ...read('OTEL_RESOURCE_ATTRIBUTES', pairs(of('OTEL_RESOURCE_ATTRIBUTES')), {}),
      ...(of('OTEL_SERVICE_NAME') !== '' && { 'service.name': of('OTEL_SERVICE_NAME') }),
    },
    ...readSampler(of, faults),
    everyMs: readDelay(of('OTEL_BSP_SCHEDULE_DELAY'), faults),
    content: /^true$/i.test(of('OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT')),
  };
}

const TRACES_ENDPOINT = 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT';

/** Loads only the trace settings, without reading or creating other data. */
export function loadTraces(env: Environment = process.env): { traces: TraceSettings | null; faults: ConfigFault[] } {
  const faults: ConfigFault[] = [];
  return { traces: readTraces(env, faults), faults };
}

function readSampler(of: (name: string) => string, faults: ConfigFault[]) {
  const text = of('OTEL_TRACES_SAMPLER') || 'parentbased_always_on';
  const followsParent = text.startsWith('parentbased_');
  const sampler = text.replace('parentbased_', '');
  if (!SAMPLERS.includes(sampler)) {
    const known = SAMPLERS.map((one) => `${one}, parentbased_${one}`).join(', ');
    faults.push({
      variable: 'OTEL_TRACES_SAMPLER',
      fault: 'is none of the known values',
      fix: `Write one of: ${known}.`,
    });
  }
  if (sampler !== 'traceidratio') return { ratio: sampler === 'always_off' ? 0 : 1, followsParent };
  const ratio = Number(of('OTEL_TRACES_SAMPLER_ARG') || '1');
  if (ratio >= 0 && ratio <= 1) return { ratio, followsParent };
  const fix = 'Write the part of the traces to keep, for example 0.1.';
  faults.push({ variable: 'OTEL_TRACES_SAMPLER_ARG', fault: 'is not a number from 0 to 1', fix });
  return { ratio: 1, followsParent };
}

function readDelay(text: string, faults: ConfigFault[]): number {
  const ms = Number(text || DELAY_MS);
  if (Number.isInteger(ms) && ms >= 50 && ms <= 60_000) return ms;
  const fix = `Write milliseconds from 50 to 60000, or unset the variable for ${DELAY_MS}.`;
  faults.push({ variable: 'OTEL_BSP_SCHEDULE_DELAY', fault: 'is not a time that spans may wait', fix });
  return DELAY_MS;
}

/** The default value of OpenTelemetry. */
const DELAY_MS = 5_000;

/** Reads the percent-encoded text `name=value,name=value`. */
function pairs(text: string): Reading<Record<string, string>> {
  const entries = text.split(',').filter((entry) => entry.trim() !== '');
  const fault = { fault: 'is not a list of names and values', fix: 'Write name=value,name=value, percent-encoded.' };
  try {
    const read = entries.map((entry) => /^\s*([\w.-]+)\s*=\s*([^\r\n]*?)\s*$/.exec(decodeURIComponent(entry)));
    if (read.some((one) => one === null)) return fault;
    return { value: Object.fromEntries(read.map((one) => [one![1]!, one![2]!])) };
  } catch {
    return fault;
  }
}
