import type { QueryOf } from '../../../contract/dashboard/routes.ts';
import type { RequestRecord } from '../../../contract/dashboard/activity.ts';
import { timestamp } from '../../kernel/clock.ts';
import type { Db } from '../../store/db.ts';
import type { PageOf, PageRequest } from '../../store/page.ts';
import { listLoggedCalls, listLoggedRequests } from '../../store/usage/requests.ts';

/** Lists requests of all keys of an organization, newest first. */
export async function listRequests(
  { db }: { db: Db },
  orgId: string,
  query: QueryOf<'listRequests'>,
  page: PageRequest,
): Promise<PageOf<RequestRecord>> {
  const { id, key_id: keyId, outcome, call, since, until } = query;
  const [method, route] = call?.split(' ', 2) ?? [];
  const { rows, hasMore } = await listLoggedRequests(
    db,
    orgId,
    { id, keyId, outcome, method, route, since: since && Date.parse(since), until: until && Date.parse(until) },
    page,
  );
  return {
    rows: rows.map((row) => ({
      id: row.id,
      key_id: row.keyId,
      method: row.method,
      route: row.route,
      ids: row.ids,
      status: row.status,
      code: row.code,
      ms: row.ms,
      created_at: timestamp(row.at),
    })),
    hasMore,
  };
}

export const listCalls = async ({ db }: { db: Db }, orgId: string): Promise<{ call: string }[]> =>
  (await listLoggedCalls(db, orgId)).map(({ method, route }) => ({ call: `${method} ${route}` }));
