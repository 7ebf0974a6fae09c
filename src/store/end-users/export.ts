import type { Db } from '../db.ts';
import { listEndUserConversations } from './read.ts';

const PAGE = 500;
const OF_PERSON = 'conversation_id IN (SELECT id FROM conversation WHERE org_id = $1 AND end_user_id = $2)';
type Row = Record<string, unknown>;

/** All rows about one person, in pages. Columns have the names of the public API. */
export function exportPages(db: Db, orgId: string, endUserId: string) {
  async function* paged(table: string, columns: string, condition: string, key = 'id'): AsyncIterable<Row[]> {
    for (let after = ''; ;) {
      const { rows } = await db.$client.query<Row>(
        `SELECT ${columns} FROM ${table} WHERE org_id = $1 AND ${condition} AND ${key} > $3 ORDER BY ${key} LIMIT $4`,
        [orgId, endUserId, after, PAGE],
      );
      yield rows;
      if (rows.length < PAGE) return;
      after = String(rows.at(-1)![key]);
    }
  }

  return {
    async *conversations() {
      for (let after = null as { createdAt: Date; id: string } | null; ;) {
        const { rows, hasMore } = await listEndUserConversations(db, orgId, endUserId, { limit: PAGE, after });
        yield rows;
        if (!hasMore) return;
        after = rows.at(-1)!;
      }
    },
    messages: () =>
      paged('message', 'id, conversation_id, run_id, role, content, sources, metadata, status, created_at', OF_PERSON),
    runs: () =>
      paged(
        'run',
        'id, trigger_id, conversation_id, status, reason, input, agent_version, result, created_at, finished_at',
        OF_PERSON,
      ),
    recipients: () =>
      paged('recipient', 'id, campaign_id, ref, status, reason, variables, send_at, created_at', 'end_user_id = $2'),
    ratings: () =>
      paged(
        'rating',
        'kind, message_id, conversation_id, run_id, agent_version, score, comment, rated_at',
        `score IS NOT NULL AND ${OF_PERSON}`,
        'message_id',
      ),
  };
}
