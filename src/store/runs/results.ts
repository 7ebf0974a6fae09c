import type pg from 'pg';
import { NOW } from '../schema/columns.ts';

/**
 * Announces changed results whose second is over: a trigger writes the event with the result as it is now (migration
 * 0004). Returns how many; a run that another statement holds at this moment follows later.
 */
export async function announceResults(pool: pg.Pool, limit: number): Promise<number> {
  const announced = await pool.query({
    name: 'announce-results',
    text: `UPDATE run r SET result_event_at = NULL FROM (
        SELECT org_id, id FROM run WHERE result_event_at <= ${NOW}
        ORDER BY result_event_at LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED
      ) due WHERE r.org_id = due.org_id AND r.id = due.id`,
    values: [limit],
  });
  return announced.rowCount ?? 0;
}
