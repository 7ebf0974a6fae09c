import { CreateEndUser } from '../../contract/end-users.ts';
import type { Access } from '../access/access.ts';
import { channelKinds } from '../channels/kinds.ts';
import { compileBody } from '../kernel/validation/validate.ts';
import { createSealedOpener } from '../store/channels/secrets.ts';
import { createApprovalExpiry } from '../worker/approvals/expire-approvals.ts';
import { createAttachmentWorker } from '../worker/attachments/attachment-worker.ts';
import { createBlobWorker } from '../worker/attachments/blob-worker.ts';
import { createCampaignWorker } from '../worker/campaigns/campaign-worker.ts';
import { createAdditionWorker } from '../worker/campaigns/addition-worker.ts';
import { createScheduleWorker } from '../worker/campaigns/schedule-worker.ts';
import { createDeliveryWorker } from '../worker/deliveries/deliver-messages.ts';
import { createDueWatch, type DueWatch } from '../worker/due-watch.ts';
import { createResultAnnouncer } from '../worker/events/announce-results.ts';
import { createEventWorker } from '../worker/events/deliver-events.ts';
import { createHandOffWorker } from '../worker/hand-offs/hand-off-worker.ts';
import { createHousekeeper } from '../worker/housekeeper.ts';
import { createStrayWorker } from '../worker/stray-worker.ts';
import { createEmbeddingWorker } from '../worker/embeddings/embedding-worker.ts';
import { createQuestionWorker } from '../worker/wordings/question-worker.ts';
import { createImportWorker } from '../worker/imports/import-worker.ts';
import { createMailWorker } from '../worker/mail/send-mail.ts';
import { createSourceWorker } from '../worker/document-sources/source-worker.ts';
import { createSurveyWorker } from '../worker/ratings/survey-worker.ts';
import { createTurnWorker } from '../worker/turns/turn-worker.ts';
import type { Db } from '../store/db.ts';
import { createForEachCell } from './for-each-cell.ts';
import { type Rooms, type Wake, WAKES } from './open-rooms.ts';
import type { AppDeps, Role } from './app-deps.ts';
import type { Service } from './service.ts';

/** Half of the promised "drained in 30 s" is for turns, and half is for requests and the database. */
const TURN_GRACE_MS = 15_000;
/**
 * Within this time, a called provider may still answer. After this time, another node continues with the message,
 * which is marked as a possible duplicate.
 */
const DELIVERY_GRACE_MS = 5_000;

/** Creates the workers for turns, deliveries, events, files, imports and housekeeping, in each cell. */
export function createWorkers(app: AppDeps, rooms: Rooms): Service[] {
  const wakes: Wake[] = [];
  for (const name of WAKES) rooms.deps.wake[name] = () => wakes.forEach((wake) => wake[name]());
  const ofCell = (db: Db): Service[] => {
    const { services, wake } = createCellWorkers({ ...app, db }, { ...rooms, deps: { ...rooms.deps, db } });
    wakes.push(wake);
    return services;
  };
  return [
    ...createMailer(app, rooms),
    createStrayWorker(app.db, app.databaseUrl, app.log),
    createForEachCell(app.db, ofCell),
  ];
}

/** Creates the workers of one cell, each of which can be woken at any time. */
function createCellWorkers({ config, db, log, role }: AppDeps, rooms: Rooms) {
  const { deps, tracer } = rooms;
  const due = createDueWatch({ db, isAlone: () => isAlone(role, deps.access) });
  const { answering, egress, openSecrets, waiter, changes, feed, onAccepted } = deps;
  const { deliveries, events } = createSenders({ config, db, log }, rooms, due);
  const announcer = createResultAnnouncer({ db, log, whenDue: due('results') });
  const turns = createTurnWorker({
    db,
    log,
    whenDue: due('turns'),
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
  const handOffs = createHandOffWorker({ ...deps, log, whenDue: due('handOffs'), onApplied: onWritten });
  const surveys = createSurveyWorker({ db, log, whenDue: due('surveys'), onSent: onWritten });
  const attachments = createAttachmentWorker({
    db,
    log,
    whenDue: due('attachments'),
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
  const expiry = createApprovalExpiry({ db, log, whenDue: due('approvals'), onExpired: () => turns.wake() });
  const files = deps.blobs && createBlobWorker({ db, log, blobs: deps.blobs });
  const { imports, sources, embeddings, questions } = createReaders({ db, log }, rooms, due);
  const campaigns = createCampaignWorker({ db, log, whenDue: due('campaigns'), onBegun: onAccepted });
  const additions = createAdditionWorker({ ...deps, log, whenDue: due('additions') });
  const schedules = createScheduleWorker({ db, log, whenDue: due('schedules'), onStarted: () => additions.wake() });
  const housekeeper = createHousekeeper({
    db,
    log,
    queueMail: deps.queueMail,
    setupKey: deps.setupKey,
    baseUrl: config.baseUrl,
  });

  const woken = { turns, deliveries, events, imports, sources, embeddings, additions, campaigns };
  const services: Service[] = [
    inParallel([deliveries, events, attachments]),
    { start: () => turns.start(), stop: () => turns.stop(TURN_GRACE_MS) },
    ...(files ? [files] : []),
    imports,
    sources,
    embeddings,
    questions,
    additions,
    schedules,
    handOffs,
    surveys,
    announcer,
    expiry,
    campaigns,
    housekeeper,
  ];
  return { services, wake: wakesOf(woken) };
}

/** Creates the workers that read files of end users, sites and documents. */
function createReaders({ db, log }: Pick<AppDeps, 'db' | 'log'>, { deps }: Rooms, due: DueWatch) {
  const { egress, answering, readFiles: files } = deps;
  const { connections } = answering;
  return {
    imports: createImportWorker({ ...deps, log, whenDue: due('imports'), check: compileBody(CreateEndUser) }),
    sources: createSourceWorker({ db, log, whenDue: due('sources'), egress, files }),
    embeddings: createEmbeddingWorker({ ...connections, db, log, whenDue: due('embeddings') }),
    questions: createQuestionWorker({ ...connections, db, log, whenDue: due('questions') }),
  };
}

/** Creates the workers for messages to channels and events to endpoints. */
function createSenders(
  { config, db, log }: Pick<AppDeps, 'config' | 'db' | 'log'>,
  { deps, secrets, tracer }: Rooms,
  due: DueWatch,
) {
  const { egress, openSecrets } = deps;
  const { baseUrl } = config;
  return {
    deliveries: createDeliveryWorker({
      db,
      log,
      whenDue: due('deliveries'),
      kinds: channelKinds,
      egress,
      openSecrets,
      baseUrl,
    }),
    events: createEventWorker({
      db,
      log,
      whenDue: due('events'),
      egress,
      openSealed: createSealedOpener(db, secrets.sealingKey),
      tracer,
    }),
  };
}

/** A process with the role `worker` has no lease, so it does not count the nodes. */
const isAlone = (role: Role, access: Access): boolean => role === 'all' && access.ready() && access.state().nodes === 1;

/** Mails to people belong to no cell. */
function createMailer({ config: { mail }, db, log }: AppDeps, { secrets }: Rooms): Service[] {
  return mail ? [inParallel([createMailWorker({ db, log, key: secrets.mailKey, server: mail })])] : [];
}

const wakesOf = (workers: Record<keyof Wake, { wake(): void }>): Wake =>
  Object.fromEntries(WAKES.map((name) => [name, () => workers[name].wake()])) as Wake;

type Sender = { start(): void; stop(graceMs: number): Promise<void> };

const inParallel = (senders: readonly Sender[]): Service => ({
  start: () => senders.forEach((sender) => sender.start()),
  stop: async () => void (await Promise.all(senders.map((sender) => sender.stop(DELIVERY_GRACE_MS)))),
});
