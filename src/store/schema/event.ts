import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  foreignKey,
  index,
  integer,
  json,
  jsonb,
  pgTable,
  primaryKey,
  text,
} from 'drizzle-orm/pg-core';
import type { DeliveryAttempt } from '../../../contract/dashboard/webhooks.ts';
import { createdAt, moment, orgId } from './columns.ts';
import { organization } from './identity.ts';

/**
 * An event for the organization's endpoints. Database triggers (migrations) write the event in the transaction of the
 * change, and only while an endpoint or a watcher needs the event (docs/adr/0201).
 */
export const event = pgTable(
  'event',
  {
    orgId: orgId(),
    id: text('id').notNull(),
    type: text('type').notNull(),
    /** The person whose data the event contains. The event is deleted when the person is erased. */
    endUserId: text('end_user_id'),
    /**
     * The type is `json` and not `jsonb`, so that every attempt sends the same bytes, with the members in the order of
     * the reference.
     */
    data: json('data').$type<Record<string, unknown>>().notNull(),
    /**
     * The transaction that wrote the event. Readers continue by this number, because IDs are not in the order of the
     * commits.
     */
    tx: bigint('tx', { mode: 'number' })
      .notNull()
      .default(sql`pg_current_xact_id()::text::bigint`),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.id] }),
    index('event_order').on(table.tx, table.id),
    index('event_of_type').on(table.type, table.orgId, table.id),
    index('event_end_user')
      .on(table.endUserId)
      .where(sql`end_user_id IS NOT NULL`),
    index('event_age').on(table.createdAt),
    // The index of the list of events (`GET /api/events`), which never contains the audit log.
    index('event_listed')
      .on(table.orgId, table.tx, table.id)
      .where(sql`type <> 'audit.recorded'`),
  ],
);

/** A customer's endpoint that receives events. */
export const webhookEndpoint = pgTable(
  'webhook_endpoint',
  {
    orgId: orgId().references(() => organization.id),
    id: text('id').notNull(),
    url: text('url').notNull(),
    description: text('description').notNull().default(''),
    /** Empty: the endpoint gets every type except `audit.recorded`, including types of later versions. */
    types: text('types').array().notNull().default([]),
    enabled: boolean('enabled').notNull().default(true),
    /** The reason why the endpoint is disabled, which is `by_member`, or `gone` after a response of 410. */
    disabledReason: text('disabled_reason'),
    /** The signing secrets, as `{ secret, previous? }`. */
    sealed: text('sealed').notNull(),
    /** The previous secret stays valid until this time. */
    previousUntil: moment('previous_until'),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.id] }),
    index('webhook_endpoint_listening')
      .on(table.orgId, table.id)
      .where(sql`enabled`),
  ],
);

/**
 * The delivery of one event to one endpoint. The row is also an entry in the queue. A delivery is claimed and completed
 * like a run (run.ts).
 */
export const eventDelivery = pgTable(
  'event_delivery',
  {
    orgId: orgId(),
    eventId: text('event_id').notNull(),
    endpointId: text('endpoint_id').notNull(),
    /**
     * The state is `pending`, `delivered`, `failed` (after the last attempt) or `cancelled` (the endpoint was
     * disabled).
     */
    state: text('state').notNull().default('pending'),
    /** The number of attempts in the current series. A resend starts a new series. */
    attempts: integer('attempts').notNull().default(0),
    /** The number of times that a success of the endpoint made this delivery due early. */
    early: integer('early').notNull().default(0),
    /** Outcomes of the latest attempts, oldest first, at most MAX_STORED_ATTEMPTS. */
    history: jsonb('history').$type<DeliveryAttempt[]>().notNull().default([]),
    dueAt: moment('due_at'),
    lease: text('lease'),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.eventId, table.endpointId] }),
    foreignKey({ columns: [table.orgId, table.eventId], foreignColumns: [event.orgId, event.id] }).onDelete('cascade'),
    foreignKey({
      columns: [table.orgId, table.endpointId],
      foreignColumns: [webhookEndpoint.orgId, webhookEndpoint.id],
    }).onDelete('cascade'),
    index('event_delivery_endpoint').on(table.endpointId, table.eventId),
    // Members search for open and failed deliveries, which are few.
    index('event_delivery_open_or_failed')
      .on(table.orgId, table.state, table.eventId, table.endpointId)
      .where(sql`state <> 'delivered'`),
    index('event_delivery_waiting')
      .on(table.endpointId, table.eventId)
      .where(sql`due_at IS NOT NULL`),
    index('event_delivery_due')
      .on(table.dueAt)
      .where(sql`due_at IS NOT NULL`),
  ],
);

/**
 * Events are written for a watcher (`./parley events tail`) until this time. Each request of the watcher adds some
 * minutes.
 */
export const eventTail = pgTable('event_tail', {
  orgId: orgId()
    .primaryKey()
    .references(() => organization.id),
  wantedUntil: moment('wanted_until').notNull(),
});
