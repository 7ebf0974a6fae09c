import { sql } from 'drizzle-orm';
import {
  bigint,
  date,
  foreignKey,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  text,
  unique,
} from 'drizzle-orm/pg-core';
import type { InsteadOf } from '../../../contract/costs.ts';
import { createdAt, moment, orgId } from './columns.ts';
import { conversation } from './conversation.ts';
import { organization } from './identity.ts';

const tokens = (name: string) => bigint(name, { mode: 'number' }).notNull().default(0);

const use = {
  /** Calls of the model. */
  calls: integer('calls').notNull().default(0),
  /** Calls of these whose use is not known: the provider did not say, or did not answer in time. */
  unmeasured: integer('unmeasured').notNull().default(0),
  inputTokens: tokens('input_tokens'),
  /** Part of the input tokens. */
  cachedTokens: tokens('cached_tokens'),
  outputTokens: tokens('output_tokens'),
  toolCalls: integer('tool_calls').notNull().default(0),
};

/** What a model costs, as the organization says; without a row the cost is unknown. Per million tokens. */
export const modelPrice = pgTable(
  'model_price',
  {
    orgId: orgId().references(() => organization.id),
    provider: text('provider').notNull(),
    model: text('model').notNull(),
    currency: text('currency').notNull(),
    input: numeric('input').notNull(),
    output: numeric('output').notNull(),
    /** Null: cached tokens cost as much as others. */
    cached: numeric('cached'),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.orgId, table.provider, table.model] })],
);

/** What one attempt of a turn used of one model. Also an attempt whose answer was not stored has cost something. */
export const modelTurn = pgTable(
  'model_turn',
  {
    orgId: orgId(),
    id: text('id').notNull(),
    /** Null: a try in the dashboard. */
    conversationId: text('conversation_id'),
    runId: text('run_id'),
    agentId: text('agent_id').notNull(),
    provider: text('provider').notNull(),
    /** Empty: the embedded agent, or a hand-off, stood in for a model. */
    model: text('model').notNull(),
    ...use,
    /** At the price of that moment; null: there was none. */
    cost: numeric('cost'),
    currency: text('currency'),
    /** The models before it in the agent's order, and why each did not answer. */
    insteadOf: jsonb('instead_of').$type<InsteadOf[]>().notNull().default([]),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.id] }),
    foreignKey({
      columns: [table.orgId, table.conversationId],
      foreignColumns: [conversation.orgId, conversation.id],
    }).onDelete('cascade'),
    index('model_turn_conversation').on(table.conversationId, table.createdAt),
    index('model_turn_try')
      .on(table.createdAt)
      .where(sql`conversation_id IS NULL`),
  ],
);

/** The sum of all turns of one day in UTC. Empty text: none, or not known. */
export const modelUsage = pgTable(
  'model_usage',
  {
    orgId: orgId(),
    day: date('day').notNull(),
    agentId: text('agent_id').notNull(),
    keyId: text('key_id').notNull(),
    campaignId: text('campaign_id').notNull(),
    provider: text('provider').notNull(),
    model: text('model').notNull(),
    currency: text('currency').notNull(),
    turns: integer('turns').notNull().default(0),
    ...use,
    cost: numeric('cost').notNull().default('0'),
  },
  (table) => [
    primaryKey({
      name: 'model_usage_pk',
      columns: [
        table.orgId,
        table.day,
        table.agentId,
        table.keyId,
        table.campaignId,
        table.provider,
        table.model,
        table.currency,
      ],
    }),
  ],
);

/** The most that may be spent in a day or a month in UTC. The counts are those of `period_start`. */
export const budget = pgTable(
  'budget',
  {
    orgId: orgId().references(() => organization.id),
    id: text('id').notNull(),
    /** `organization`, `agent`, `campaign` or `key`. */
    subject: text('subject').notNull(),
    /** Empty for the organization. */
    subjectId: text('subject_id').notNull(),
    period: text('period').notNull(),
    /** `tokens`, or a currency. */
    unit: text('unit').notNull(),
    amount: numeric('amount').notNull(),
    periodStart: date('period_start').notNull(),
    spent: numeric('spent').notNull().default('0'),
    /** The sum of its reservations. */
    reserved: numeric('reserved').notNull().default('0'),
    /** What was told of this period and amount: 80 or 100 percent, 0: nothing. A trigger raises and tells it. */
    told: integer('told').notNull().default(0),
    /** As far as the owners were mailed. */
    mailed: integer('mailed').notNull().default(0),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.id] }),
    unique('budget_once').on(table.orgId, table.subject, table.subjectId, table.period, table.unit),
  ],
);

/** What a turn in progress may spend at most. */
export const budgetReservation = pgTable(
  'budget_reservation',
  {
    orgId: orgId(),
    id: text('id').notNull(),
    budgetId: text('budget_id').notNull(),
    /** The claim that it belongs to: without it the reservation is dead. Null: a try in the dashboard. */
    runId: text('run_id'),
    lease: text('lease'),
    periodStart: date('period_start').notNull(),
    amount: numeric('amount').notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.id, table.budgetId] }),
    foreignKey({ columns: [table.orgId, table.budgetId], foreignColumns: [budget.orgId, budget.id] }).onDelete(
      'cascade',
    ),
    index('budget_reservation_of').on(table.budgetId),
  ],
);

/** A model that fails, or asked us to wait, as all nodes know it. Without a row it is called as usual. */
export const modelGate = pgTable(
  'model_gate',
  {
    orgId: orgId().references(() => organization.id),
    provider: text('provider').notNull(),
    model: text('model').notNull(),
    /** In a row, since the last success. */
    failures: integer('failures').notNull(),
    /** How often in a row it was closed. */
    closings: integer('closings').notNull().default(0),
    /** Until then no one calls it; then one call probes. */
    closedUntil: moment('closed_until'),
    probeUntil: moment('probe_until'),
    /** Code of the latest failure. */
    reason: text('reason').notNull(),
    /** The first of these failures. */
    since: moment('since').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.orgId, table.provider, table.model] })],
);
