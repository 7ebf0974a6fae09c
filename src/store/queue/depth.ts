import type pg from 'pg';
import { LANE, QUEUE_LANES } from '../schema/columns.ts';

/** How much is due and not claimed: for metrics, and as cheap as they must be. */
export type QueueDepth = {
  /** At most COUNTED. */
  due: number;
  /** Age of the oldest due row, in seconds; 0: none is due. */
  oldestSeconds: number;
};

/** A backlog beyond it is "at least so many". */
const COUNTED = 10_000;

export async function readQueueDepths(pool: pg.Pool): Promise<{ runs: QueueDepth; deliveries: QueueDepth }> {
  const found = await pool.query<{ runs: QueueDepth; deliveries: QueueDepth }>({
    name: 'queue-depths',
    text: `SELECT ${depthOf('run')} AS runs, ${depthOf('message')} AS deliveries`,
  });
  return found.rows[0]!;
}

const depthOf = (table: 'run' | 'message'): string => `json_build_object(
  'due', (SELECT count(*) FROM (SELECT 1 FROM ${table} WHERE due_at <= now() LIMIT ${COUNTED}) AS counted),
  'oldestSeconds', (SELECT coalesce(extract(epoch FROM now() - min(first.due_at)), 0)::float8
    FROM generate_series(0, ${QUEUE_LANES - 1}) lane CROSS JOIN LATERAL (
      SELECT due_at FROM ${table} WHERE ${LANE} = lane AND due_at <= now() ORDER BY due_at LIMIT 1) first))`;
