import type pg from 'pg';
import type { HandOffReason } from '../../../contract/dashboard/statistics.ts';
import type { MessageContent, MessageSource } from '../../../contract/messages.ts';
import { NO_RESULT, type RunResult } from '../../../contract/results.ts';
import type { RunStatus } from '../../../contract/triggers.ts';
import type { TurnTrace } from '../../engine/turn-trace.ts';
import type { StoredCall } from '../../engine/providers/stored-call.ts';
import { named, rowsOf } from '../named-statement.ts';
import { storable } from '../../kernel/storable.ts';

/** The result of one turn. */
export type CompletedTurn = {
  orgId: string;
  runId: string;
  lease: string;
  agentId: string;
  conversationId: string;
  conversationVersion: number;
  status: Extract<RunStatus, 'waiting_for_user' | 'waiting_for_approval' | 'handed_off' | 'completed' | 'skipped'>;
  reason: string | null;
  conversationStatus: 'open' | 'handed_off' | 'resolved';
  locale: string | null;
  tags: string[];
  state: unknown;
  /** The reason of a hand-off by the agent. */
  handOffReason: HandOffReason | null;
  /** The version of the agent that took the turn and filled the result. Null: the stored version does not change. */
  agentVersion: number | null;
  /** The rollout to which the turn belongs. Null: the turn belongs to no rollout. */
  rolloutId: string | null;
  result: RunResult | null;
  /**
   * How long the run waits in silence until the next step is due, and how many steps of the silence are done. Null: the
   * stored values do not change, because the turn has no message.
   */
  silence: { seconds: number | null; steps: number } | null;
  /** The tool calls that wait for the approval of the team after this turn. */
  approvals: { id: string; call: StoredCall; expiresInSeconds: number }[];
  /** The IDs of the approvals whose decision was passed to the agent in this turn. */
  readApprovals: string[];
  /** True: another turn is due immediately, without a new message. */
  isDue: boolean;
  /** True: the turn leaves end-user messages unanswered that immediately need another turn. */
  leavesUnanswered: boolean;
  messages: { id: string; content: MessageContent; sources: MessageSource[]; trace: TurnTrace | null }[];
  /**
   * The first delivery status of the messages, which is `delivered` if storing the message delivers it, and otherwise
   * `queued`.
   */
  messageStatus: 'delivered' | 'queued';
};

/** The reason of a run that ends because another run continues its conversation. */
export const CONTINUED = 'continued';
const GOES_ON_ELSEWHERE = `(mine.reason IS NOT DISTINCT FROM '${CONTINUED}')`;

/**
 * The time of the next step, if the person stays silent. The time does not change without a new answer of the agent.
 */
const SILENT_UNTIL = `CASE WHEN mine.silent_steps IS NULL THEN r.no_reply_at
      ELSE (SELECT mine.stored_at + mine.silent_seconds * interval '1 second') END`;

export type TurnOutcome = 'stored' | 'outdated';

const TURN = rowsOf('t', {
  org_id: 'text',
  run_id: 'text',
  lease: 'text',
  conversation_id: 'text',
  version: 'int',
  status: 'text',
  reason: 'text',
  conversation_status: 'text',
  locale: 'text',
  tags: 'text',
  state: 'text',
  leaves: 'bool',
  hand_off_reason: 'text',
  agent_version: 'int',
  rollout_id: 'text',
  result: 'text',
  silent_seconds: 'float8',
  silent_steps: 'int',
  is_due: 'bool',
});
const MESSAGES = rowsOf(
  'm',
  {
    org_id: 'text',
    id: 'text',
    conversation_id: 'text',
    run_id: 'text',
    content: 'text',
    sources: 'text',
    trace: 'text',
    status: 'text',
  },
  'message_',
);

const ASKED = rowsOf(
  'p',
  { org_id: 'text', run_id: 'text', id: 'text', agent: 'text', call: 'text', seconds: 'float8' },
  'asked_',
);
/**
 * Stored instead of NULL, which the trigger of `run.result_updated` (migration 0006) takes for a change. Without the
 * space, `:null` would be a parameter.
 */
const NONE = JSON.stringify(NO_RESULT).replaceAll(':', ': ');
const READ = rowsOf('d', { org_id: 'text', run_id: 'text', id: 'text' }, 'read_');

/**
 * Stores all turns in one statement. A turn is stored only if its run still has the worker's lease and its conversation
 * still has the version of the turn. The statement locks the conversation and then the run, as everywhere, so that no
 * other worker can take the run. If a message has arrived since the claim, the turn is outdated and is computed again
 * with this message. An earlier run of the conversation that waits for the person ends now, because only the run of the
 * last answer waits.
 *
 * The planner expects few rows in every step. With joins, the planner could find the locked rows by the organization
 * alone, and compare each turn with every other turn. The statement looks up rows one by one, and `talked` returns all
 * data that later steps need.
 */
export const COMPLETE = named(
  'complete-turns',
  { ...TURN.types, ...MESSAGES.types, ...ASKED.types, ...READ.types },
  `WITH turn AS MATERIALIZED (
  SELECT * FROM ${TURN.from} ORDER BY conversation_id
), mine AS MATERIALIZED (
  SELECT t.*, c.run_id AS before, clock_timestamp() AS stored_at FROM turn t
  CROSS JOIN LATERAL (
    SELECT run_id FROM conversation WHERE org_id = t.org_id AND id = t.conversation_id FOR NO KEY UPDATE
  ) c
  CROSS JOIN LATERAL (
    SELECT FROM run WHERE org_id = t.org_id AND id = t.run_id AND lease = t.lease FOR NO KEY UPDATE
  ) r
), talked AS (
  UPDATE conversation c SET version = c.version + 1, state = mine.state::jsonb,
    unanswered = CASE WHEN mine.leaves THEN c.unanswered ELSE '{}' END,
    tags = (SELECT coalesce(array_agg(v), '{}') FROM json_array_elements_text(mine.tags::json) v), locale = mine.locale,
    status = mine.conversation_status, run_id = CASE WHEN ${GOES_ON_ELSEWHERE} THEN c.run_id ELSE mine.run_id END,
    handed_off_at = CASE WHEN mine.conversation_status <> 'handed_off' THEN NULL
      WHEN c.status = 'handed_off' THEN c.handed_off_at ELSE mine.stored_at END,
    hand_off_reason = CASE WHEN mine.conversation_status <> 'handed_off' THEN NULL
      WHEN c.status = 'handed_off' THEN c.hand_off_reason ELSE mine.hand_off_reason END,
    updated_at = mine.stored_at
  FROM mine WHERE c.org_id = mine.org_id AND c.id = mine.conversation_id AND c.version = mine.version
  RETURNING c.org_id, mine.conversation_id, mine.run_id, mine.status, mine.is_due, mine.reason, mine.before, cardinality(c.unanswered) > 0 AS is_more,
    mine.agent_version, mine.rollout_id, mine.result, mine.silent_seconds, mine.silent_steps, mine.stored_at
), ended AS (
  UPDATE run r SET status = CASE WHEN mine.is_more THEN 'queued' ELSE mine.status END,
    reason = mine.reason, error = NULL, lease = NULL, attempts = 0,
    due_at = CASE WHEN mine.is_more OR mine.is_due THEN (SELECT now()) WHEN mine.status = 'waiting_for_user' THEN ${SILENT_UNTIL} END,
    no_reply_at = CASE WHEN mine.status = 'waiting_for_user' THEN ${SILENT_UNTIL} END,
    reminders = coalesce(mine.silent_steps, r.reminders),
    turns = r.turns + 1, agent_version = coalesce(mine.agent_version, r.agent_version),
    rollout_id = coalesce(r.rollout_id, mine.rollout_id), result = coalesce(mine.result::jsonb, r.result, '${NONE}'),
    finished_at = CASE WHEN mine.status IN ('completed', 'skipped') AND NOT mine.is_more THEN mine.stored_at END
  FROM talked AS mine WHERE r.org_id = mine.org_id AND r.id = mine.run_id
  RETURNING r.id
), overtaken AS (
  UPDATE run r SET status = 'completed', reason = '${CONTINUED}', finished_at = mine.stored_at, due_at = NULL,
    lease = NULL
  FROM talked AS mine
  WHERE r.org_id = mine.org_id AND r.id = mine.before AND mine.before <> mine.run_id AND NOT ${GOES_ON_ELSEWHERE}
    AND r.status IN ('waiting_for_user', 'waiting_for_approval', 'handed_off')
), new_messages AS (
  INSERT INTO message (org_id, id, conversation_id, run_id, role, content, sources, trace, status, created_at, due_at)
  SELECT m.org_id, m.id, m.conversation_id, m.run_id, 'agent', m.content::jsonb, m.sources::jsonb, m.trace::jsonb,
    m.status, clock_timestamp(), CASE WHEN m.status = 'queued' THEN now() END
  FROM ${MESSAGES.from}
  JOIN talked ON talked.org_id = m.org_id AND talked.run_id = m.run_id
), asked AS (
  INSERT INTO approval (org_id, id, agent_id, conversation_id, run_id, call, expires_at, created_at)
  SELECT p.org_id, p.id, p.agent, talked.conversation_id, p.run_id, p.call::jsonb,
    clock_timestamp() + p.seconds * interval '1 second', clock_timestamp()
  FROM ${ASKED.from}
  JOIN talked ON talked.org_id = p.org_id AND talked.run_id = p.run_id
), known AS (
  UPDATE approval a SET answered_at = talked.stored_at
  FROM ${READ.from}
  JOIN talked ON talked.org_id = d.org_id AND talked.run_id = d.run_id
  WHERE a.org_id = d.org_id AND a.id = d.id
)
SELECT id FROM ended`,
);

export async function completeTurns(pool: pg.Pool, turns: readonly CompletedTurn[]): Promise<TurnOutcome[]> {
  const messages = turns.flatMap((turn) => turn.messages.map((message) => ({ turn, message })));
  const asked = turns.flatMap((turn) => turn.approvals.map((approval) => ({ turn, approval })));
  const read = turns.flatMap((turn) => turn.readApprovals.map((id) => ({ turn, id })));
  const ended = await pool.query<{ id: string }>(
    COMPLETE({
      org_id: turns.map((turn) => turn.orgId),
      run_id: turns.map((turn) => turn.runId),
      lease: turns.map((turn) => turn.lease),
      conversation_id: turns.map((turn) => turn.conversationId),
      version: turns.map((turn) => turn.conversationVersion),
      status: turns.map((turn) => turn.status),
      reason: turns.map((turn) => turn.reason),
      conversation_status: turns.map((turn) => turn.conversationStatus),
      locale: turns.map((turn) => turn.locale),
      tags: turns.map((turn) => storable(turn.tags)),
      state: turns.map((turn) => (turn.state === null ? null : storable(turn.state))),
      leaves: turns.map((turn) => turn.leavesUnanswered),
      hand_off_reason: turns.map((turn) => turn.handOffReason),
      agent_version: turns.map((turn) => turn.agentVersion),
      rollout_id: turns.map((turn) => turn.rolloutId),
      silent_seconds: turns.map((turn) => turn.silence?.seconds ?? null),
      silent_steps: turns.map((turn) => turn.silence?.steps ?? null),
      result: turns.map((turn) => (turn.result === null ? null : storable(turn.result))),
      is_due: turns.map((turn) => turn.isDue),
      asked_org_id: asked.map(({ turn }) => turn.orgId),
      asked_run_id: asked.map(({ turn }) => turn.runId),
      asked_id: asked.map(({ approval }) => approval.id),
      asked_agent: asked.map(({ turn }) => turn.agentId),
      asked_call: asked.map(({ approval }) => storable(approval.call)),
      asked_seconds: asked.map(({ approval }) => approval.expiresInSeconds),
      read_org_id: read.map(({ turn }) => turn.orgId),
      read_run_id: read.map(({ turn }) => turn.runId),
      read_id: read.map(({ id }) => id),
      message_org_id: messages.map(({ turn }) => turn.orgId),
      message_id: messages.map(({ message }) => message.id),
      message_conversation_id: messages.map(({ turn }) => turn.conversationId),
      message_run_id: messages.map(({ turn }) => turn.runId),
      message_content: messages.map(({ message }) => storable(message.content)),
      message_sources: messages.map(({ message }) => storable(message.sources)),
      message_trace: messages.map(({ message }) => (message.trace === null ? null : storable(message.trace))),
      message_status: messages.map(({ turn }) => turn.messageStatus),
    }),
  );
  const stored = new Set(ended.rows.map((row) => row.id));
  return turns.map((turn) => (stored.has(turn.runId) ? 'stored' : 'outdated'));
}
