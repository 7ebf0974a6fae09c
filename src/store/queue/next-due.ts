import type pg from 'pg';
import { NEXT_OF_CAMPAIGNS } from '../recipients/dispatch.ts';
import { LANE, NOW, QUEUE_LANES } from '../schema/columns.ts';

/**
 * One statement for all queues of a cell tells when the first row of each queue is due. An idle process sends this
 * statement instead of a claim for each queue. Each part reads the first entry of an index, or of each lane of an index
 * (lanes.ts), however long the queues are.
 */
const firstByLane = (table: 'run' | 'message' | 'attachment'): string =>
  `SELECT min(one.due_at) FROM generate_series(0, ${QUEUE_LANES - 1}) lane
    CROSS JOIN LATERAL (SELECT due_at FROM ${table} WHERE ${LANE} = lane AND due_at IS NOT NULL
      ORDER BY due_at LIMIT 1) AS one`;
const first = (table: string, column = 'due_at', and = ''): string =>
  `SELECT min(${column}) FROM ${table} WHERE ${column} IS NOT NULL ${and}`;

const FIRST = {
  turns: firstByLane('run'),
  deliveries: firstByLane('message'),
  attachments: firstByLane('attachment'),
  events: first('event_delivery'),
  results: first('run', 'result_event_at'),
  imports: first('end_user_import'),
  sources: first('document_source'),
  embeddings: first('document_embedding'),
  questions: first('document_question'),
  additions: first('campaign_push'),
  campaigns: NEXT_OF_CAMPAIGNS,
  schedules: first('campaign_schedule', 'next_at'),
  handOffs: first('hand_off'),
  surveys: first('rating'),
  approvals: first('approval', 'expires_at', `AND status = 'pending'`),
} as const;

export type WatchedQueue = keyof typeof FIRST;
/** The time until the first row is due, in milliseconds. Zero or less: the row is due. Null: no row waits. */
export type NextDue = Record<WatchedQueue, number | null>;

export const NEXT_DUE = `SELECT ${Object.entries(FIRST)
  .map(([queue, due]) => `(extract(epoch FROM (${due}) - ${NOW}) * 1000)::float8 AS "${queue}"`)
  .join(',\n  ')}`;

export async function readNextDue(pool: pg.Pool): Promise<NextDue> {
  const { rows } = await pool.query<NextDue>({ name: 'next-due', text: NEXT_DUE });
  return rows[0]!;
}
