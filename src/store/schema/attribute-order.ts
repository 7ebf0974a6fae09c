import { pgTable, text } from 'drizzle-orm/pg-core';
import { orgId } from './columns.ts';
import { organization } from './identity.ts';

/**
 * The attributes of people that members see first. Without a row, members see attributes in the order of their names.
 */
export const attributeOrder = pgTable('attribute_order', {
  orgId: orgId()
    .primaryKey()
    .references(() => organization.id),
  names: text('names').array().notNull(),
});
