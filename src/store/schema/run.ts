import { sql } from 'drizzle-orm';
import { index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import type { ResultField, RunResult } from '../../../contract/results.ts';
import type { RunInput } from '../../../contract/triggers.ts';
import type { TurnAnswer } from '../../../contract/turns.ts';
import { bytes, createdAt, LANE, moment, orgId } from './columns.ts';

/** A turn for the customer's own code, with the turns before it. */
export type CodeTurn = {
  id: string;
  /** The messages that the turn answers. If the conversation has other messages, the turn is superseded. */
  basis: string;
  attempt: number;
  deadline: string;
  /** True: the code has accepted the turn and sends its answer later. */
  waits: boolean;
  /** The result fields that an answer may fill. */
  fields: Pick<ResultField, 'name' | 'type' | 'choices'>[];
  /** The IDs of the approvals whose decision the first attempt had. */
  told?: string[];
  /** The first answer and its hash `print`, which stays when `answer` is removed. */
  answer?: TurnAnswer;
  print?: string;
  /** The answered turns, the newest last. */
  past: { id: string; print: string }[];
};

/**
 * The record of one accepted trigger call. The row is also an entry in the queue: a run with a `due_at` in the past
 * needs an agent turn. Claiming the run moves `due_at` to the end of the lease and sets `lease`. Completing the run
 * clears both columns, but only if `lease` still belongs to the worker (docs/adr/0003).
 */
export const run = pgTable(
  'run',
  {
    orgId: orgId(),
    id: text('id').notNull(),
    /** Null if an end user's own message started the run. */
    triggerId: text('trigger_id'),
    conversationId: text('conversation_id').notNull(),
    status: text('status').notNull(),
    reason: text('reason'),
    error: jsonb('error').$type<{ code: string; detail: string }>(),
    /** The part of the caller's input that the worker still needs. */
    input: jsonb('input').$type<RunInput>().notNull(),
    /** The number of turns so far. */
    turns: integer('turns').notNull().default(0),
    requestId: text('request_id'),
    createdAt: createdAt(),
    sendAt: moment('send_at'),
    finishedAt: moment('finished_at'),
    dueAt: moment('due_at'),
    lease: text('lease'),
    attempts: integer('attempts').notNull().default(0),
    /** The version of the agent that took the latest turn. */
    agentVersion: integer('agent_version'),
    /**
     * The rollout that was active when the first turn of the run was taken. Null: there was no rollout, or the call
     * chose the version.
     */
    rolloutId: text('rollout_id'),
    /** The current result of the conversation. Null: no turn was stored. */
    result: jsonb('result').$type<RunResult>(),
    /** The time at which the event about the changed result is due. All changes before this time share one event. */
    resultEventAt: moment('result_event_at'),
    /** The time of the next step while the person is silent, and the number of reminders so far. */
    noReplyAt: moment('no_reply_at'),
    reminders: integer('reminders'),
    /**
     * The turn that the customer's own code answers (../turns/code-turn.ts). Null: the code was never called for this
     * run.
     */
    codeTurn: jsonb('code_turn').$type<CodeTurn>(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.id] }),
    // A run references its trigger and its conversation (see ../checked-references.ts).
    index('run_list').on(table.triggerId, table.status, table.createdAt),
    // The index serves the erasure of conversations. Without this index, each deleted conversation would scan all runs
    // of the organization.
    index('run_conversation').on(table.conversationId),
    index('run_lane')
      .on(sql.raw(LANE), table.dueAt)
      .where(sql`due_at IS NOT NULL`),
    index('run_result_event')
      .on(table.resultEventAt)
      .where(sql`result_event_at IS NOT NULL`),
    index('run_rollout')
      .on(table.rolloutId, table.id)
      .where(sql`rollout_id IS NOT NULL`),
  ],
);

/**
 * The stored response of a POST with an effect. The response commits together with the effect and is stored for 24
 * hours.
 */
export const idempotency = pgTable(
  'idempotency',
  {
    orgId: orgId(),
    /** The hash (SHA-256) of method, path and Idempotency-Key. */
    scope: bytes('scope').notNull(),
    /** The hash (SHA-256) of the body. */
    request: bytes('request').notNull(),
    status: integer('status').notNull(),
    location: text('location'),
    body: text('body').notNull(),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.orgId, table.scope] }), index('idempotency_age').on(table.createdAt)],
);
