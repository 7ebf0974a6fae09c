import type { TraceStep } from '../../../contract/dashboard/agents.ts';
import type {
  ConversationMessage,
  ConversationRecord,
  ConversationSummary,
  ListedConversation,
} from '../../../contract/dashboard/conversations.ts';
import { MAX_SHOWN_MESSAGES } from '../../../contract/limits.ts';
import { NO_RESULT } from '../../../contract/results.ts';
import { Refusal } from '../../../contract/problems.ts';
import type { RunStatus } from '../../../contract/triggers.ts';
import { channelKinds } from '../../channels/kinds.ts';
import { timestamp } from '../../kernel/clock.ts';
import type { ConversationFilter } from '../../store/conversations/candidates.ts';
import {
  type ConversationRow,
  findConversation,
  listConversationRuns,
  listNewestMessages,
} from '../../store/conversations/read.ts';
import { listConversationRows } from '../../store/conversations/list.ts';
import { type Match, type Shown, readMatches, readShown } from '../../store/conversations/inbox.ts';
import { containing } from '../../store/search-text.ts';
import type { ConversationsDeps } from './deps.ts';
import { readReplyWindow } from './reply-window.ts';
import { searchExcerpt } from './search-excerpt.ts';
import { listApprovalsOf } from '../../store/approvals/read.ts';
import { presentEntry } from '../../store/approvals/present.ts';
import { listChanges } from '../../store/conversations/changes.ts';
import { listNotes } from '../../store/conversations/notes.ts';
import type { Db } from '../../store/db.ts';
import type { PageOf } from '../../store/page.ts';
import { presentModelUse } from '../../store/costs/present-use.ts';
import { readModelUse } from '../../store/costs/read-use.ts';
import { readAnswerScores } from '../../store/ratings/columns.ts';
import { presentMessage } from '../../store/messages/present.ts';
import { presentNote } from './notes.ts';
import { listHandOffs } from '../../store/hand-offs/list.ts';
import { presentChanges } from './present-changes.ts';
import type { MessageRow } from '../../store/runs/read.ts';

const MAX_MESSAGES = 200;
const MAX_RUNS = 50;
const MAX_APPROVALS = 50;
const MAX_CHANGES = 200;
const MAX_HAND_OFFS = 50;
/** With earlier messages, a conversation has at most this many times as many entries. */
const EARLIER = MAX_SHOWN_MESSAGES / MAX_MESSAGES;

export async function listConversations(
  { db }: { db: Db },
  orgId: string,
  userId: string,
  filter: ConversationFilter,
  page: { limit: number; after: string | null },
): Promise<PageOf<ListedConversation> & { next: string }> {
  const { rows, hasMore, next } = await listConversationRows(db, orgId, userId, filter, page);
  const ids = rows.map(({ id }) => id);
  const { text } = filter;
  const [shown, matches] = await Promise.all([
    readShown(db, orgId, userId, ids),
    text === undefined ? new Map<string, Match>() : readMatches(db, orgId, ids, containing(text)),
  ]);
  return {
    rows: rows.map((row) => {
      const match = matches.get(row.id);
      const found =
        match === undefined || text === undefined ? null : { role: match.role, ...searchExcerpt(match.text, text) };
      return presentListed(row, shown.get(row.id), found);
    }),
    hasMore,
    next,
  };
}

/** With `before`, the conversation also has the messages before this message, and more of its other entries. */
export async function readConversation(
  { db }: Pick<ConversationsDeps, 'db'>,
  orgId: string,
  id: string,
  before?: string,
): Promise<ConversationRecord> {
  const times = before === undefined ? 1 : EARLIER;
  const row = await findConversation(db, orgId, id);
  if (!row) throw new Refusal('conversation_not_found');
  const [{ messages, most }, notes, changes, handOffs, runs, models, window, approvals, scores] = await Promise.all([
    readShownMessages(db, orgId, id, before),
    listNotes(db, orgId, id),
    listChanges(db, orgId, id, times * MAX_CHANGES),
    listHandOffs(db, orgId, id, times * MAX_HAND_OFFS),
    listConversationRuns(db, orgId, id, times * MAX_RUNS),
    readModelUse(db, orgId, id, null),
    readReplyWindow(db, channelKinds.get(row.channelKind), orgId, id),
    listApprovalsOf(db, orgId, id, times * MAX_APPROVALS),
    readAnswerScores(db, orgId, id),
  ]);
  return {
    ...presentConversation(row),
    messages: messages.slice(-most).map((message) => presentConversationMessage(message, scores)),
    has_earlier_messages: messages.length > most,
    notes: notes.map(presentNote),
    changes: presentChanges(id, changes, handOffs),
    approvals: approvals.toReversed().map(presentEntry),
    runs: runs.map((run) => ({
      id: run.id,
      trigger_id: run.triggerId,
      status: run.status as RunStatus,
      reason: run.reason,
      error: run.error,
      agent_version: run.agentVersion,
      result: run.result ?? NO_RESULT,
      earlier: run.input.earlier ?? [],
      created_at: timestamp(run.createdAt),
    })),
    reply_window: window,
    models: models.map(presentModelUse),
  };
}

/** Returns the messages, oldest first, with one more than `most` if the conversation has earlier ones. */
async function readShownMessages(
  db: Db,
  orgId: string,
  id: string,
  before: string | undefined,
): Promise<{ messages: MessageRow[]; most: number }> {
  if (before === undefined)
    return { messages: await listNewestMessages(db, orgId, id, MAX_MESSAGES + 1), most: MAX_MESSAGES };
  const [earlier, shown] = await Promise.all([
    listNewestMessages(db, orgId, id, MAX_MESSAGES + 1, { before }),
    listNewestMessages(db, orgId, id, MAX_SHOWN_MESSAGES + 1, { from: before }),
  ]);
  const most = Math.min(MAX_MESSAGES + shown.length, MAX_SHOWN_MESSAGES);
  return { messages: [...earlier, ...shown], most };
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

const presentListed = (
  row: ConversationRow,
  shown: Shown | undefined,
  found: ListedConversation['found'],
): ListedConversation => ({
  ...presentConversation(row),
  last_message: shown?.last ?? null,
  last_human_message: shown?.lastHuman ?? null,
  found,
  waiting_since: shown?.waitingSince ? timestamp(shown.waitingSince) : null,
  unread: shown?.unread ?? false,
});

const presentConversation = (row: ConversationRow): ConversationSummary => ({
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
  snoozed_until: row.snoozedUntil && timestamp(row.snoozedUntil),
  rating: row.rating,
  created_at: timestamp(row.createdAt),
  updated_at: timestamp(row.updatedAt),
});

/** `scores` are the ratings of the answers of the conversation. A new message has no rating. */
export const presentConversationMessage = (
  row: MessageRow,
  scores?: Awaited<ReturnType<typeof readAnswerScores>>,
): ConversationMessage => ({
  ...presentMessage(row),
  run_id: row.runId,
  status: row.status,
  attempts: row.attempts,
  error: row.error,
  possible_duplicate: row.possibleDuplicate,
  send_at: row.sendAt && timestamp(row.sendAt),
  author_id: row.authorId,
  rating: scores?.get(row.id) ?? null,
  why: row.trace && {
    provider: row.trace.provider,
    steps: row.trace.steps.map(presentStep),
  },
});

/** The JSON of the database has more fields than a page shows. */
const presentStep = ({ kind, detail, ...more }: NonNullable<MessageRow['trace']>['steps'][number]): TraceStep => ({
  kind,
  detail,
  ...Object.fromEntries(
    ['sent', 'output', 'error'].flatMap((name) => (typeof more[name] === 'string' ? [[name, more[name]]] : [])),
  ),
});
