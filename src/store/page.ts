import { desc, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';

/** The position at the end of the previous page. Lists are ordered by (created_at, id), newest first. */
export type PagePosition = { createdAt: Date; id: string };

export type PageRequest = { limit: number; after: PagePosition | null };

export type PageOf<T> = { rows: T[]; hasMore: boolean };

/** Selects the rows after the position. The first page of a list has no condition. */
export const behind = (createdAt: PgColumn, id: PgColumn, after: PagePosition | null): SQL | undefined =>
  after === null ? undefined : sql`(${createdAt}, ${id}) < (${after.createdAt}, ${after.id})`;

export const newestFirst = (createdAt: PgColumn, id: PgColumn): [SQL, SQL] => [desc(createdAt), desc(id)];

/** Lists query one row more than the page, which shows whether there is another page. */
export const pageOf = <T>(rows: T[], limit: number): PageOf<T> => ({
  rows: rows.slice(0, limit),
  hasMore: rows.length > limit,
});
