import { customType, text, timestamp } from 'drizzle-orm/pg-core';

/**
 * The organization, which is the tenant. The ID of the organization is the first column of every tenant table's
 * primary, unique and foreign keys (docs/adr/0002). Other indexes do not begin with the organization (see
 * catalog.test.ts).
 */
export const orgId = () => text('org_id').notNull();

/** A time in milliseconds, as in the API. */
export const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' });

/**
 * The current time for queues, rounded like `moment`. Without the rounding, a row that becomes due now could be stored
 * as due in half a millisecond.
 */
export const NOW = 'now()::timestamptz(3)';

export const createdAt = () => moment('created_at').notNull().defaultNow();

export const bytes = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => 'bytea' });

/**
 * A claim is fair because organizations are spread over this many lanes, and each claim takes rows from all lanes with
 * due rows. The lane of an organization is not a column but an expression of the organization's ID, in the index and in
 * the claim.
 */
export const QUEUE_LANES = 256;
export const LANE = `(hashtext(org_id) & ${QUEUE_LANES - 1})`;
