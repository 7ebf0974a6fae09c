import { randomInt } from 'node:crypto';
import { LANE, NOW, QUEUE_LANES } from '../schema/columns.ts';

/**
 * Fair claims (stochastic fairness queueing, McKenney 1990): a hash of the organization's ID assigns each organization
 * to one of 256 lanes. A claim finds the lanes with due rows by one index look-up each, however long their backlogs
 * are. The claim takes an equal share of each lane, oldest first. A tenant with a million due runs occupies one lane
 * like any other tenant. The next tenant waits for a share of one claim, not for the backlog. Claims start at a random
 * lane, so no lane is always last if there are more busy lanes than places in a claim.
 */
export type ClaimedByLane = ReadonlyMap<number, number>;

/** Parameters of a claim in addition to $1 (limit) and $2 (lease). */
export const fairnessOf = (claimedByLane: ClaimedByLane, perLane: number): unknown[] => [
  randomInt(QUEUE_LANES),
  perLane,
  [...claimedByLane.keys()],
  [...claimedByLane.values()],
];

/**
 * The CTEs `busy`, `quota` and `due` of a claim on `table`. The columns are org_id, id, lane, and the share, which is
 * the highest number that this claim takes from the lane. The parameters are the limit ($1) and the values of
 * fairnessOf ($3 to $6). `and`: further conditions for a row, with the alias `q`. A lane in which this worker already
 * has $4 rows in progress provides no further rows, because slow turns of one tenant must not use all places.
 */
export const dueFairly = (table: 'run' | 'message' | 'attachment', and = ''): string => `
busy AS MATERIALIZED (
  SELECT l.n, $4::int - coalesce(h.claimed, 0) AS room
  FROM (SELECT (g + $3::int) & ${QUEUE_LANES - 1} AS n FROM generate_series(0, ${QUEUE_LANES - 1}) g) l
  LEFT JOIN unnest($5::int[], $6::int[]) AS h(n, claimed) ON h.n = l.n
  CROSS JOIN LATERAL (SELECT 1 FROM ${table} WHERE ${LANE} = l.n AND due_at <= ${NOW} LIMIT 1) AS something
  WHERE $4::int > coalesce(h.claimed, 0)
), quota AS MATERIALIZED (
  SELECT ceil($1::float8 / greatest(1, count(*)))::int AS share FROM busy
), due AS MATERIALIZED (
  SELECT d.org_id, d.id, busy.n AS lane, least(quota.share, busy.room) AS share
  FROM quota CROSS JOIN busy
  CROSS JOIN LATERAL (
    SELECT q.org_id, q.id FROM ${table} q WHERE ${LANE.replace('org_id', 'q.org_id')} = busy.n
      AND q.due_at <= ${NOW} ${and}
    ORDER BY q.due_at LIMIT least(quota.share, busy.room) FOR UPDATE OF q SKIP LOCKED
  ) d LIMIT $1
)`;

/**
 * True if a claim of up to `limit` rows may have left due rows, because the claim was full or a lane provided its whole
 * share. A worker at its capacity makes no claim. Finished work makes room and wakes the worker.
 */
export function isMoreDue(claimed: readonly { lane: number; share: number }[], limit: number): boolean {
  if (limit > 0 && claimed.length >= limit) return true;
  const taken = countLanes(claimed);
  return claimed.some(({ lane, share }) => taken.get(lane)! >= share);
}

/** The number of rows of each lane that this worker has claimed. */
export function countLanes(claimed: Iterable<{ lane: number }>): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { lane } of claimed) counts.set(lane, (counts.get(lane) ?? 0) + 1);
  return counts;
}
