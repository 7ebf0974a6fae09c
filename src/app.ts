import { createDigest } from './access/keys/digest.ts';
import { fileURLToPath } from 'node:url';
import { RATE_WINDOW_SECONDS } from '../contract/limits.ts';
import { createAccess, type Access } from './access/access.ts';
import { createOidc } from './access/sessions/oidc.ts';
import { createPasskeys } from './access/sessions/passkeys.ts';
import { createMailLimit } from './access/sessions/mail-limit.ts';
import { createSessions, type Sessions } from './access/sessions/sessions.ts';
import { createSignInLimit, ORGANIZATION_SIGN_IN_LIMITS, SIGN_IN_LIMITS } from './access/sessions/sign-in-limit.ts';
import { createVisitorLimit, VISITOR_LIMITS } from './access/visitors/visitor-limit.ts';
import { createVisitorTokens } from './access/visitors/visitor-token.ts';
import { createLeakReportLimit } from './access/limits/leak-report-limit.ts';
import { openSharedCounters } from './access/limits/shared-counters.ts';
import { createConnector } from './channels/connect.ts';
import { channelKinds } from './channels/kinds.ts';
import type { Config } from './config/config.ts';
import { definitionFaults } from './engine/embedded/definition-faults.ts';
import { templateFault } from './engine/templates.ts';
import type { Secrets } from './config/secrets.ts';
import { createApiKeys } from './features/api-keys/api-keys.ts';
import { createChangeWatch } from './features/changes/watch-changes.ts';
import { createChannelMessages } from './features/channel-messages/channel-messages.ts';
import { createInboundQueue } from './features/conversations/inbound-queue.ts';
import { createReceiveFromChannel } from './features/conversations/receive-from-channel.ts';
import { createReceiveFromVisitor } from './features/conversations/receive-from-visitor.ts';
import { createSayInConversation } from './features/conversations/receive-message.ts';
import { createTriggers } from './features/triggers/triggers.ts';
import { createCampaignVerbs } from './features/campaigns/key-verbs.ts';
import { createEndUsers } from './features/end-users/end-users.ts';
import { createVisitors } from './features/visitors/visitors.ts';
import { createUsageCounter } from './features/usage/count-requests.ts';
import { readKeyUsage } from './features/usage/read-key-usage.ts';
import { channelApiRoutes } from './http/api/channels/routes.ts';
import { campaignRoutes } from './http/api/campaigns/routes.ts';
import { reportLeaked } from './http/api/keys/report-leaked.ts';
import { endUserRoutes } from './http/api/end-users/routes.ts';
import { triggerRoutes } from './http/api/triggers/routes.ts';
import { chatRoutes } from './http/chat/routes.ts';
import { createWidgetScript } from './http/chat/widget-script.ts';
import type { Room } from './http/dashboard/deps.ts';
import { dashboardRoutes } from './http/dashboard/routes.ts';
import { inboundRoutes } from './http/inbound/routes.ts';
import { createPaging } from './http/route/paging.ts';
import { mountDashboard } from './http/dashboard/files.ts';
import { compileBody } from './http/route/validate.ts';
import { CreateEndUser } from '../contract/end-users.ts';
import { createHttpServer } from './http/edge/server.ts';
import { systemClock } from './kernel/clock.ts';
import { createEgress } from './kernel/egress.ts';
import type { Logger } from './kernel/log.ts';
import { createTxtLookUp } from './kernel/txt-records.ts';
import { createAcceptQueue } from './store/runs/accept.ts';
import { createRunWaiter } from './store/runs/await.ts';
import { createSealedOpener, createSecretsOpener } from './store/channels/secrets.ts';
import { type Db, isUnreachable } from './store/db.ts';
import { createQueueMail } from './store/mail.ts';
import { createMessageFeed } from './store/messages/feed.ts';
import { createEndUserQueue } from './store/end-users/upsert.ts';
import { createIdempotencyGuard } from './store/idempotency/guard.ts';
import { createSendQueue } from './store/messages/accept.ts';
import { readNextDocument } from './store/agents/read-for-turns.ts';
import { createEventWorker } from './worker/events/deliver-events.ts';
import { createDeliveryWorker } from './worker/deliveries/deliver-messages.ts';
import { createSuppression } from './store/end-users/suppression.ts';
import { previewCampaign } from './worker/campaigns/preview-campaign.ts';
import { createCampaignWorker } from './worker/campaigns/campaign-worker.ts';
import { createImportWorker } from './worker/imports/import-worker.ts';
import { createHousekeeper } from './worker/housekeeper.ts';
import { createFindProvider } from './worker/turns/find-provider.ts';
import { createPlayTurn } from './worker/turns/play-turn.ts';
import { createKnowledge } from './worker/knowledge/ask-knowledge.ts';
import { createAgentLoader } from './worker/turns/load-agent.ts';
import { createRenderOpening } from './worker/turns/render-opening.ts';
import { createMailWorker } from './worker/mail/send-mail.ts';
import { createTurnWorker } from './worker/turns/turn-worker.ts';
import { loadSecrets } from './start/load-secrets.ts';
import { createMetrics, type Metrics } from './start/metrics.ts';
import { createPresence } from './start/presence.ts';

/**
 * The composition root: the one file that knows every room. It opens only what it is told to start, so tests run the
 * same program as production.
 */
export type Role = 'all' | 'api' | 'worker';

export type AppDeps = {
  config: Config;
  db: Db;
  databaseUrl: string;
  log: Logger;
  role: Role;
  version: string;
};

export type App = {
  secrets: Secrets;
  access: Access;
  sessions: Sessions;
  /** Listens and returns the address; null for a worker, which serves no requests. */
  start(): Promise<{ host: string; port: number } | null>;
  /** Fails `/ready` so that clients go elsewhere, but keeps answering. */
  leave(): void;
  /** Stops taking work, finishes work in progress (at most 25 s), releases the lease. */
  stop(): Promise<void>;
};

/** The built web chat; setup makes it. */
const WIDGET = fileURLToPath(new URL('../widget/dist/widget.js', import.meta.url));
/** The built dashboard; setup makes it. */
const DASHBOARD = fileURLToPath(new URL('../dashboard/dist', import.meta.url));
/** Half of the promised "drained in 30 s" is for turns, the rest for requests and the database. */
const TURN_GRACE_MS = 15_000;
/** A called provider may still answer within this time; after it, the message is left to another node and flagged. */
const DELIVERY_GRACE_MS = 5_000;

export async function createApp({ config, db, databaseUrl, log, role, version }: AppDeps): Promise<App> {
  const secrets = await loadSecrets(db, config);
  const presence = createPresence({ db, newestGeneration: secrets.newestGeneration, log });
  const egress = createEgress({ allow: config.egressAllow });
  // A worker enforces no rate limits.
  const shared =
    config.redisUrl === null || role === 'worker'
      ? null
      : openSharedCounters({
          url: config.redisUrl,
          prefix: `parley:${config.region}:limit:`,
          windowMs: RATE_WINDOW_SECONDS * 1_000,
          log,
        });
  const access = createAccess({
    db,
    databaseUrl,
    region: config.region,
    baseUrls: config.baseUrls,
    pepper: secrets.apiKeyPepper,
    limits: config.limits,
    shared,
    clock: systemClock,
    onSettled: (ms) => metrics?.revokeSettled(ms),
    log,
  });
  const limit = createSignInLimit(SIGN_IN_LIMITS, shared);
  const organizationSignInLimit = createSignInLimit(ORGANIZATION_SIGN_IN_LIMITS, shared);
  const sessions = createSessions({
    db,
    secret: secrets.sessionSecret,
    otherSecrets: secrets.otherSessionSecrets,
    baseUrl: config.baseUrl,
    limit,
    log: (level, message) => log[level](message),
  });
  const waiter = createRunWaiter(db);
  const changes = createChangeWatch(db);
  const feed = createMessageFeed(db);
  const suppression = createSuppression(secrets.suppressionKey);
  const queue = createAcceptQueue(db, suppression, (calls) => metrics?.batchSent(calls));
  const metrics: Metrics | null =
    config.metricsAddress &&
    createMetrics({
      address: config.metricsAddress,
      labels: { version, role, region: config.region },
      db,
      access: role === 'worker' ? null : access.state,
      acceptQueue: queue.load,
    });
  const endUserQueue = createEndUserQueue(db, suppression);
  const findProvider = createFindProvider({ db, egress, sealingKey: secrets.sealingKey });
  const knowledge = createKnowledge({ log, readDocument: (...which) => readNextDocument(db.$client, ...which) });
  const loadAgent = createAgentLoader(db, findProvider, knowledge);
  const openSecrets = createSecretsOpener(db, secrets.sealingKey);
  const deliveries =
    role === 'api'
      ? null
      : createDeliveryWorker({ db, log, kinds: channelKinds, egress, openSecrets, baseUrl: config.baseUrl });
  const events =
    role === 'api'
      ? null
      : createEventWorker({
          db,
          log,
          egress,
          openSealed: createSealedOpener(db, secrets.sealingKey),
        });
  const mailWorker =
    role === 'api' || config.mail === null
      ? null
      : createMailWorker({ db, log, key: secrets.mailKey, server: config.mail });
  const onStored = () => {
    waiter.look();
    changes.look();
    feed.look();
    deliveries?.wake();
  };
  const worker = role === 'api' ? null : createTurnWorker({ db, log, loadAgent, pressed: queue.pressed, onStored });
  const housekeeper = role === 'api' ? null : createHousekeeper({ db, log });
  const onAccepted = () => {
    worker?.wake();
    changes.look();
    feed.look();
  };
  const paging = createPaging(secrets.cursorKey);
  const guard = createIdempotencyGuard();
  const triggers = createTriggers({
    db,
    queue,
    waiter,
    guard,
    findChannel: access.facts.channel,
    kinds: channelKinds,
    renderOpening: createRenderOpening(db),
    onAccepted,
  });
  const inboundQueue = createInboundQueue(db, suppression);
  const receive = createReceiveFromChannel({
    db,
    kinds: channelKinds,
    openSecrets,
    queue: inboundQueue,
    now: Date.now,
    onAccepted,
  });
  const visitorTokens = createVisitorTokens(secrets.visitorKey, Date.now);
  const visitors = createVisitors({ db, kinds: channelKinds, openSecrets, tokens: visitorTokens, feed });
  const sendQueue = createSendQueue(db, suppression);
  const channelMessages = createChannelMessages({
    db,
    queue: sendQueue,
    guard,
    kinds: channelKinds,
    onQueued: () => deliveries?.wake(),
  });
  const endUsers = createEndUsers({ db, queue: endUserQueue, guard, suppression });
  const importWorker =
    role === 'api'
      ? null
      : createImportWorker({
          db,
          log,
          check: compileBody(CreateEndUser),
          bulk: endUsers.bulk,
          bulkDryRun: endUsers.bulkDryRun,
        });
  const campaignWorker = role === 'api' ? null : createCampaignWorker({ db, log, onBegun: onAccepted });
  const campaigns = createCampaignVerbs({
    db,
    access,
    guard,
    suppression,
    findChannel: access.facts.channel,
    onPushed: () => {
      campaignWorker?.wake();
      onAccepted();
    },
  });
  const usage = createUsageCounter({ db, log });
  const queueMail = config.mail && createQueueMail(secrets.mailKey);
  const keys = createApiKeys({
    db,
    access,
    region: config.region,
    digest: createDigest(secrets.apiKeyPepper),
    clock: systemClock,
    queueMail,
    baseUrl: config.baseUrl,
  });
  const room: Room = {
    db,
    access,
    sessions,
    limit,
    organizationSignInLimit,
    oidc: createOidc({ egress, now: Date.now }),
    lookUpTxt: createTxtLookUp(config.dnsServers),
    signInKey: secrets.signInKey,
    setupKey: secrets.setupKey,
    sealingKey: secrets.sealingKey,
    passkeys: createPasskeys({ key: secrets.setupKey, baseUrl: config.baseUrl }),
    egress,
    onDelivery: () => events?.wake(),
    queueMail,
    mailLimit: createMailLimit(),
    region: config.region,
    baseUrl: config.baseUrl,
    upgradeUrl: config.upgradeUrl,
    faults: { definition: definitionFaults, template: templateFault },
    triggers,
    say: createSayInConversation({ db, waiter, onAccepted }),
    endUsers,
    previewCampaign,
    onImport: () => importWorker?.wake(),
    openSecrets,
    connector: createConnector({ kinds: channelKinds, egress, baseUrl: config.baseUrl, now: Date.now }),
    channelMessages,
    findChannel: access.facts.channel,
    playTurn: createPlayTurn({ loadAgent, findProvider }),
    changes,
    keys: { ...keys, usage: (orgId, id, range) => readKeyUsage(db, orgId, id, range) },
  };
  const server =
    role === 'worker'
      ? null
      : createHttpServer({
          routes: [
            ...triggerRoutes({ triggers, paging, baseUrl: config.baseUrl }),
            ...campaignRoutes({ campaigns, paging }),
            ...endUserRoutes({ endUsers, paging, baseUrl: config.baseUrl }),
            reportLeaked({ keys, limit: createLeakReportLimit(undefined, shared), scanners: config.leakReportKeys }),
            ...channelApiRoutes({ channelMessages, baseUrl: config.baseUrl }),
            ...inboundRoutes({ receive, baseUrl: config.baseUrl }),
            ...chatRoutes({
              visitors,
              receive: createReceiveFromVisitor({ db, queue: inboundQueue, onAccepted }),
              script: createWidgetScript(WIDGET),
              tokens: visitorTokens,
              limit: createVisitorLimit(VISITOR_LIMITS, shared),
              baseUrl: config.baseUrl,
            }),
            ...dashboardRoutes(room, paging),
          ],
          countRequest: usage.count,
          access,
          region: config.region,
          baseUrl: config.baseUrl,
          trustedProxies: config.trustedProxies,
          version,
          log,
          now: Date.now,
          ready: () => readiness(db),
        });

  if (server) mountDashboard(server, DASHBOARD);
  if (server) metrics?.watch(server.server);

  return {
    secrets,
    access,
    sessions,
    start: async () => {
      await presence.start();
      await metrics?.start();
      await shared?.start();
      // A worker checks no keys: with a lease, a revoke would only wait for it.
      if (role !== 'worker') await access.start();
      worker?.start();
      campaignWorker?.start();
      importWorker?.start();
      deliveries?.start();
      events?.start();
      mailWorker?.start();
      housekeeper?.start();
      usage.start();
      if (!server) return null;
      await server.listen({ host: config.host, port: config.port });
      const address = server.server.address();
      return { host: config.host, port: typeof address === 'object' && address ? address.port : config.port };
    },
    leave: () => server?.drain(),
    stop: async () => {
      server?.drain();
      await server?.close();
      housekeeper?.stop();
      await campaignWorker?.stop();
      await importWorker?.stop();
      await worker?.stop(TURN_GRACE_MS);
      await knowledge.stop();
      const senders = [deliveries, events, mailWorker].filter((sender) => sender !== null);
      await Promise.all(senders.map((sender) => sender.stop(DELIVERY_GRACE_MS)));
      waiter.stop();
      changes.stop();
      feed.stop();
      await queue.drain();
      await endUserQueue.drain();
      await inboundQueue.drain();
      await sendQueue.drain();
      await usage.stop();
      await access.stop();
      await shared?.stop();
      await metrics?.stop();
      await presence.stop();
      await egress.close();
    },
  };
}

async function readiness(db: Db): Promise<{ ok: boolean; detail: string }> {
  try {
    await db.$client.query('SELECT 1');
    return { ok: true, detail: 'ready' };
  } catch (error) {
    return { ok: false, detail: isUnreachable(error) ? 'The database cannot be reached.' : 'The database refuses.' };
  }
}
