import { CreateEndUser } from '../../contract/end-users.ts';
import { channelKinds } from '../channels/kinds.ts';
import { compileBody } from '../kernel/validation/validate.ts';
import { createSealedOpener } from '../store/channels/secrets.ts';
import { createApprovalExpiry } from '../worker/approvals/expire-approvals.ts';
import { createAttachmentWorker } from '../worker/attachments/attachment-worker.ts';
import { createBlobWorker } from '../worker/attachments/blob-worker.ts';
import { createCampaignWorker } from '../worker/campaigns/campaign-worker.ts';
import { createPushWorker } from '../worker/campaigns/push-worker.ts';
import { createRoundWorker } from '../worker/campaigns/round-worker.ts';
import { createDeliveryWorker } from '../worker/deliveries/deliver-messages.ts';
import { createResultAnnouncer } from '../worker/events/announce-results.ts';
import { createEventWorker } from '../worker/events/deliver-events.ts';
import { createHandOffWorker } from '../worker/hand-offs/hand-off-worker.ts';
import { createHousekeeper } from '../worker/housekeeper.ts';
import { createEmbeddingWorker } from '../worker/embeddings/embedding-worker.ts';
import { createQuestionWorker } from '../worker/wordings/question-worker.ts';
import { createImportWorker } from '../worker/imports/import-worker.ts';
import { createMailWorker } from '../worker/mail/send-mail.ts';
import { createSourceWorker } from '../worker/document-sources/source-worker.ts';
import { createSurveyWorker } from '../worker/ratings/survey-worker.ts';
import { createTurnWorker } from '../worker/turns/turn-worker.ts';
import type { AppDeps, Rooms, Wake } from './open-rooms.ts';
import type { Service } from './service.ts';

/** Half of the promised "drained in 30 s" is for turns, and the rest is for requests and the database. */
const TURN_GRACE_MS = 15_000;
/** A called provider may still answer within this time. After that, the message is left to another node and flagged. */
const DELIVERY_GRACE_MS = 5_000;

/** The workers for turns, deliveries, events, files, imports and housekeeping. Each can be woken at any time. */
export function createWorkers({ config, db, log }: AppDeps, rooms: Rooms): Service[] {
  const { deps, tracer } = rooms;
  const { answering, egress, openSecrets, waiter, changes, feed, wake, onAccepted } = deps;
  const { deliveries, events, mails } = createSenders({ config, db, log }, rooms);
  const announcer = createResultAnnouncer({ db, log });
  const turns = createTurnWorker({
    db,
    log,
    loadAgent: answering.loadAgent,
    pressed: deps.acceptQueue.pressed,
    endUserQueue: deps.endUserQueue,
    liveDeltas: deps.liveDeltas,
    callTool: answering.callTool,
    tracer,
    onStored: () => {
      waiter.look();
      changes.look();
      feed.look();
      deliveries.wake();
      handOffs.wake();
      surveys.wake();
    },
  });
  const onWritten = (): void => {
    changes.look();
    feed.look();
    deliveries.wake();
  };
  const handOffs = createHandOffWorker({ ...deps, log, onApplied: onWritten });
  const surveys = createSurveyWorker({ db, log, onSent: onWritten });
  const attachments = createAttachmentWorker({
    db,
    log,
    kinds: channelKinds,
    egress,
    openSecrets,
    baseUrl: config.baseUrl,
    connections: answering.connections,
    onStored: () => {
      changes.look();
      turns.wake();
    },
  });
  const expiry = createApprovalExpiry({ db, log, onExpired: () => turns.wake() });
  const files = deps.blobs && createBlobWorker({ db, log, blobs: deps.blobs });
  const imports = createImportWorker({ ...deps, log, check: compileBody(CreateEndUser) });
  const sources = createSourceWorker({ db, log, egress, files: deps.readFiles });
  const embeddings = createEmbeddingWorker({ ...answering.connections, log });
  const questions = createQuestionWorker({ ...answering.connections, log });
  const campaigns = createCampaignWorker({ db, log, onBegun: onAccepted });
  const pushes = createPushWorker({ ...deps, log });
  const rounds = createRoundWorker({ db, log, onMade: () => pushes.wake() });
  const housekeeper = createHousekeeper({
    db,
    log,
    queueMail: deps.queueMail,
    setupKey: deps.setupKey,
    baseUrl: config.baseUrl,
  });

  wakeWith(wake, { turns, deliveries, events, imports, sources, embeddings, pushes, campaigns });
  return [
    inParallel([deliveries, events, mails, attachments].filter((sender) => sender !== null)),
    { start: () => turns.start(), stop: () => turns.stop(TURN_GRACE_MS) },
    ...(files ? [files] : []),
    imports,
    sources,
    embeddings,
    questions,
    pushes,
    rounds,
    handOffs,
    surveys,
    announcer,
    expiry,
    campaigns,
    housekeeper,
  ];
}

/** The workers for messages to channels, events to endpoints and mail. */
function createSenders({ config, db, log }: Pick<AppDeps, 'config' | 'db' | 'log'>, { deps, secrets, tracer }: Rooms) {
  const { egress, openSecrets } = deps;
  const { baseUrl, mail } = config;
  return {
    deliveries: createDeliveryWorker({ db, log, kinds: channelKinds, egress, openSecrets, baseUrl }),
    events: createEventWorker({ db, log, egress, openSealed: createSealedOpener(db, secrets.sealingKey), tracer }),
    mails: mail && createMailWorker({ db, log, key: secrets.mailKey, server: mail }),
  };
}

function wakeWith(wake: Wake, workers: Record<keyof Wake, { wake(): void }>): void {
  for (const name of Object.keys(workers) as (keyof Wake)[]) wake[name] = () => workers[name].wake();
}

type Sender = { start(): void; stop(graceMs: number): Promise<void> };

const inParallel = (senders: readonly Sender[]): Service => ({
  start: () => senders.forEach((sender) => sender.start()),
  stop: async () => void (await Promise.all(senders.map((sender) => sender.stop(DELIVERY_GRACE_MS)))),
});
