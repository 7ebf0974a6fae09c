import { RATE_WINDOW_SECONDS } from '../../contract/limits.ts';
import type { SharedCounters } from '../access/limits/shared-counters.ts';
import { openAnswering } from '../answering/open-answering.ts';
import { createConnector } from '../channels/connect.ts';
import { channelKinds } from '../channels/kinds.ts';
import { createReadFiles } from '../engine/documents/read-files.ts';
import { createChangeWatch } from '../features/changes/watch-changes.ts';
import { createInboundQueue } from '../features/conversations/inbound-queue.ts';
import { createBlobStore } from '../kernel/blob-store.ts';
import { createEgress } from '../kernel/egress.ts';
import { loadSecrets } from './load-secrets.ts';
import type { createMetrics, Metrics } from './metrics.ts';
import { createRunningProcess } from './running-process.ts';
import { createQueueMail } from '../store/mail.ts';
import { openAccess } from './open-access.ts';
import { openStore } from './open-store.ts';
import type { Service } from './service.ts';
import type { AppDeps } from './app-deps.ts';

/** Wakes the workers of this process. Workers of other processes poll for the work. */
export const WAKES = [
  'turns',
  'deliveries',
  'events',
  'imports',
  'sources',
  'additions',
  'campaigns',
  'embeddings',
] as const;
export type Wake = Record<(typeof WAKES)[number], () => void>;

export type Rooms = Awaited<ReturnType<typeof openRooms>>;

/**
 * Opens the parts of the program that are configured or have state, as one object that is grouped by room. The
 * `deps.ts` of each noun names the parts that its verbs use. All other functions are imported directly. The services
 * are in the order in which they start.
 */
export async function openRooms(app: AppDeps) {
  const { config, db, log, role } = app;
  const secrets = await loadSecrets(db, config);
  const egress = createEgress({ allow: config.egressAllow });
  const shared = await openSharedCounters(app);
  const onUse: Parameters<typeof openAnswering>[0]['onUse'] = (use) => metrics?.modelUsed(use);
  const access = openAccess(app, { secrets, shared, egress, onSettled: (ms) => metrics?.revokeSettled(ms) });
  const changes = createChangeWatch(db);
  const store = openStore(app, secrets, {
    onBatch: (calls) => metrics?.batchSent(calls),
    onStored: () => changes.look(),
  });
  const features = { changes, inboundQueue: createInboundQueue(db, store.suppression) };
  const configured = openConfigured(app, { secrets, egress });
  const { sealingKey, turnKey, baseUrl, blobs } = configured;
  const answering = openAnswering({ db, egress, sealingKey, turnKey, baseUrl, log, onUse, blobs });
  const metrics = await openMetrics(app, {
    access: role === 'worker' ? null : access.fields.access.state,
    acceptQueue: store.acceptQueue.load,
  });
  const traces = await openTraces(app, metrics);
  const wakes = createWakes(() => {
    changes.look();
    store.feed.look();
  });
  const deps = { ...configured, ...store, ...access.fields, ...features, ...wakes, answering };

  const services: Service[] = [
    // The traces stop last, so that the spans of all other stops are sent too.
    { stop: () => traces?.stop() },
    { stop: () => egress.close() },
    { stop: () => configured.blobs?.close() },
    createRunningProcess({ db, newestGeneration: secrets.newestGeneration, log }),
    { start: async () => void (await metrics?.start()), stop: () => metrics?.stop() },
    { start: () => shared?.start(), stop: () => shared?.stop() },
    ...access.services,
    ...[deps.sendQueue, deps.inboundQueue, deps.endUserQueue, deps.acceptQueue].map((queue) => ({
      stop: () => queue.drain(),
    })),
    deps.liveDeltas,
    ...[deps.feed, changes, deps.waiter, answering, deps.readFiles].map((one) => ({ stop: () => one.stop() })),
  ];
  const { tokenLastUsed } = access;
  return { deps, services, secrets, shared, metrics, tracer: traces?.tracer ?? null, tokenLastUsed };
}

/** Opens settings, keys of the installation, and ways to call other systems. */
function openConfigured(
  { config, log }: AppDeps,
  { secrets, egress }: { secrets: Awaited<ReturnType<typeof loadSecrets>>; egress: ReturnType<typeof createEgress> },
) {
  const { region, baseUrl } = config;
  return {
    region,
    baseUrl,
    upgradeUrl: config.upgradeUrl,
    now: Date.now,
    sealingKey: secrets.sealingKey,
    turnKey: secrets.turnKey,
    queueMail: config.mail && createQueueMail(secrets.mailKey),
    egress,
    blobs: config.blobs && createBlobStore(config.blobs),
    connector: createConnector({ kinds: channelKinds, egress, baseUrl, now: Date.now }),
    readFiles: createReadFiles({ log }),
  };
}

/** `onChange`: makes open pages and streams of this process check for changes. */
function createWakes(onChange: () => void) {
  const wake: Wake = {
    turns: nothing,
    deliveries: nothing,
    events: nothing,
    imports: nothing,
    sources: nothing,
    additions: nothing,
    campaigns: nothing,
    embeddings: nothing,
  };
  const onAccepted = (): void => {
    wake.turns();
    onChange();
  };
  return {
    wake,
    onAccepted,
    onAdded: () => {
      wake.campaigns();
      onAccepted();
    },
  };
}

/** A worker enforces no rate limits. */
async function openSharedCounters({ config, role, log }: AppDeps): Promise<SharedCounters | null> {
  if (config.redisUrl === null || role === 'worker') return null;
  return (await import('../access/limits/shared-counters.ts')).openSharedCounters({
    url: config.redisUrl,
    prefix: `parley:${config.region}:calls:`,
    windowMs: RATE_WINDOW_SECONDS * 1_000,
    log,
  });
}

type Measured = Pick<Parameters<typeof createMetrics>[0], 'access' | 'acceptQueue'>;

async function openMetrics({ config, db, version, role }: AppDeps, measured: Measured): Promise<Metrics | null> {
  if (!config.metricsAddress) return null;
  return (await import('./metrics.ts')).createMetrics({
    address: config.metricsAddress,
    labels: { version, role, region: config.region },
    db,
    ...measured,
  });
}

async function openTraces({ config, log, version, role }: AppDeps, metrics: Metrics | null) {
  if (!config.traces) return null;
  return (await import('./open-traces.ts')).openTraces(config.traces, {
    log,
    labels: { version, role, region: config.region },
    onSpans: (outcome, many) => metrics?.spansLeft(outcome, many),
  });
}

const nothing = (): void => {};
