import { detectLanguage } from '../engine/embedded/detect-language.ts';
import { groupQuestions } from '../engine/knowledge/group-questions.ts';
import { RecipientInput } from '../../contract/campaigns.ts';
import { RATE_WINDOW_SECONDS } from '../../contract/limits.ts';
import { createAccess } from '../access/access.ts';
import { createDigest } from '../access/keys/digest.ts';
import { createLastUsed } from '../access/keys/last-used.ts';
import { createMailLimit } from '../access/sessions/mail-limit.ts';
import { createOidcWhenAsked } from '../access/sessions/oidc-when-asked.ts';
import { createPasskeys } from '../access/sessions/passkeys.ts';
import { createSessions } from '../access/sessions/sessions.ts';
import { createSignInLimit, ORGANIZATION_SIGN_IN_LIMITS, SIGN_IN_LIMITS } from '../access/sessions/sign-in-limit.ts';
import { createTokenGate } from '../access/tokens/token-gate.ts';
import { createVisitorTokens } from '../access/visitors/visitor-token.ts';
import { createConnector } from '../channels/connect.ts';
import { channelKinds } from '../channels/kinds.ts';
import type { Config } from '../config/config.ts';
import { definitionFaults } from '../engine/embedded/definition-faults.ts';
import { schemaFault } from '../engine/providers/tool-schema.ts';
import { chooseText, renderTemplate, templateFault } from '../engine/templates.ts';
import { createChangeWatch } from '../features/changes/watch-changes.ts';
import { createInboundQueue } from '../features/conversations/inbound-queue.ts';
import { compileBody } from '../http/route/validate.ts';
import { systemClock } from '../kernel/clock.ts';
import { createBlobStore } from '../kernel/blob-store.ts';
import { createEgress } from '../kernel/egress.ts';
import type { Logger } from '../kernel/log.ts';
import { createTxtLookUp } from '../kernel/txt-records.ts';
import { loadSecrets } from '../start/load-secrets.ts';
import type { Metrics } from '../start/metrics.ts';
import { createPresence } from '../start/presence.ts';
import { writeLastUsed } from '../store/api-keys/last-used.ts';
import { readNextDocument } from '../store/agents/read-for-turns.ts';
import { createSecretsOpener } from '../store/channels/secrets.ts';
import type { Db } from '../store/db.ts';
import { readVectorPiece } from '../store/embeddings/vectors.ts';
import { createSuppression } from '../store/end-users/suppression.ts';
import { createEndUserQueue } from '../store/end-users/upsert.ts';
import { createIdempotencyGuard } from '../store/idempotency/guard.ts';
import { createQueueMail } from '../store/mail.ts';
import { createSendQueue } from '../store/messages/accept.ts';
import { createMessageFeed } from '../store/messages/feed.ts';
import { createAcceptQueue } from '../store/runs/accept.ts';
import { createRunWaiter } from '../store/runs/await.ts';
import { createEmbedQuestion, createTryEmbedding, type EmbeddingsDeps } from '../worker/embeddings/call-embeddings.ts';
import { createReadFiles } from '../worker/documents/read-files.ts';
import { createReadUpload } from '../worker/documents/read-upload.ts';
import { createLiveWords } from '../store/words/live-words.ts';
import { createKnowledge } from '../worker/knowledge/ask-knowledge.ts';
import { createMcpWatch } from '../worker/mcp/mcp-watch.ts';
import { createCallTool } from '../worker/turns/call-tool.ts';
import { createFindProvider } from '../worker/turns/find-provider.ts';
import { createAgentLoader } from '../worker/turns/load-agent.ts';
import { createPlayCase } from '../worker/turns/play-case.ts';
import { createReplay } from '../worker/turns/replay-conversation.ts';
import { createPlayTurn } from '../worker/turns/play-turn.ts';
import { createPlays } from '../worker/turns/plays.ts';
import { createTryTool } from '../worker/turns/try-tool.ts';
import { createRenderOpening } from '../worker/turns/render-opening.ts';
import { previewCampaign } from '../worker/campaigns/preview-campaign.ts';
import { readRecipients } from '../worker/campaigns/read-recipients.ts';
import { createRehearseCampaign } from '../worker/campaigns/rehearsal/rehearse-campaign.ts';
import { createReviewCampaign } from '../worker/campaigns/review-campaign.ts';
import type { Service } from './service.ts';

/** `all` runs the API and the workers in one process. */
export type Role = 'all' | 'api' | 'worker';

export type AppDeps = {
  config: Config;
  db: Db;
  databaseUrl: string;
  log: Logger;
  role: Role;
  version: string;
};

/** Wakes the workers of this process. Workers of other processes poll. */
export type Wake = Record<
  'turns' | 'deliveries' | 'events' | 'imports' | 'sources' | 'pushes' | 'campaigns' | 'embeddings',
  () => void
>;

export type Rooms = Awaited<ReturnType<typeof openRooms>>;

/**
 * The dependencies of all verbs, in one object: each noun's `deps.ts` names the part that its verbs use. The
 * services are in the order in which they start.
 */
export async function openRooms({ config, db, databaseUrl, log, role, version }: AppDeps) {
  const { region, baseUrl } = config;
  const secrets = await loadSecrets(db, config);
  const presence = createPresence({ db, newestGeneration: secrets.newestGeneration, log });
  const egress = createEgress({ allow: config.egressAllow });
  const blobs = config.blobs && createBlobStore(config.blobs);
  // A worker enforces no rate limits.
  const shared =
    config.redisUrl === null || role === 'worker'
      ? null
      : (await import('../access/limits/shared-counters.ts')).openSharedCounters({
          url: config.redisUrl,
          prefix: `parley:${region}:limit:`,
          windowMs: RATE_WINDOW_SECONDS * 1_000,
          log,
        });
  const access = createAccess({
    db,
    databaseUrl,
    role,
    region,
    baseUrls: config.baseUrls,
    pepper: secrets.apiKeyPepper,
    limits: config.limits,
    shared,
    clock: systemClock,
    onSettled: (ms) => metrics?.revokeSettled(ms),
    log,
  });
  const signInLimit = createSignInLimit(SIGN_IN_LIMITS, shared);
  const digest = createDigest(secrets.apiKeyPepper);
  const tokenLastUsed = createLastUsed({
    clock: systemClock,
    write: (uses) => writeLastUsed(db.$client, 'access_token', uses),
    onError: (error) => log.debug({ err: error }, 'The last use of access tokens was not written.'),
  });
  const suppression = createSuppression(secrets.suppressionKey);
  const acceptQueue = createAcceptQueue(db, suppression, (calls) => metrics?.batchSent(calls));
  const endUserQueue = createEndUserQueue(db, suppression);
  const inboundQueue = createInboundQueue(db, suppression);
  const sendQueue = createSendQueue(db, suppression);
  const metrics: Metrics | null =
    config.metricsAddress &&
    (await import('../start/metrics.ts')).createMetrics({
      address: config.metricsAddress,
      labels: { version, role, region },
      db,
      access: role === 'worker' ? null : access.state,
      acceptQueue: acceptQueue.load,
    });
  const traces =
    config.traces &&
    (await import('../start/traces.ts')).openTraces(config.traces, {
      log,
      labels: { version, role, region },
      onSpans: (outcome, many) => metrics?.spansLeft(outcome, many),
    });
  const waiter = createRunWaiter(db);
  const changes = createChangeWatch(db);
  const feed = createMessageFeed(db);
  const liveWords = createLiveWords({
    pool: db.$client,
    url: databaseUrl,
    role,
    onStored: () => {
      waiter.look();
      changes.look();
      feed.look();
    },
  });
  const callTool = createCallTool({ db, egress, sealingKey: secrets.sealingKey, log });
  const plays = createPlays();
  const { askMcpServer, findChangedTools } = createMcpWatch({ db, egress, sealingKey: secrets.sealingKey, plays });
  const findProvider = createFindProvider({
    db,
    egress,
    sealingKey: secrets.sealingKey,
    callTool,
    findChangedTools,
    log,
    onUse: (use) => metrics?.modelUsed(use),
  });
  const embeddings: EmbeddingsDeps = {
    db,
    egress,
    sealingKey: secrets.sealingKey,
    log,
    onUse: (use) => metrics?.modelUsed(use),
  };
  const knowledge = createKnowledge({
    log,
    readDocument: (...which) => readNextDocument(db.$client, ...which),
    readVectors: (...which) => readVectorPiece(db.$client, ...which),
  });
  const readFiles = createReadFiles({ log });
  const loadAgent = createAgentLoader(db, findProvider, knowledge, createEmbedQuestion(embeddings));

  const wake: Wake = {
    turns: nothing,
    deliveries: nothing,
    events: nothing,
    imports: nothing,
    sources: nothing,
    pushes: nothing,
    campaigns: nothing,
    embeddings: nothing,
  };
  const onAccepted = (): void => {
    wake.turns();
    changes.look();
    feed.look();
  };

  const checkRecipient = compileBody(RecipientInput);
  const deps = {
    db,
    region,
    baseUrl,
    upgradeUrl: config.upgradeUrl,
    clock: systemClock,
    now: Date.now,
    access,
    findChannel: access.facts.channel,
    digest,
    tokenLastUsed,
    tokens: createTokenGate({ db, region, digest, signInLimit, tokenLastUsed }),
    sessions: createSessions({
      db,
      secret: secrets.sessionSecret,
      otherSecrets: secrets.otherSessionSecrets,
      baseUrl,
      limit: signInLimit,
      log: (level, message) => log[level](message),
    }),
    signInLimit,
    organizationSignInLimit: createSignInLimit(ORGANIZATION_SIGN_IN_LIMITS, shared),
    oidc: createOidcWhenAsked({ egress, now: Date.now }),
    lookUpTxt: createTxtLookUp(config.dnsServers),
    passkeys: createPasskeys({ key: secrets.setupKey, baseUrl }),
    signInKey: secrets.signInKey,
    setupKey: secrets.setupKey,
    sealingKey: secrets.sealingKey,
    queueMail: config.mail && createQueueMail(secrets.mailKey),
    mailLimit: createMailLimit(),
    egress,
    guard: createIdempotencyGuard(),
    suppression,
    acceptQueue,
    endUserQueue,
    inboundQueue,
    sendQueue,
    waiter,
    changes,
    feed,
    liveWords,
    kinds: channelKinds,
    blobs,
    openSecrets: createSecretsOpener(db, secrets.sealingKey),
    connector: createConnector({ kinds: channelKinds, egress, baseUrl, now: Date.now }),
    visitorTokens: createVisitorTokens(secrets.visitorKey, Date.now),
    faults: { definition: definitionFaults, template: templateFault, schema: schemaFault },
    templates: { choose: chooseText, render: renderTemplate },
    renderOpening: createRenderOpening(db),
    readUpload: createReadUpload(readFiles),
    playTurn: createPlayTurn({ loadAgent, findProvider, plays }),
    playCase: createPlayCase({ loadAgent, findProvider, plays }),
    replay: createReplay({ loadAgent, findProvider, plays }),
    questions: { group: groupQuestions, languageOf: (text: string) => detectLanguage(text, null) },
    callToolForTry: createTryTool({ callTool, plays }),
    askMcpServer,
    previewCampaign,
    reviewCampaign: createReviewCampaign(db, suppression),
    rehearseCampaign: createRehearseCampaign({ db, suppression, templateFault, check: checkRecipient }),
    readRecipients: (file: string) => readRecipients(file, checkRecipient),
    onAccepted,
    onQueued: () => wake.deliveries(),
    onDelivery: () => wake.events(),
    onImport: () => wake.imports(),
    onSource: () => wake.sources(),
    tryEmbedding: createTryEmbedding(embeddings),
    onEmbedding: () => wake.embeddings(),
    onPush: () => wake.pushes(),
    onPushed: () => {
      wake.campaigns();
      onAccepted();
    },
  };

  const services: Service[] = [
    // Last of all: spans of what stops are sent too.
    { stop: () => traces?.stop() },
    { stop: () => egress.close() },
    { stop: () => blobs?.close() },
    presence,
    { start: async () => void (await metrics?.start()), stop: () => metrics?.stop() },
    { start: () => shared?.start(), stop: () => shared?.stop() },
    // A worker checks no keys: with a lease, a revoke would only wait for it.
    { start: () => (role === 'worker' ? undefined : access.start()), stop: () => access.stop() },
    tokenLastUsed,
    ...[sendQueue, inboundQueue, endUserQueue, acceptQueue].map((queue) => ({ stop: () => queue.drain() })),
    liveWords,
    ...[feed, changes, waiter, knowledge, readFiles].map((one) => ({ stop: () => one.stop() })),
  ];
  const tracer = traces?.tracer ?? null;
  return { deps, services, secrets, shared, metrics, tracer, loadAgent, readFiles, embeddings, wake };
}

const nothing = (): void => {};
