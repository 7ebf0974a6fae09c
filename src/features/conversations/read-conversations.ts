import type { TraceStep } from '../../../contract/dashboard/agents.ts';
import type {
  ConversationMessage,
  ConversationRecord,
  ConversationSummary,
} from '../../../contract/dashboard/conversations.ts';
import { Refusal } from '../../../contract/problems.ts';
import type { RunStatus } from '../../../contract/triggers.ts';
import { timestamp } from '../../kernel/clock.ts';
import {
  type ConversationFilter,
  type ConversationRow,
  findConversation,
  listConversationRows,
  listConversationRuns,
  listNewestMessages,
} from '../../store/conversations/read.ts';
import type { Db } from '../../store/db.ts';
import type { PageOf, PageRequest } from '../../store/page.ts';
import { presentModelUse } from '../../store/spending/present-use.ts';
import { readModelUse } from '../../store/spending/read-use.ts';
import { presentMessage } from '../../store/messages/present.ts';
import type { MessageRow } from '../../store/runs/read.ts';

const MAX_MESSAGES = 200;
const MAX_RUNS = 50;

export const listConversations = (
  { db }: { db: Db },
  orgId: string,
  filter: ConversationFilter,
  page: PageRequest,
): Promise<PageOf<ConversationRow>> => listConversationRows(db, orgId, filter, page);

export async function readConversation({ db }: { db: Db }, orgId: string, id: string): Promise<ConversationRecord> {
  const row = await findConversation(db, orgId, id);
  if (!row) throw new Refusal('conversation_not_found');
  const [messages, runs, models] = await Promise.all([
    listNewestMessages(db, orgId, id, MAX_MESSAGES),
    listConversationRuns(db, orgId, id, MAX_RUNS),
    readModelUse(db, orgId, id, null),
  ]);
  return {
    ...presentConversation(row),
    messages: messages.map(presentConversationMessage),
    runs: runs.map((run) => ({
      id: run.id,
      trigger_id: run.triggerId,
      status: run.status as RunStatus,
      reason: run.reason,
      error: run.error,
      created_at: timestamp(run.createdAt),
    })),
    models: models.map(presentModelUse),
  };
}

export async function summarizeConversation(
  { db }: { db: Db },
  orgId: string,
  id: string,
): Promise<ConversationSummary> {
  const row = await findConversation(db, orgId, id);
  if (!row) throw new Refusal('conversation_not_found');
  return presentConversation(row);
}

export const presentConversation = (row: ConversationRow): ConversationSummary => ({
  id: row.id,
  agent_id: row.agentId,
  channel_id: row.channelId,
  channel_kind: row.channelKind,
  end_user: { id: row.endUser.id, name: row.endUser.name, external_id: row.endUser.externalId },
  key: row.key,
  status: row.status,
  locale: row.locale,
  tags: row.tags,
  assignee_id: row.assigneeId,
  created_at: timestamp(row.createdAt),
  updated_at: timestamp(row.updatedAt),
});

export const presentConversationMessage = (row: MessageRow): ConversationMessage => ({
  ...presentMessage(row),
  run_id: row.runId,
  status: row.status,
  attempts: row.attempts,
  error: row.error,
  possible_duplicate: row.possibleDuplicate,
  send_at: row.sendAt && timestamp(row.sendAt),
  author_id: row.authorId,
  why: row.trace && {
    provider: row.trace.provider,
    steps: row.trace.steps.map(presentStep),
  },
});

/** The database's JSON has more than a page shows. */
const presentStep = ({ kind, detail, ...more }: NonNullable<MessageRow['trace']>['steps'][number]): TraceStep => ({
  kind,
  detail,
  ...Object.fromEntries(
    ['sent', 'output', 'error'].flatMap((name) => (typeof more[name] === 'string' ? [[name, more[name]]] : [])),
  ),
});
