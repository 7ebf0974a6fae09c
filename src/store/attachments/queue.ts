import { sql } from 'drizzle-orm';
import type pg from 'pg';
import type { MessageContent } from '../../../contract/messages.ts';
import { lockConversation } from '../conversations/write.ts';
import type { Db, Queryable } from '../db.ts';
import { attachment } from '../schema/attachment.ts';
import { byKey } from '../queue/by-key.ts';
import { dueFairly, fairnessOf, type Held as HeldLanes } from '../queue/lanes.ts';
import type { NewAttachment } from './attachments.ts';
import { readTranscribes, startWaitingTurn } from './transcripts.ts';

/** After this time other workers take over the files of a dead worker; a live worker renews every third of it. */
export const ATTACHMENT_LEASE_SECONDS = 60;

export type ClaimedAttachment = {
  org_id: string;
  id: string;
  name: string;
  /** Null: the bytes are here, and what is said in them is to be written down. */
  source: Record<string, string> | null;
  /** Including this one. */
  attempts: number;
  lease: string;
  channel_id: string;
  /** As in src/store/runs/claim.ts. */
  lane: number;
  share: number;
};

/** A file that is still at the provider; it is due at once. */
export async function insertAwaitedAttachment(
  tx: Queryable,
  orgId: string,
  row: { id: string; messageId: string; name: string; source: Readonly<Record<string, string>> },
): Promise<void> {
  const unknown = { token: '', type: 'application/octet-stream', size: 0, hash: '' };
  await tx.insert(attachment).values({ orgId, ...row, ...unknown, dueAt: sql`now()` });
}

export const CLAIM = `WITH ${dueFairly('attachment')}
  UPDATE attachment a SET due_at = now() + make_interval(secs => ${ATTACHMENT_LEASE_SECONDS}), lease = $2,
    attempts = a.attempts + 1
  FROM due, message m ${byKey('conversation c', 'c.org_id = m.org_id AND c.id = m.conversation_id')}
  WHERE m.org_id = a.org_id AND m.id = a.message_id AND a.org_id = due.org_id AND a.id = due.id
  RETURNING a.org_id, a.id, a.name, a.source, a.attempts, a.lease, c.channel_id, due.lane, due.share`;

/**
 * A message that was erased takes its file along, so each has a conversation. `held` and `perLane` as in
 * src/store/runs/claim.ts: a slow server of one organization holds up its own files alone.
 */
export async function claimAttachments(
  pool: pg.Pool,
  lease: string,
  limit: number,
  held: HeldLanes,
  perLane: number,
): Promise<ClaimedAttachment[]> {
  const { rows } = await pool.query<ClaimedAttachment>({
    name: 'claim-attachments',
    text: CLAIM,
    values: [limit, lease, ...fairnessOf(held, perLane)],
  });
  return rows;
}

type Held = Pick<ClaimedAttachment, 'org_id' | 'id' | 'lease'>;

export async function renewAttachments(pool: pg.Pool, held: readonly Held[]): Promise<void> {
  await pool.query({
    name: 'renew-attachments',
    text: `UPDATE attachment a SET due_at = now() + make_interval(secs => ${ATTACHMENT_LEASE_SECONDS})
      FROM unnest($1::text[], $2::text[], $3::text[]) AS t(org_id, id, lease)
      WHERE a.org_id = t.org_id AND a.id = t.id AND a.lease = t.lease`,
    values: [held.map((one) => one.org_id), held.map(({ id }) => id), held.map(({ lease }) => lease)],
  });
}

/** Later again, or never: null. The message then stays as it came, and a turn that waited for the file starts. */
export async function postponeAttachment(db: Db, held: Held, againAfterMs: number | null): Promise<void> {
  await db.execute(sql`UPDATE attachment SET lease = NULL, due_at = now() + ${againAfterMs}::float8 * interval '1 millisecond'
    WHERE org_id = ${held.org_id} AND id = ${held.id} AND lease = ${held.lease}`);
  if (againAfterMs !== null) return;
  const { rows } = await db.execute<{ run_id: string }>(sql`
    SELECT m.run_id FROM attachment a JOIN message m ON m.org_id = a.org_id AND m.id = a.message_id
    WHERE a.org_id = ${held.org_id} AND a.id = ${held.id} AND m.run_id IS NOT NULL`);
  for (const { run_id: runId } of rows) await startWaitingTurn(db, held.org_id, runId);
}

type Place = { conversation_id: string; message_id: string; run_id: string | null; said: { text?: string } };

/** What came without a caption says only of what kind it is. */
const KIND_ALONE = /^\[\w+\]$/;

/** The bytes, and with them the message that shows the file. False: it is not ours any more, or was erased. */
export async function completeAttachment(
  db: Db,
  held: Held,
  { token, name, type, size, hash, bytes }: Omit<NewAttachment, 'id' | 'messageId' | 'providerMessageId'>,
  content: MessageContent,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    // The conversation first, in the order in which an erase locks.
    const { rows } = await tx.execute<Place>(sql`
      SELECT m.conversation_id, m.id AS message_id, m.run_id, m.content AS said FROM attachment a
      JOIN message m ON m.org_id = a.org_id AND m.id = a.message_id
      WHERE a.org_id = ${held.org_id} AND a.id = ${held.id}`);
    const [place] = rows;
    if (!place || !(await lockConversation(tx, held.org_id, place.conversation_id))) return false;
    const caption = KIND_ALONE.test(place.said.text ?? '') ? '' : (place.said.text ?? '');
    const isSpoken = caption === '' && content.type === 'audio' && (await readTranscribes(tx, held.org_id));
    const next = isSpoken ? { dueAt: sql`now()`, attempts: 0 } : { dueAt: null };
    const stored = await tx
      .update(attachment)
      .set({ token, name, type, size, hash, bytes, source: null, lease: null, ...next })
      .where(sql`${attachment.orgId} = ${held.org_id} AND ${attachment.id} = ${held.id}
        AND ${attachment.lease} = ${held.lease}`);
    if (stored.rowCount === 0) return false;
    const shown = caption === '' ? content : { ...content, text: caption };
    await tx.execute(sql`UPDATE message SET content = ${JSON.stringify(shown)}::jsonb
      WHERE org_id = ${held.org_id} AND id = ${place.message_id}`);
    if (!isSpoken && place.run_id !== null) await startWaitingTurn(tx, held.org_id, place.run_id);
    return true;
  });
}
