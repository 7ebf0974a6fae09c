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
  /** The number of model calls. */
  calls: integer('calls').notNull().default(0),
  /** The number of calls with unknown usage, because the provider reported no usage or did not answer in time. */
  unmeasured: integer('unmeasured').notNull().default(0),
  inputTokens: tokens('input_tokens'),
  /** The cached part of the input tokens. */
  cachedTokens: tokens('cached_tokens'),
  outputTokens: tokens('output_tokens'),
  toolCalls: integer('tool_calls').notNull().default(0),
  /** The total duration of the calls. */
  milliseconds: tokens('milliseconds'),
};

/** The organization's own price of a model, per million tokens. Without a row, Parley does not know the cost. */
export const modelPrice = pgTable(
  'model_price',
  {
    orgId: orgId().references(() => organization.id),
    provider: text('provider').notNull(),
    model: text('model').notNull(),
    currency: text('currency').notNull(),
    input: numeric('input').notNull(),
    output: numeric('output').notNull(),
    /** Null: cached tokens cost the same as other input tokens. */
    cached: numeric('cached'),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.orgId, table.provider, table.model] })],
);

/**
 * The usage of one model in one attempt of a turn. An attempt whose answer was not stored is included, because the
 * attempt has a cost.
 */
export const modelTurn = pgTable(
  'model_turn',
  {
    orgId: orgId(),
    id: text('id').notNull(),
    /** Null: a member tried the agent in the dashboard. */
    conversationId: text('conversation_id'),
    runId: text('run_id'),
    agentId: text('agent_id').notNull(),
    provider: text('provider').notNull(),
    /** Empty: the embedded agent or a hand-off replaced a model. */
    model: text('model').notNull(),
    ...use,
    /** The cost at the price that was valid during the turn. Null: the model had no price. */
    cost: numeric('cost'),
    currency: text('currency'),
    /** The earlier models in the agent's order, with the reason why each model did not answer. */
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

/** The sum of all turns of one UTC day. An empty text means that there is no value, or that the value is unknown. */
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

/** The maximum cost in a UTC day or month. The counts belong to the period that starts at `period_start`. */
export const budget = pgTable(
  'budget',
  {
    orgId: orgId().references(() => organization.id),
    id: text('id').notNull(),
    /** The subject is `organization`, `agent`, `campaign` or `key`. */
    subject: text('subject').notNull(),
    /** The ID is empty for the organization. */
    subjectId: text('subject_id').notNull(),
    period: text('period').notNull(),
    /** The unit is `tokens`, `calls`, `seconds`, or a currency. */
    unit: text('unit').notNull(),
    amount: numeric('amount').notNull(),
    periodStart: date('period_start').notNull(),
    spent: numeric('spent').notNull().default('0'),
    /** The sum of the budget's reservations. */
    reserved: numeric('reserved').notNull().default('0'),
    /**
     * The reported threshold for this period and amount, which is 80 or 100 percent, or 0 if none was reported. A
     * trigger raises the number and writes the event.
     */
    told: integer('told').notNull().default(0),
    /** The threshold that the last mail to the owners reported. */
    mailed: integer('mailed').notNull().default(0),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.id] }),
    unique('budget_once').on(table.orgId, table.subject, table.subjectId, table.period, table.unit),
  ],
);

/** The highest amount that a turn in progress may spend. */
export const budgetReservation = pgTable(
  'budget_reservation',
  {
    orgId: orgId(),
    id: text('id').notNull(),
    budgetId: text('budget_id').notNull(),
    /**
     * The claim to which the reservation belongs. When the claim has ended, the reservation is abandoned. Null: a
     * member tried the agent in the dashboard.
     */
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

/**
 * The shared state of a model that fails or requested a pause. All nodes use the state of a model. Without a row, the
 * model is called as usual.
 */
export const modelGate = pgTable(
  'model_gate',
  {
    orgId: orgId().references(() => organization.id),
    provider: text('provider').notNull(),
    model: text('model').notNull(),
    /** The number of consecutive failures since the last success. */
    failures: integer('failures').notNull(),
    /** The number of consecutive closings of the gate. */
    closings: integer('closings').notNull().default(0),
    /** Before this time, no one calls the model. After this time, one call probes the model. */
    closedUntil: moment('closed_until'),
    probeUntil: moment('probe_until'),
    /** The code of the latest failure. */
    reason: text('reason').notNull(),
    /** The time of the first of the consecutive failures. */
    since: moment('since').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.orgId, table.provider, table.model] })],
);
