import { Refusal } from '../../../contract/problems.ts';
import type { RunRecord, RunStatus } from '../../../contract/triggers.ts';
import { timestamp } from '../../kernel/clock.ts';
import type { Db, Queryable } from '../../store/db.ts';
import { presentMessage } from '../../store/messages/present.ts';
import type { PageOf, PageRequest } from '../../store/page.ts';
import { cancelRunRow, findRun, listRunMessages, listRunRows, type RunRow } from '../../store/runs/read.ts';

export async function readRun(
  db: Db,
  orgId: string,
  triggerId: string,
  runId: string,
  options: { messages: boolean },
): Promise<RunRecord> {
  const row = await findRun(db, orgId, triggerId, runId);
  if (!row) throw new Refusal('run_not_found');
  const record = presentRun(row);
  if (!options.messages) return record;
  const messages = await listRunMessages(db, orgId, row.conversationId, row.id);
  return { ...record, messages: messages.map(presentMessage) };
}

export async function listRuns(
  db: Db,
  orgId: string,
  filter: { triggerId: string; status?: string | undefined },
  page: PageRequest,
): Promise<PageOf<RunRow>> {
  return listRunRows(db, orgId, filter, page);
}

/** Cancels a run that has not ended. A turn in progress is discarded; sent messages stay. */
export async function cancelRun(db: Queryable, orgId: string, triggerId: string, runId: string): Promise<RunRecord> {
  const row = await findRun(db, orgId, triggerId, runId);
  if (!row) throw new Refusal('run_not_found');
  if (row.status === 'cancelled') return presentRun(row);
  if (!(await cancelRunRow(db, orgId, runId))) throw new Refusal('run_finished');
  return presentRun((await findRun(db, orgId, triggerId, runId))!);
}

export const presentRun = (row: RunRow): RunRecord => ({
  id: row.id,
  status: row.status as RunStatus,
  agent_id: row.agentId,
  // Listed and read only below a trigger.
  trigger_id: row.triggerId ?? '',
  conversation_id: row.conversationId,
  end_user_id: row.endUserId,
  channel_id: row.channelId,
  created_at: timestamp(row.createdAt),
  reason: row.reason,
  error: row.error,
  metadata: row.input.metadata ?? {},
  attempts: row.attempts,
  request_id: row.requestId,
  send_at: row.sendAt && timestamp(row.sendAt),
  finished_at: row.finishedAt && timestamp(row.finishedAt),
});
