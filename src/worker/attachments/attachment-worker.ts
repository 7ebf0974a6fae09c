import type { Logger } from 'pino';
import { MAX_CAPTION } from '../../../contract/messages.ts';
import { Refusal } from '../../../contract/problems.ts';
import { ProviderError } from '../../engine/provider.ts';
import { asksToStop } from '../../engine/stop-words.ts';
import { ChannelFailure } from '../../channels/channel.ts';
import type { ChannelKinds } from '../../channels/kinds.ts';
import { clean } from '../../features/conversations/store-inbound-message.ts';
import { newAttachment } from '../../features/conversations/new-attachment.ts';
import type { Egress } from '../../kernel/egress.ts';
import { newId } from '../../kernel/ids.ts';
import { createTally } from '../../kernel/tally.ts';
import {
  claimAttachments,
  type ClaimedAttachment,
  completeAttachment,
  completeTranscript,
  postponeAttachment,
  renewAttachments,
} from '../../store/attachments/queue.ts';
import { readAudio, readTranscriptionConnection } from '../../store/attachments/transcripts.ts';
import type { OpenSecrets } from '../../store/channels/secrets.ts';
import type { Db } from '../../store/db.ts';
import { findInboundChannel } from '../../store/inbound/find-receiver.ts';
import { isMoreDue } from '../../store/queue/lanes.ts';
import { LEASE_SECONDS } from '../../store/queue/lease-seconds.ts';
import { callConnection, type ConnectionDeps } from '../../answering/models/call-connection.ts';
import { tryContext } from '../../answering/try-context.ts';
import { type ClaimLoop, createClaimLoop, type Worker } from '../claim-loop.ts';
import type { WhenDue } from '../look-loop.ts';

const POLL_MS = 1_000;
/** The capacity is low, because each file may need 10 MiB of memory. */
const CAPACITY = 4;
/**
 * One lane of organizations may use this part of the capacity, so that a server that does not answer does not block
 * other organizations' files.
 */
const MAX_PER_LANE = 2;
/**
 * Providers count about ten tokens per second of audio, and a second needs more than a thousand bytes in any format.
 */
const BYTES_PER_TOKEN = 100;
/** The time is shorter than the time after which a budget reservation counts as abandoned. */
const TRANSCRIPT_TIMEOUT_MS = 50_000;
/**
 * The delays before the second and each later attempt. After the last delay and attempt, the message stays unchanged.
 */
const RETRY_SECONDS = [5, 30, 120, 600, 3_600, 6 * 3_600];

export type AttachmentWorkerDeps = {
  db: Db;
  log: Logger;
  whenDue?: WhenDue;
  kinds: ChannelKinds;
  egress: Egress;
  openSecrets: OpenSecrets;
  baseUrl: string;
  connections: ConnectionDeps;
  /** This function is called when a message shows its file. */
  onStored(): void;
};

/**
 * Downloads the files that people sent through a provider. The provider stores the bytes and sends only a reference, so
 * Parley accepts the message without the bytes. If a transcription model is connected, the worker also transcribes
 * audio.
 */
export function createAttachmentWorker(deps: AttachmentWorkerDeps): Worker {
  const { db, log } = deps;
  const pool = db.$client;
  const lanes = createTally<number>();

  const loop: ClaimLoop<ClaimedAttachment, Outcome, void> = createClaimLoop({
    rows: 'files',
    log,
    pollMs: POLL_MS,
    whenDue: deps.whenDue,
    capacity: CAPACITY,
    batch: CAPACITY,
    leaseSeconds: LEASE_SECONDS.attachment,
    claim: async (limit) => {
      const claimed = await claimAttachments(pool, newId('node'), limit, lanes.counts, MAX_PER_LANE);
      return { claimed, isMoreDue: isMoreDue(claimed, limit) };
    },
    renew: async (claimed) => void (await renewAttachments(pool, claimed)),
    work: async ({ row, abort }) => loop.storeWithRetries(await attempt(deps, row, abort.signal)),
    complete: async (outcomes) => {
      for (const { row, file, words, againAfterMs } of outcomes) {
        if (file) await completeAttachment(db, row, file.row, file.content);
        else if (words !== null) await completeTranscript(db, row, words, asksToStop([words]));
        else await postponeAttachment(db, row, againAfterMs);
      }
      deps.onStored();
      return outcomes.map(() => undefined);
    },
    storesAtOnce: 1,
    ids: ({ id }) => ({ attachment_id: id }),
    onBegin: ({ lane }) => lanes.add(lane),
    onEnd: ({ lane }, wasFull) => {
      const wasLaneFull = lanes.of(lane) === MAX_PER_LANE;
      lanes.remove(lane);
      return wasFull || wasLaneFull;
    },
  });
  return loop;
}

type Outcome = {
  row: ClaimedAttachment;
  file: Awaited<ReturnType<typeof newAttachment>> | null;
  /** The transcript of the audio file. */
  words: string | null;
  /** Null: the file is finished, or was abandoned. */
  againAfterMs: number | null;
};

async function attempt(deps: AttachmentWorkerDeps, row: ClaimedAttachment, signal: AbortSignal): Promise<Outcome> {
  try {
    const { source } = row;
    if (source === null) return { row, file: null, words: await writeDown(deps, row, signal), againAfterMs: null };
    return { row, file: await fetchFile(deps, { ...row, source }, signal), words: null, againAfterMs: null };
  } catch (error) {
    if (signal.aborted) return { row, file: null, words: null, againAfterMs: 0 };
    const { code, message, isFinal, afterMs } = failureOf(error);
    const delay = RETRY_SECONDS[row.attempts - 1];
    const againAfterMs = isFinal || delay === undefined ? null : Math.max(afterMs, delay * 1_000);
    const what = row.source === null ? 'a transcript' : 'a copy of a file';
    const facts = { attachment_id: row.id, attempts: row.attempts, code, detail: message };
    deps.log.warn(
      facts,
      againAfterMs === null ? `${what} was given up` : `${what} could not be made; it is tried again`,
    );
    return { row, file: null, words: null, againAfterMs };
  }
}

async function fetchFile(
  { db, kinds, egress, openSecrets, baseUrl }: AttachmentWorkerDeps,
  row: ClaimedAttachment & { source: Record<string, string> },
  signal: AbortSignal,
) {
  const channel = await findInboundChannel(db, row.channel_id);
  const kind = kinds.get(channel?.kind ?? '');
  if (!channel || channel.orgId !== row.org_id || !kind?.fetchFile) {
    throw new Refusal('channel_not_found');
  }
  const account = { id: channel.id, settings: channel.settings, secrets: await openSecrets(channel) };
  const tools = { egress, signal, now: Date.now, inboundUrl: `${baseUrl}/inbound/${channel.kind}/${channel.id}` };
  const bytes = await kind.fetchFile(row.source, account, tools);
  return newAttachment({ db, baseUrl }, row.org_id, { name: row.name, bytes }, { id: row.id });
}

/** The value is empty if no speech is recognized, or if transcripts were turned off in the meantime. */
async function writeDown({ connections, db }: AttachmentWorkerDeps, row: ClaimedAttachment, signal: AbortSignal) {
  const [connection, audio] = [
    await readTranscriptionConnection(db, row.org_id),
    await readAudio(db.$client, row.org_id, row.id),
  ];
  if (connection === null || audio === null) return '';
  const { transcriptionModel: model } = connection;
  const { transcribeAudio, TRANSCRIPT_MAX_BYTES } = await import('../../engine/providers/transcribe-audio.ts');
  const call = {
    model,
    caller: { context: tryContext(row.org_id, audio.agentId), agent: { id: audio.agentId, definition: {} } },
    inputTokens: Math.ceil(audio.bytes.length / BYTES_PER_TOKEN),
    timeoutMs: TRANSCRIPT_TIMEOUT_MS,
    maxBytes: TRANSCRIPT_MAX_BYTES,
  };
  const words = await callConnection(connections, connection, call, async (settings) => {
    const asked = { settings, model, audio: audio.bytes, timeoutMs: TRANSCRIPT_TIMEOUT_MS, signal };
    return { result: await transcribeAudio(asked), inputTokens: null };
  });
  return cut(clean(words));
}

const cut = (words: string): string =>
  words.length <= MAX_CAPTION ? words : `${words.slice(0, MAX_CAPTION - 1).toWellFormed()}…`;

/**
 * A broken channel may be repaired later, so its files are tried again. A refusal by a provider, or by a limit of the
 * organization, is permanent.
 */
function failureOf(error: unknown): { code: string; message: string; isFinal: boolean; afterMs: number } {
  if (error instanceof ChannelFailure) {
    const { retryable, channelBroken, retryAfterMs } = error.facts;
    return {
      code: error.code,
      message: error.message,
      isFinal: !retryable && !channelBroken,
      afterMs: retryAfterMs ?? 0,
    };
  }
  if (error instanceof ProviderError) {
    const { retryable, retryAfterMs } = error;
    return { code: error.code, message: error.message, isFinal: !retryable, afterMs: retryAfterMs ?? 0 };
  }
  if (error instanceof Refusal) return { code: error.code, message: error.message, isFinal: true, afterMs: 0 };
  return { code: 'unknown', message: (error as Error).name, isFinal: false, afterMs: 0 };
}
