import type { NamedRun } from '../../../contract/dashboard/triggers.ts';
import { Refusal } from '../../../contract/problems.ts';
import { NO_RESULT } from '../../../contract/results.ts';
import type { RunRecord, RunStatus } from '../../../contract/triggers.ts';
import { timestamp } from '../../kernel/clock.ts';
import { readNames } from '../../store/end-users/read.ts';
import { presentMessage } from '../../store/messages/present.ts';
import type { PageOf, PageRequest } from '../../store/page.ts';
import { presentModelUse } from '../../store/costs/present-use.ts';
import { readModelUse } from '../../store/costs/read-use.ts';
import {
  findRun,
  listRunMessages,
  listRunRows,
  type MessageRow,
  type RunFilter,
  type RunRow,
} from '../../store/runs/read.ts';
import type { TriggersDeps } from './deps.ts';

export async function readRun(
  { db }: Pick<TriggersDeps, 'db'>,
  orgId: string,
  triggerId: string,
  runId: string,
  options: { messages: boolean; models: boolean; clientMark?: string | undefined },
): Promise<RunRecord> {
  const { clientMark } = options;
  const row = await findRun(db, orgId, triggerId, runId, clientMark);
  if (!row) throw new Refusal('run_not_found');
  const [messages, models] = await Promise.all([
    options.messages ? listRunMessages(db, orgId, row.conversationId, row.id) : null,
    options.models ? readModelUse(db, orgId, row.conversationId, row.id) : null,
  ]);
  return {
    ...presentRun(row),
    ...(messages && { messages: messages.filter(visibleTo(clientMark)).map(presentMessage) }),
    ...(models && { models: models.map(presentModelUse) }),
  };
}

export const runFilter = (
  triggerId: string,
  query: { status?: string | undefined; created_after?: string | undefined; created_before?: string | undefined },
): RunFilter => ({
  triggerId,
  status: query.status,
  createdAfter: query.created_after === undefined ? undefined : new Date(query.created_after),
  createdBefore: query.created_before === undefined ? undefined : new Date(query.created_before),
});

export async function listRuns(
  { db }: Pick<TriggersDeps, 'db'>,
  orgId: string,
  filter: RunFilter,
  page: PageRequest,
): Promise<PageOf<RunRecord>> {
  const { rows, hasMore } = await listRunRows(db, orgId, filter, page);
  return { rows: rows.map(presentRun), hasMore };
}

/** A page shows no internal messages and no messages that are scheduled for later. Backends see all messages. */
export const visibleTo =
  (clientMark: string | undefined) =>
  ({ role, sendAt }: Pick<MessageRow, 'role' | 'sendAt'>): boolean =>
    clientMark === undefined || (role !== 'system' && (sendAt === null || sendAt.getTime() <= Date.now()));

/** Presents a run for members, who may read personal data. */
export async function listNamedRuns(
  deps: Pick<TriggersDeps, 'db'>,
  orgId: string,
  filter: RunFilter,
  page: PageRequest,
): Promise<PageOf<NamedRun>> {
  const { rows, hasMore } = await listRuns(deps, orgId, filter, page);
  const names = await readNames(
    deps.db,
    orgId,
    rows.map(({ end_user_id: id }) => id),
  );
  return { rows: rows.map((run) => ({ ...run, name: names.get(run.end_user_id) ?? null })), hasMore };
}

export const presentRun = (row: RunRow): RunRecord => ({
  id: row.id,
  status: row.status as RunStatus,
  agent_id: row.agentId,
  // Runs are listed and read only below a trigger, so the ID is present.
  trigger_id: row.triggerId ?? '',
  conversation_id: row.conversationId,
  end_user_id: row.endUserId,
  channel_id: row.channelId,
  created_at: timestamp(row.createdAt),
  reason: row.reason,
  error: row.error,
  metadata: row.input.metadata ?? {},
  attempts: row.attempts,
  agent_version: row.agentVersion,
  result: row.result ?? NO_RESULT,
  rating: row.rating,
  request_id: row.requestId,
  send_at: row.sendAt && timestamp(row.sendAt),
  finished_at: row.finishedAt && timestamp(row.finishedAt),
});
