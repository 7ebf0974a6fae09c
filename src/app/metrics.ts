import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { AccessState } from '../access/access.ts';
import { metaOf } from '../http/edge/request-meta.ts';
import { StartError } from '../kernel/start-error.ts';
import type { Db } from '../store/db.ts';
import { COUNTED, QUEUES, type QueueDepths, readQueueDepths } from '../store/queue/depth.ts';

/**
 * Serves `/metrics` for Prometheus on a separate address (METRICS_ADDRESS). The address is off by default, because it
 * needs no key. No label contains an ID or a value from a caller, and routes are patterns. The page docs/operations.md
 * explains each number for operators. A worker listens on no other address, so this address also has its probes, under
 * the paths of the main address.
 */
export type Metrics = {
  /** Counts the requests that this server handles. */
  watch(server: Server): void;
  revokeSettled(waitedMs: number): void;
  batchSent(calls: number): void;
  /** Counts the use of one model in one attempt of a turn. */
  modelUsed(use: ModelUsed): void;
  /** Counts spans that the trace collector accepted, or that were dropped. */
  spansLeft(outcome: 'sent' | 'dropped', many: number): void;
  start(): Promise<{ host: string; port: number }>;
  stop(): Promise<void>;
};

export type ModelUsed = {
  provider: string;
  spent: { input: number; cached: number; output: number };
  calls: number;
  toolCalls: number;
  /** The code of the failure. Null: the model answered. */
  failure: string | null;
};

export type MetricsOptions = {
  address: { host: string; port: number };
  labels: { version: string; role: string; region: string };
  db: Db;
  /** Null for a worker, which makes no access decisions. */
  access: (() => AccessState) | null;
  acceptQueue: () => number;
};

const DURATIONS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const BATCHES = [1, 2, 5, 10, 25, 50, 100, 200];
/** Several scrapers and probes share one query of the queues for this time. */
const DEPTHS_KEPT_MS = 3_000;

export function createMetrics({ address, labels, db, access, acceptQueue }: MetricsOptions): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Gauge({ name: 'parley_info', help: 'This process.', labelNames: Object.keys(labels), registers }).set(labels, 1);
  gaugeOf(registers)('accept_queue_calls', 'Trigger calls that wait for their commit.', acceptQueue);
  if (access !== null) gaugeAccess(registers, access);
  gaugeConnections(registers, db);
  const count = countRequests(registers);
  const revokes = new Histogram({
    name: 'parley_revoke_wait_seconds',
    help: 'From the commit of a revoke or another change of access until no node uses the old state.',
    buckets: DURATIONS,
    registers,
  });
  const batches = new Histogram({
    name: 'parley_accept_batch_calls',
    help: 'Trigger calls written by one statement.',
    buckets: BATCHES,
    registers,
  });
  const models = countModels(registers);
  const spans = new Counter({
    name: 'parley_trace_spans_total',
    help: 'Spans of traces: sent to the collector, or dropped.',
    labelNames: ['outcome'],
    registers,
  });
  const depths = readDepths(db);
  const setDepths = gaugeQueues(registers);
  const server = createServer((request, response) => {
    answer(request, response, registry, depths, setDepths).catch(() => response.destroy());
  });

  return {
    watch: (watched) => {
      watched.on('request', (_request, response: ServerResponse) => response.on('close', count));
    },
    revokeSettled: (ms) => revokes.observe(ms / 1_000),
    batchSent: (calls) => batches.observe(calls),
    modelUsed: models,
    spansLeft: (outcome, many) => spans.inc({ outcome }, many),
    start: () => listen(server, address),
    stop: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function listen(server: Server, address: MetricsOptions['address']): Promise<{ host: string; port: number }> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(address, resolve);
  }).catch((error: Error) => {
    throw new StartError(
      `METRICS_ADDRESS=${address.host}:${address.port} cannot be listened on: ${error.message}.`,
      'Give each process on a machine its own port, or unset METRICS_ADDRESS.',
    );
  });
  return { host: address.host, port: (server.address() as AddressInfo).port };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  registry: Registry,
  depths: () => Promise<QueueDepths | null>,
  setDepths: (known: QueueDepths | null) => void,
): Promise<void> {
  const path = request.url?.split('?', 1)[0];
  if (path === '/api/health') return void response.end('ok\n');
  if (path === '/ready') {
    const isReady = (await depths()) !== null;
    return void response.writeHead(isReady ? 200 : 503).end(isReady ? 'ready\n' : 'The database does not answer.\n');
  }
  if (path !== '/metrics')
    return void response.writeHead(404).end('This server has only /metrics, /ready and /api/health.\n');
  setDepths(await depths());
  response.writeHead(200, { 'content-type': registry.contentType });
  response.end(await registry.metrics());
}

/** Creates a gauge whose value is read when the metrics are collected. */
const gaugeOf =
  (registers: Registry[]) =>
  (name: string, help: string, read: () => number): Gauge =>
    new Gauge({
      name: `parley_${name}`,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });

function gaugeAccess(registers: Registry[], access: () => AccessState): void {
  const gauge = gaugeOf(registers);
  gauge(
    'lease_age_seconds',
    'Seconds since the lease was last renewed. Above 0.9, access is read from the database.',
    () => Math.min(access().leaseAgeMs / 1_000, Number.MAX_SAFE_INTEGER),
  );
  gauge('live_leases', 'Nodes that hold a lease, as known by this node.', () => access().nodes);
  gauge('directory_entries', 'Keys and targets in memory.', () => access().directoryEntries);
  gauge('limits_shared', '1: Redis counts for all nodes. 0: each node holds its part.', () =>
    access().isLimitShared ? 1 : 0,
  );
}

function gaugeConnections(registers: Registry[], { $client: pool }: Db): void {
  const gauge = gaugeOf(registers);
  gauge('database_connections', 'Connections of this process to the database.', () => pool.totalCount);
  gauge('database_connections_idle', 'Connections to the database that are idle.', () => pool.idleCount);
  gauge('database_waiting', 'Statements that wait for a connection.', () => pool.waitingCount);
}

/** Returns a listener for the event `close` of a response. */
function countRequests(registers: Registry[]): (this: ServerResponse) => void {
  const requests = new Counter({
    name: 'parley_http_requests_total',
    help: 'Requests answered, by pattern of the route.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'parley_http_request_duration_seconds',
    help: 'From the first byte of a request to the last byte of its response.',
    labelNames: ['route'],
    buckets: DURATIONS,
    registers,
  });
  return function count() {
    const meta = metaOf(this.req);
    const route = meta?.route ?? 'none';
    requests.inc({ method: this.req.method, route, status: this.statusCode });
    // A stream has no meaningful duration, because it lasts as long as a client listens.
    if (meta && !String(this.getHeader('content-type')).startsWith('text/event-stream'))
      durations.observe({ route }, (performance.now() - meta.startedAt) / 1_000);
  };
}

function gaugeQueues(registers: Registry[]): (known: QueueDepths | null) => void {
  const up = new Gauge({ name: 'parley_database_up', help: '1: the database answers.', registers });
  const due = new Gauge({
    name: 'parley_queue_due',
    help: `Due rows that are not claimed, counted up to ${COUNTED}.`,
    labelNames: ['queue'],
    registers,
  });
  const oldest = new Gauge({
    name: 'parley_queue_oldest_seconds',
    help: 'For how long the oldest due row of the queue has been due.',
    labelNames: ['queue'],
    registers,
  });
  return (known) => {
    up.set(known === null ? 0 : 1);
    for (const gauge of [due, oldest]) gauge.reset();
    if (known === null) return;
    for (const queue of QUEUES) {
      due.set({ queue }, known[queue].due);
      oldest.set({ queue }, known[queue].oldestSeconds);
    }
  };
}

/** Counts by provider, because the name of a model is a value from a user. */
function countModels(registers: Registry[]): (use: ModelUsed) => void {
  const counter = (name: string, help: string, label: string) =>
    new Counter({ name: `parley_model_${name}_total`, help, labelNames: ['provider', label], registers });
  const turns = counter(
    'turns',
    'Attempts of turns at a model, by outcome: answered, or the code of the failure.',
    'outcome',
  );
  const tokens = counter('tokens', 'Tokens that providers reported; cached ones are part of the input.', 'kind');
  const calls = counter('calls', 'Calls of models, and of tools by models.', 'kind');
  return ({ provider, spent, calls: made, toolCalls, failure }) => {
    turns.inc({ provider, outcome: failure ?? 'answered' });
    for (const kind of ['input', 'cached', 'output'] as const) tokens.inc({ provider, kind }, spent[kind]);
    calls.inc({ provider, kind: 'model' }, made);
    calls.inc({ provider, kind: 'tool' }, toolCalls);
  };
}

/**
 * Reads the length of the queues. Null if the database does not respond. At most one query runs at a time, however many
 * callers wait.
 */
function readDepths(db: Db) {
  let lastRead: { until: number; depths: Promise<QueueDepths | null> } | null = null;
  return () => {
    if (lastRead !== null && performance.now() < lastRead.until) return lastRead.depths;
    const next = { until: Number.POSITIVE_INFINITY, depths: readQueueDepths(db).catch(() => null) };
    void next.depths.then(() => (next.until = performance.now() + DEPTHS_KEPT_MS));
    lastRead = next;
    return next.depths;
  };
}
