import { and, eq, isNotNull, sql, type SQL } from 'drizzle-orm';
import type pg from 'pg';
import type { Queryable } from '../db.ts';
import type { ModelRow } from '../models.ts';
import { modelProvider } from '../schema/agent.ts';

/**
 * Transcripts of audio files by a connected model. An audio file enters the queue of files a second time, with its
 * bytes and without a `source`.
 */
export type TranscriptionConnection = ModelRow & { transcriptionModel: string };

/** The longest time that a turn waits for a file or its transcript. */
export const FILE_WAIT_MS = 30_000;

/** The connection that transcribes audio of the organization. Null: no connection transcribes audio. */
export async function readTranscriptionConnection(
  db: Queryable,
  orgId: string,
): Promise<TranscriptionConnection | null> {
  const rows = await db
    .select()
    .from(modelProvider)
    .where(and(eq(modelProvider.orgId, orgId), isNotNull(modelProvider.transcriptionModel)));
  return (rows[0] as TranscriptionConnection | undefined) ?? null;
}

/**
 * Removes the transcription model from other connections, because only one connection may have a transcription model.
 */
export async function clearOtherTranscriptionModels(tx: Queryable, orgId: string, provider: string): Promise<void> {
  await tx
    .update(modelProvider)
    .set({ transcriptionModel: null })
    .where(and(eq(modelProvider.orgId, orgId), sql`${modelProvider.provider} <> ${provider}`));
}

/** An SQL condition: audio of the organization is transcribed. */
export const transcribes = (orgId: SQL | string): SQL =>
  sql`EXISTS (SELECT 1 FROM model_provider p WHERE p.org_id = ${orgId} AND p.transcription_model IS NOT NULL)`;

export async function readTranscribes(db: Queryable, orgId: string): Promise<boolean> {
  const { rows } = await db.execute<{ on: boolean }>(sql`SELECT ${transcribes(orgId)} AS "on"`);
  return rows[0]!.on;
}

export async function readAudio(
  pool: pg.Pool,
  orgId: string,
  id: string,
): Promise<{ agentId: string; bytes: Buffer } | null> {
  const { rows } = await pool.query<{ agentId: string; bytes: Buffer }>({
    name: 'read-audio',
    text: `SELECT c.agent_id AS "agentId", a.bytes FROM attachment a
      JOIN message m ON m.org_id = a.org_id AND m.id = a.message_id
      JOIN conversation c ON c.org_id = m.org_id AND c.id = m.conversation_id
      WHERE a.org_id = $1 AND a.id = $2 AND a.bytes IS NOT NULL`,
    values: [orgId, id],
  });
  return rows[0] ?? null;
}

/** A delayed turn starts now, unless the turn needs another file or transcript that is still missing. */
export async function startWaitingTurn(tx: Queryable, orgId: string, runId: string): Promise<void> {
  await tx.execute(sql`UPDATE run SET due_at = now()
    WHERE org_id = ${orgId} AND id = ${runId} AND status = 'queued' AND lease IS NULL AND due_at > now()
      AND due_at < now() + ${FILE_WAIT_MS} * interval '1 millisecond' AND attempts = 0
      AND NOT EXISTS (SELECT 1 FROM message m JOIN attachment a ON a.org_id = m.org_id AND a.message_id = m.id
        WHERE m.org_id = ${orgId} AND m.run_id = ${runId} AND a.due_at IS NOT NULL)`);
}
