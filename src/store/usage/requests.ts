import { and, desc, eq, gte, lt, sql } from 'drizzle-orm';
import { newId } from '../../kernel/ids.ts';
import type { Queryable } from '../db.ts';
import { pageOf, type PageOf, type PageRequest } from '../page.ts';
import { requestLog } from '../schema/usage.ts';
import type { LoggedRequest } from './usage.ts';

export type RequestFilter = {
  id?: string | undefined;
  keyId?: string | undefined;
  method?: string | undefined;
  route?: string | undefined;
  outcome?: 'accepted' | 'refused' | 'failed' | undefined;
  /** The time in milliseconds since 1970. */
  since?: number | '' | undefined;
  until?: number | '' | undefined;
};

/** The list of distinct calls reads at most this many requests. */
const LOOKED_THROUGH = 5_000;
const MAX_CALLS = 50;

/** Lists requests, newest first, by the primary key. The housekeeper limits the number of rows. */
export async function listLoggedRequests(
  db: Queryable,
  orgId: string,
  filter: RequestFilter,
  { limit, after }: PageRequest,
): Promise<PageOf<LoggedRequest>> {
  const rows = await db
    .select()
    .from(requestLog)
    .where(
      and(
        eq(requestLog.orgId, orgId),
        filter.id ? eq(requestLog.id, filter.id) : undefined,
        filter.keyId ? eq(requestLog.keyId, filter.keyId) : undefined,
        filter.method ? eq(requestLog.method, filter.method) : undefined,
        filter.route ? eq(requestLog.route, filter.route) : undefined,
        filter.outcome ? OUTCOMES[filter.outcome] : undefined,
        filter.since ? gte(requestLog.id, firstIdAt(filter.since)) : undefined,
        filter.until ? lt(requestLog.id, firstIdAt(filter.until)) : undefined,
        after ? lt(requestLog.id, after.id) : undefined,
      ),
    )
    .orderBy(desc(requestLog.id))
    .limit(limit + 1);
  return pageOf(rows, limit);
}

const OUTCOMES = {
  accepted: sql`${requestLog.status} < 400`,
  refused: sql`${requestLog.status} BETWEEN 400 AND 499`,
  failed: sql`${requestLog.status} >= 500`,
};

/** IDs contain their time, so all IDs that are created after the given time sort after this ID. */
const firstIdAt = (ms: number): string => newId('req', Math.max(0, ms)).slice(0, 'req_'.length + 10);

/** The distinct calls among the newest requests. */
export async function listLoggedCalls(db: Queryable, orgId: string): Promise<{ method: string; route: string }[]> {
  const { rows } = await db.execute<{ method: string; route: string }>(sql`SELECT DISTINCT method, route
    FROM (SELECT method, route FROM ${requestLog} WHERE org_id = ${orgId} ORDER BY id DESC
      LIMIT ${LOOKED_THROUGH}) newest
    ORDER BY route, method LIMIT ${MAX_CALLS}`);
  return rows;
}
