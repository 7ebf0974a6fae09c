import { sql } from 'drizzle-orm';
import { foreignKey, index, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import type { ApprovalOutcome, StoredCall } from '../../engine/providers/stored-call.ts';
import { createdAt, moment, orgId } from './columns.ts';
import { conversation } from './conversation.ts';

/**
 * A tool call that the team must approve. The turn that requests the approval writes the row, and the row is deleted
 * with its conversation. When a run ends, a trigger of the database closes its open approvals.
 */
export const approval = pgTable(
  'approval',
  {
    orgId: orgId(),
    id: text('id').notNull(),
    agentId: text('agent_id').notNull(),
    conversationId: text('conversation_id').notNull(),
    /** The current run of the conversation, which continues after the decision. */
    runId: text('run_id').notNull(),
    /** The tool at the time of the request, with the arguments and the idempotency key. */
    call: jsonb('call').$type<StoredCall>().notNull(),
    status: text('status').notNull().default('pending'),
    reason: text('reason'),
    /** The ID of the member or of the API key that decided. `system`: no one decided. */
    decidedBy: text('decided_by'),
    expiresAt: moment('expires_at').notNull(),
    decidedAt: moment('decided_at'),
    /**
     * The response of the approved call. The outcome is stored before the turn, so that a repeated turn does not make
     * the call again.
     */
    outcome: jsonb('outcome').$type<ApprovalOutcome>(),
    /** The time at which the turn that used the decision was stored, or the run ended. Null: the approval is open. */
    answeredAt: moment('answered_at'),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.id] }),
    foreignKey({
      columns: [table.orgId, table.conversationId],
      foreignColumns: [conversation.orgId, conversation.id],
    }).onDelete('cascade'),
    index('approval_conversation').on(table.conversationId, table.createdAt),
    // Few approvals are open, and every claimed run looks for its open approvals.
    index('approval_open')
      .on(table.runId)
      .where(sql`answered_at IS NULL`),
    index('approval_due')
      .on(table.expiresAt)
      .where(sql`status = 'pending'`),
    // Pending approvals are few, and every open dashboard counts them.
    index('approval_pending')
      .on(table.orgId, table.createdAt, table.id)
      .where(sql`status = 'pending'`),
    index('approval_decided')
      .on(table.orgId, table.status, table.createdAt, table.id)
      .where(sql`status <> 'pending'`),
  ],
);
