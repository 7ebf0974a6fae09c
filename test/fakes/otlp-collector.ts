import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Starts a collector of OpenTelemetry on a real port. The collector accepts only the JSON mapping of OTLP: the member
 * names of ExportTraceServiceRequest, IDs in hex, 64-bit numbers as text. Invalid data gets 400, as from a real
 * collector, and `faults` lists it.
 */
export type CollectedSpan = {
  traceId: string;
  spanId: string;
  parentSpanId: string | null;
  name: string;
  kind: number;
  start: bigint;
  end: bigint;
  attributes: Record<string, unknown>;
  isError: boolean;
  /** The attributes of the resource, such as `service.name`. */
  resource: Record<string, unknown>;
};

export type Collector = {
  url: string;
  spans: CollectedSpan[];
  faults: string[];
  requests: { headers: IncomingHttpHeaders; body: string }[];
  /** The status and headers of the next responses, where `hang` means that the collector reads and never responds. */
  answer: () => { status: number; headers?: Record<string, string> } | 'hang';
  stop(): Promise<void>;
};

export async function startCollector(port = 0): Promise<Collector> {
  const server = createServer((request, response) => {
    void (async () => {
      const body = Buffer.concat(await request.toArray()).toString();
      collector.requests.push({ headers: request.headers, body });
      const answer = collector.answer();
      if (answer === 'hang') return;
      let { status } = answer;
      try {
        if (request.method !== 'POST' || request.url !== '/v1/traces') throw new Error(`${request.url} is no path`);
        if (request.headers['content-type'] !== 'application/json') throw new Error('the type is not JSON');
        const spans = readRequest(JSON.parse(body));
        if (status === 200) collector.spans.push(...spans);
      } catch (error) {
        collector.faults.push(String(error));
        status = 400;
      }
      response.writeHead(status, { 'content-type': 'application/json', ...answer.headers }).end('{}');
    })();
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const collector: Collector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: [],
    faults: [],
    requests: [],
    answer: () => ({ status: 200 }),
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return collector;
}

type Json = Record<string, unknown>;

function readRequest(body: unknown): CollectedSpan[] {
  const { resourceSpans = [] } = only(body, ['resourceSpans']);
  return resourceSpans.flatMap((one: unknown) => {
    const { resource, scopeSpans } = only(one, ['resource', 'scopeSpans']);
    const of = readAttributes(only(resource, ['attributes']).attributes);
    return scopeSpans.flatMap((scoped: unknown) => {
      const { scope, spans } = only(scoped, ['scope', 'spans']);
      only(scope, ['name', 'version']);
      return spans.map((span: unknown) => readSpan(span, of));
    });
  });
}

const SPAN = [
  'traceId',
  'spanId',
  'parentSpanId',
  'name',
  'kind',
  'startTimeUnixNano',
  'endTimeUnixNano',
  'attributes',
  'status',
];

function readSpan(json: unknown, resource: Json): CollectedSpan {
  const span = only(json, SPAN);
  const { parentSpanId = null, status } = span;
  if (!/^[0-9a-f]{32}$/.test(span.traceId)) throw new Error('traceId');
  for (const id of [span.spanId, parentSpanId])
    if (id !== null && !/^[0-9a-f]{16}$/.test(id)) throw new Error('spanId');
  if (!Number.isInteger(span.kind) || span.kind < 1 || span.kind > 5) throw new Error('kind');
  if (!span.name) throw new Error('name');
  const code = status === undefined ? 0 : only(status, ['code', 'message']).code;
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId,
    name: span.name,
    kind: span.kind,
    start: nanos(span.startTimeUnixNano),
    end: nanos(span.endTimeUnixNano),
    attributes: readAttributes(span.attributes),
    isError: code === 2,
    resource,
  };
}

function nanos(value: unknown): bigint {
  if (typeof value !== 'string' || !/^\d{19}$/.test(value))
    throw new Error(`${String(value)} is no fixed64 in nanoseconds`);
  return BigInt(value);
}

const readAttributes = (list: unknown[]): Json =>
  Object.fromEntries(
    list.map((one) => {
      const { key, value } = only(one, ['key', 'value']);
      const [[type, is] = [], more] = Object.entries(
        only(value, ['stringValue', 'boolValue', 'intValue', 'doubleValue', 'arrayValue']),
      );
      if (type === 'arrayValue') {
        const { values } = only(is, ['values']);
        return [key, values.map((each: unknown) => only(each, ['stringValue']).stringValue)];
      }
      if (typeof key !== 'string' || more !== undefined) throw new Error('an attribute has one key and one value');
      if (type === 'intValue' ? !/^-?\d+$/.test(String(is)) || typeof is !== 'string' : typeof is !== KINDS[type!])
        throw new Error(`${key}: ${type} is ${typeof is}`);
      return [key, type === 'intValue' ? Number(is) : is];
    }),
  );

const KINDS: Record<string, string> = { stringValue: 'string', boolValue: 'boolean', doubleValue: 'number' };

// oxlint-disable-next-line typescript/no-explicit-any -- foreign JSON, checked member by member
function only(value: unknown, members: string[]): any {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('not an object');
  const unknown = Object.keys(value).find((name) => !members.includes(name));
  if (unknown !== undefined) throw new Error(`${unknown} is not a member here`);
  return value;
}
