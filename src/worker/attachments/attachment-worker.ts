import type { Logger } from 'pino';
import { Refusal } from '../../../contract/problems.ts';
import { ChannelFailure } from '../../channels/channel.ts';
import type { ChannelKinds } from '../../channels/kinds.ts';
import { newAttachment } from '../../features/conversations/new-attachment.ts';
import type { Egress } from '../../kernel/egress.ts';
import { newId } from '../../kernel/ids.ts';
import {
  ATTACHMENT_LEASE_SECONDS,
  claimAttachments,
  type ClaimedAttachment,
  completeAttachment,
  postponeAttachment,
  renewAttachments,
} from '../../store/attachments/queue.ts';
import type { OpenSecrets } from '../../store/channels/secrets.ts';
import type { Db } from '../../store/db.ts';
import { findInboundChannel } from '../../store/inbound/place.ts';
import { type ClaimLoop, createClaimLoop, type Worker } from '../claim-loop.ts';

const POLL_MS = 1_000;
/** Each may hold 10 MiB. */
const CAPACITY = 4;
/** Delays before the second and each further attempt; then the message stays as it came. */
const RETRY_SECONDS = [5, 30, 120, 600, 3_600, 6 * 3_600];

export type AttachmentWorkerDeps = {
  db: Db;
  log: Logger;
  kinds: ChannelKinds;
  egress: Egress;
  openSecrets: OpenSecrets;
  baseUrl: string;
  /** A message shows its file now. */
  onStored(): void;
};

/**
 * Fetches the files that people sent through a provider, which names a file and keeps its bytes. The message is
 * accepted and answered without waiting for them.
 */
export function createAttachmentWorker(deps: AttachmentWorkerDeps): Worker {
  const { db, log } = deps;
  const pool = db.$client;

  const loop: ClaimLoop<ClaimedAttachment, Outcome, void> = createClaimLoop({
    rows: 'files',
    log,
    pollMs: POLL_MS,
    capacity: CAPACITY,
    batch: CAPACITY,
    leaseSeconds: ATTACHMENT_LEASE_SECONDS,
    claim: async (limit) => {
      const claimed = await claimAttachments(pool, newId('node'), limit);
      return { claimed, isMoreDue: claimed.length === limit };
    },
    renew: (held) => renewAttachments(pool, held),
    work: async ({ row, abort }) => loop.storeWithRetries(await attempt(deps, row, abort.signal)),
    complete: async (outcomes) => {
      for (const { row, file, againAfterMs } of outcomes) {
        if (file) await completeAttachment(db, row, file.row, file.content);
        else await postponeAttachment(pool, row, againAfterMs);
      }
      deps.onStored();
      return outcomes.map(() => undefined);
    },
    storeLanes: 1,
    ids: ({ id }) => ({ attachment_id: id }),
    onBegin: () => {},
    onEnd: (_row, wasFull) => wasFull,
  });
  return loop;
}

type Outcome = {
  row: ClaimedAttachment;
  file: Awaited<ReturnType<typeof newAttachment>> | null;
  /** Null: it was fetched, or was given up. */
  againAfterMs: number | null;
};

async function attempt(deps: AttachmentWorkerDeps, row: ClaimedAttachment, signal: AbortSignal): Promise<Outcome> {
  try {
    return { row, file: await fetchFile(deps, row, signal), againAfterMs: null };
  } catch (error) {
    if (signal.aborted) return { row, file: null, againAfterMs: 0 };
    const { code, message, isFinal, afterMs } = failureOf(error);
    const delay = RETRY_SECONDS[row.attempts - 1];
    const againAfterMs = isFinal || delay === undefined ? null : Math.max(afterMs, delay * 1_000);
    const facts = { attachment_id: row.id, attempts: row.attempts, code, detail: message };
    deps.log.warn(
      facts,
      againAfterMs === null ? 'a file was given up' : 'a file could not be fetched; it is tried again',
    );
    return { row, file: null, againAfterMs };
  }
}

async function fetchFile(
  { db, kinds, egress, openSecrets, baseUrl }: AttachmentWorkerDeps,
  row: ClaimedAttachment,
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
  return newAttachment({ db, baseUrl }, row.org_id, { name: row.name, bytes }, row.id);
}

/** A faulty channel may be mended; what a provider or the limit of the organization refuses stays refused. */
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
  if (error instanceof Refusal) return { code: error.code, message: error.message, isFinal: true, afterMs: 0 };
  return { code: 'unknown', message: (error as Error).name, isFinal: false, afterMs: 0 };
}
