import { sql } from 'drizzle-orm';
import {
  boolean,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import type { CampaignSettings } from '../../../contract/campaigns.ts';
import { agent } from './agent.ts';
import { channel } from './channel.ts';
import { createdAt, moment, orgId } from './columns.ts';
import { endUser } from './end-user.ts';

/** A webhook campaign, to which programs add recipients over HTTP with the campaign's own key. */
export const campaign = pgTable(
  'campaign',
  {
    orgId: orgId(),
    id: text('id').notNull(),
    agentId: text('agent_id').notNull(),
    channelId: text('channel_id').notNull(),
    name: text('name').notNull(),
    /** The state is `draft`, `live`, `paused` or `ended`. */
    state: text('state').notNull().default('draft'),
    /** The repeating campaign that started this campaign, and the day as YYYY-MM-DD. */
    roundOf: text('round_of'),
    roundDay: text('round_day'),
    settings: jsonb('settings').$type<CampaignSettings>().notNull().default({}),
    /**
     * True from the start (or from the end of a draft) until an ended campaign has no recipients in progress. The
     * worker examines only campaigns with this mark.
     */
    attended: boolean('attended').notNull().default(false),
    /** The time at which the pace allows the next message. */
    pacedUntil: moment('paced_until'),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
    deletedAt: moment('deleted_at'),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.id] }),
    foreignKey({ columns: [table.orgId, table.agentId], foreignColumns: [agent.orgId, agent.id] }),
    foreignKey({ columns: [table.orgId, table.channelId], foreignColumns: [channel.orgId, channel.id] }),
    index('campaign_list')
      .on(table.orgId, table.createdAt, table.id)
      .where(sql`deleted_at IS NULL`),
    uniqueIndex('campaign_round')
      .on(table.orgId, table.roundOf, table.roundDay)
      .where(sql`round_of IS NOT NULL`),
    index('campaign_attended')
      .on(table.orgId, table.id)
      .where(sql`attended`),
  ],
);

/**
 * The enrolment of one end user. The row is also an entry of the queue: when it is due, it becomes a conversation and a
 * run, in one transaction. Once the run exists, a database trigger (migrations) changes `status` together with the run
 * and its first message.
 */
export const recipient = pgTable(
  'recipient',
  {
    orgId: orgId(),
    campaignId: text('campaign_id').notNull(),
    id: text('id').notNull(),
    /** Null after the person was erased. */
    endUserId: text('end_user_id'),
    /**
     * The number is 0 for the first enrolment of a person in a campaign. Higher numbers occur only if the caller turned
     * off deduplication.
     */
    enrolment: integer('enrolment').notNull().default(0),
    /** The caller's own ID for the recipient. */
    ref: text('ref'),
    status: text('status').notNull(),
    reason: text('reason'),
    variables: jsonb('variables').$type<Record<string, unknown>>().notNull().default({}),
    sendAt: moment('send_at'),
    dueAt: moment('due_at'),
    conversationId: text('conversation_id'),
    runId: text('run_id'),
    requestId: text('request_id'),
    /** The time of each status, for the report. A database trigger (migrations) sets the time when `status` changes. */
    sentAt: moment('sent_at'),
    deliveredAt: moment('delivered_at'),
    readAt: moment('read_at'),
    repliedAt: moment('replied_at'),
    /** True: the person opted out in the conversation. */
    leftAt: moment('left_at'),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.campaignId, table.id] }),
    foreignKey({ columns: [table.orgId, table.campaignId], foreignColumns: [campaign.orgId, campaign.id] }),
    foreignKey({ columns: [table.orgId, table.endUserId], foreignColumns: [endUser.orgId, endUser.id] }),
    uniqueIndex('recipient_once').on(table.orgId, table.endUserId, table.campaignId, table.enrolment),
    index('recipient_status').on(table.campaignId, table.status, table.createdAt),
    index('recipient_due')
      .on(table.orgId, table.campaignId, table.dueAt)
      .where(sql`due_at IS NOT NULL`),
    index('recipient_ref')
      .on(table.orgId, table.campaignId, table.ref)
      .where(sql`ref IS NOT NULL`),
    index('recipient_run')
      .on(table.orgId, table.runId)
      .where(sql`run_id IS NOT NULL`),
  ],
);
