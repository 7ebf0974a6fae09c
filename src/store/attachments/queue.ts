import { sql } from 'drizzle-orm';
import type pg from 'pg';
import type { MessageContent } from '../../../contract/messages.ts';
import { holdPersonOf } from '../end-users/hold-person-of.ts';
import { setConsent } from '../end-users/set-consent.ts';
import { lockConversation } from '../conversations/write.ts';
import type { Db, Queryable } from '../db.ts';
import { attachment } from '../schema/attachment.ts';
import { byKey } from '../queue/join-by-key.ts';
import { dueFairly, fairnessOf, type ClaimedByLane } from '../queue/lanes.ts';
import { type Leased, leasedQueue } from '../queue/leased-queue.ts';
import type { NewAttachment } from './attachments.ts';
import { readTranscribes, startWaitingTurn } from './transcripts.ts';

const QUEUE = leasedQueue('attachment', ['org_id', 'id']);
export const renewAttachments = QUEUE.renewAll;

export type ClaimedAttachment = {
  org_id: string;
  id: string;
  name: string;
  /** Null: the bytes are in the database, and the audio must be transcribed. */
  source: Record<string, string> | null;
  /** The number of attempts, including the present attempt. */
  attempts: number;
  lease: string;
  channel_id: string;
  /** The organization's lane, as in src/store/runs/claim.ts. */
  lane: number;
  share: number;
};

/** Stores a file that is still at the provider. The file is due immediately. */
export async function insertAwaitedAttachment(
  tx: Queryable,
  orgId: string,
  row: { id: string; messageId: string; name: string; source: Readonly<Record<string, string>> },
): Promise<void> {
  const unknown = { token: '', type: 'application/octet-stream', size: 0, hash: '' };
  await tx.insert(attachment).values({ orgId, ...row, ...unknown, dueAt: sql`now()` });
}

const CLAIM = QUEUE.claim<ClaimedAttachment>({
  due: dueFairly('attachment'),
  set: 'attempts = q.attempts + 1',
  returning: 'q.org_id, q.id, q.message_id, q.name, q.source, q.attempts, q.lease, due.lane, due.share',
  read: `SELECT a.org_id, a.id, a.name, a.source, a.attempts, a.lease, c.channel_id, a.lane, a.share FROM claimed a
${byKey('message m', 'm.org_id = a.org_id AND m.id = a.message_id')}
${byKey('conversation c', 'c.org_id = m.org_id AND c.id = m.conversation_id')}`,
});
export const CLAIM_ATTACHMENTS = CLAIM.text;

/**
 * An erased message deletes its files, so each file has a conversation. `claimedByLane` and `perLane` work as in
 * src/store/runs/claim.ts: a slow server of one organization delays only the files of this organization.
 */
export const claimAttachments = (
  pool: pg.Pool,
  lease: string,
  limit: number,
  claimedByLane: ClaimedByLane,
  perLane: number,
): Promise<ClaimedAttachment[]> => CLAIM(pool, limit, lease, fairnessOf(claimedByLane, perLane));

type LeasedAttachment = Leased<'org_id' | 'id'>;

/**
 * Makes the file due later. With null, the file is never due again. If the file is never due again, the message stays
 * unchanged, and a turn that waited for the file starts.
 */
export async function postponeAttachment(db: Db, leased: LeasedAttachment, againAfterMs: number | null): Promise<void> {
  if (againAfterMs !== null) return void (await QUEUE.release(db, leased, againAfterMs / 1_000));
  await QUEUE.finish(db, leased);
  const { rows } = await db.execute<{ run_id: string }>(sql`
    SELECT m.run_id FROM attachment a JOIN message m ON m.org_id = a.org_id AND m.id = a.message_id
    WHERE a.org_id = ${leased.org_id} AND a.id = ${leased.id} AND m.run_id IS NOT NULL`);
  for (const { run_id: runId } of rows) await startWaitingTurn(db, leased.org_id, runId);
}

type Place = { conversation_id: string; message_id: string; run_id: string | null; content: { text?: string } };

/** Without a caption, the text of a message only contains the kind of the file. */
const KIND_ALONE = /^\[\w+\]$/;

/**
 * Stores the bytes and updates the message that shows the file. Returns false if the file does not belong to this
 * worker any more, or was erased.
 */
export async function completeAttachment(
  db: Db,
  leased: LeasedAttachment,
  { token, name, type, size, hash, bytes }: Omit<NewAttachment, 'id' | 'messageId' | 'providerMessageId'>,
  content: MessageContent,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    // Locks the conversation first, which is the order of an erase.
    const { rows } = await tx.execute<Place>(sql`
      SELECT m.conversation_id, m.id AS message_id, m.run_id, m.content FROM attachment a
      JOIN message m ON m.org_id = a.org_id AND m.id = a.message_id
      WHERE a.org_id = ${leased.org_id} AND a.id = ${leased.id}`);
    const [place] = rows;
    if (!place || !(await lockConversation(tx, leased.org_id, place.conversation_id))) return false;
    const caption = KIND_ALONE.test(place.content.text ?? '') ? '' : (place.content.text ?? '');
    const isSpoken = caption === '' && content.type === 'audio' && (await readTranscribes(tx, leased.org_id));
    const file = sql`token = ${token}, name = ${name}, type = ${type}, size = ${size}, hash = ${hash}, bytes = ${bytes},
      source = NULL`;
    const isStored = isSpoken
      ? await QUEUE.release(tx, leased, 0, sql`${file}, attempts = 0`)
      : await QUEUE.finish(tx, leased, file);
    if (!isStored) return false;
    const shown = caption === '' ? content : { ...content, text: caption };
    await tx.execute(sql`UPDATE message SET content = ${JSON.stringify(shown)}::jsonb
      WHERE org_id = ${leased.org_id} AND id = ${place.message_id}`);
    if (!isSpoken && place.run_id !== null) await startWaitingTurn(tx, leased.org_id, place.run_id);
    return true;
  });
}

/**
 * Stores the transcript in the row of the audio file. The turn that waits for the transcript starts. Empty: the audio
 * contains no recognizable speech. `isOptOut`: the words opt the person out. While the team answers the conversation, no
 * turn reads the words, so the opt-out is stored with them.
 */
export async function completeTranscript(
  db: Db,
  leased: LeasedAttachment,
  words: string,
  isOptOut: boolean,
): Promise<void> {
  await db.transaction(async (tx) => {
    const { rows } = await tx.execute<{ conversation_id: string; message_id: string; run_id: string | null }>(sql`
      SELECT m.conversation_id, m.id AS message_id, m.run_id FROM attachment a
      JOIN message m ON m.org_id = a.org_id AND m.id = a.message_id
      WHERE a.org_id = ${leased.org_id} AND a.id = ${leased.id}`);
    const [place] = rows;
    if (!place) return;
    const { org_id: orgId } = leased;
    // Locks the person and then the conversation first, which is the order of an erase.
    const person = isOptOut ? await holdPersonOf(tx, orgId, place.conversation_id) : null;
    const locked = await lockConversation(tx, orgId, place.conversation_id);
    if (!locked || !(await QUEUE.finish(tx, leased))) return;
    if (person !== null && locked.status === 'handed_off')
      await setConsent(tx, orgId, person.endUserId, person.channelKind, 'opted_out', 'stop_word');
    if (words !== '') {
      await tx.execute(sql`UPDATE message SET content = jsonb_set(content, '{text}', to_jsonb(${words}::text))
        WHERE org_id = ${leased.org_id} AND id = ${place.message_id} AND NOT content ? 'text'`);
    }
    if (place.run_id !== null) await startWaitingTurn(tx, leased.org_id, place.run_id);
  });
}
