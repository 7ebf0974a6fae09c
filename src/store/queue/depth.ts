import { PLAN_WITH_API } from '../../../contract/plans.ts';
import { inEachCell } from '../cells/by-cell.ts';
import type { Db } from '../db.ts';
import { LANE, NOW, QUEUE_LANES } from '../schema/columns.ts';

/**
 * The number of rows that are due and not claimed, for metrics and for autoscaling of workers. A query reads only some
 * thousand index entries, however long the backlogs are: counts stop at COUNTED, and one row per lane shows the age.
 */
export type QueueDepth = {
  /** The count is at most COUNTED. */
  due: number;
  /** The time that the oldest due row has waited, in seconds. 0: no row is due. */
  oldestSeconds: number;
};

export const QUEUES = ['turns', 'deliveries', 'events', 'recipients'] as const;
export type QueueDepths = Record<(typeof QUEUES)[number], QueueDepth>;

/** A larger backlog is reported as this number. */
export const COUNTED = 10_000;
/** The number of campaigns that one query examines. */
const CAMPAIGNS = 1_000;

const depthOf = (due: string, waitsSince: string): string => `json_build_object(
  'due', (SELECT count(*) FROM (${due} LIMIT ${COUNTED}) AS counted),
  'oldestSeconds', coalesce(extract(epoch FROM now() - (${waitsSince})), 0)::float8)`;

const ofLane = (select: string): string => `FROM generate_series(0, ${QUEUE_LANES - 1}) lane
    CROSS JOIN LATERAL (SELECT ${select}) AS one`;

/**
 * The queues with lanes (lanes.ts) have an index by lane and time. Without the lane in the condition, the query would
 * read the whole index.
 */
function depthByLane(table: 'run' | 'message'): string {
  const due = `FROM ${table} WHERE ${LANE} = lane AND due_at <= ${NOW}`;
  return depthOf(
    `SELECT 1 ${ofLane(`1 ${due} LIMIT ${COUNTED}`)}`,
    `SELECT min(one.due_at) ${ofLane(`due_at ${due} ORDER BY due_at LIMIT 1`)}`,
  );
}

/**
 * Counts recipients of campaigns that may send now. Recipients that wait for the pace, plan, agent or channel of their
 * campaign are no work for another worker. A waiting campaign has no counted recipients. In a campaign with a rate
 * limit, only the next recipient counts.
 */
const ofCampaign = (select: string, limit: string): string => `FROM (
    SELECT c.org_id, c.id, c.paced_until, c.settings ? 'per_minute' AS is_paced FROM campaign c
    JOIN organization o ON o.id = c.org_id AND o.plan = '${PLAN_WITH_API}'
    JOIN agent a ON a.org_id = c.org_id AND a.id = c.agent_id AND a.enabled AND a.deleted_at IS NULL
    JOIN channel ch ON ch.org_id = c.org_id AND ch.id = c.channel_id AND ch.enabled AND ch.deleted_at IS NULL
    WHERE c.attended AND c.state = 'live' AND c.deleted_at IS NULL
      AND (c.paced_until IS NULL OR c.paced_until <= now()) LIMIT ${CAMPAIGNS}
  ) c CROSS JOIN LATERAL (SELECT ${select} FROM recipient r
    WHERE r.org_id = c.org_id AND r.campaign_id = c.id AND r.due_at <= ${NOW} ORDER BY r.due_at LIMIT ${limit}) AS one`;

export const QUEUE_DEPTHS = `SELECT ${depthByLane('run')} AS turns, ${depthByLane('message')} AS deliveries,
  ${depthOf(
    `SELECT 1 FROM event_delivery WHERE due_at <= ${NOW} ORDER BY due_at`,
    `SELECT due_at FROM event_delivery WHERE due_at <= ${NOW} ORDER BY due_at LIMIT 1`,
  )} AS events,
  ${depthOf(
    `SELECT 1 ${ofCampaign('1', `CASE WHEN c.is_paced THEN 1 ELSE ${COUNTED} END`)}`,
    `SELECT min(greatest(one.due_at, c.paced_until)) ${ofCampaign('r.due_at', '1')}`,
  )} AS recipients`;

export async function readQueueDepths(db: Db): Promise<QueueDepths> {
  const [first, ...others] = await inEachCell(db, async ({ $client: pool }) => {
    const found = await pool.query<QueueDepths>({ name: 'queue-depths', text: QUEUE_DEPTHS });
    return found.rows[0]!;
  });
  for (const other of others)
    for (const queue of QUEUES) {
      const sum = first![queue];
      sum.due = Math.min(COUNTED, sum.due + other[queue].due);
      sum.oldestSeconds = Math.max(sum.oldestSeconds, other[queue].oldestSeconds);
    }
  return first!;
}
