import type pg from 'pg';
import { type DeliveryAttempt, MAX_STORED_ATTEMPTS } from '../../../contract/dashboard/webhooks.ts';
import type { EventDeliveryState } from '../../../contract/event-types.ts';
import { named, rowsOf } from '../named-statement.ts';
import { type Leased, leasedQueue } from '../queue/leased-queue.ts';
import { NOW } from '../schema/columns.ts';

const QUEUE = leasedQueue('event_delivery', ['org_id', 'event_id', 'endpoint_id']);
export const renewEvents = QUEUE.renewAll;
type LeasedEvent = Leased<'org_id' | 'event_id' | 'endpoint_id'>;

/**
 * One claim examines this many due deliveries, so that a large backlog of one endpoint does not hide other endpoints
 * for long.
 */
const LOOKED_AT = 1_000;

/** A claimed delivery with all data that sending needs. */
export type ClaimedEvent = {
  org_id: string;
  event_id: string;
  endpoint_id: string;
  lease: string;
  /** The number of attempts, including the present attempt. */
  attempts: number;
  type: string;
  data: Record<string, unknown>;
  created_at: Date;
  url: string;
  enabled: boolean;
  sealed: string;
  /** At most $3 deliveries of each endpoint are in progress. */
  both: boolean;
};

/**
 * A slow or dead endpoint uses only its own share of the worker. A slow or dead endpoint fills only its own share, so
 * other endpoints keep theirs.
 */
const DUE = `
busy AS MATERIALIZED (
  SELECT * FROM unnest($4::text[], $5::int[]) AS b(endpoint_id, many)
), candidate AS MATERIALIZED (
  SELECT org_id, event_id, endpoint_id, due_at FROM event_delivery
  WHERE due_at <= ${NOW} AND endpoint_id NOT IN (SELECT endpoint_id FROM busy WHERE many >= $3)
  ORDER BY due_at LIMIT ${LOOKED_AT}
), ranked AS (
  SELECT c.*,
    row_number() OVER (PARTITION BY c.endpoint_id ORDER BY c.due_at, c.event_id) + coalesce(b.many, 0) AS place
  FROM candidate c LEFT JOIN busy b ON b.endpoint_id = c.endpoint_id
), due AS MATERIALIZED (
  SELECT d.org_id, d.event_id, d.endpoint_id FROM ranked r
  JOIN event_delivery d ON d.org_id = r.org_id AND d.event_id = r.event_id AND d.endpoint_id = r.endpoint_id
  WHERE r.place <= $3 AND d.due_at <= ${NOW}
  ORDER BY r.due_at LIMIT $1 FOR UPDATE OF d SKIP LOCKED
)`;

const CLAIM = QUEUE.claim<ClaimedEvent>({
  due: DUE,
  set: 'attempts = q.attempts + 1',
  returning: 'q.org_id, q.event_id, q.endpoint_id, q.lease, q.attempts',
  read: `SELECT d.*, e.type, e.data, e.created_at, w.url, w.enabled, w.sealed, coalesce(w.previous_until > now(), false) AS both
FROM claimed d
JOIN event e ON e.org_id = d.org_id AND e.id = d.event_id
JOIN webhook_endpoint w ON w.org_id = d.org_id AND w.id = d.endpoint_id
ORDER BY e.id`,
});

/** `busy`: this worker's number of deliveries in progress for each endpoint. */
export const claimEvents = (
  pool: pg.Pool,
  lease: string,
  { limit, share, busy }: { limit: number; share: number; busy: ReadonlyMap<string, number> },
): Promise<ClaimedEvent[]> => CLAIM(pool, limit, lease, [share, [...busy.keys()], [...busy.values()]]);

/**
 * The trace of the run to which an event belongs. Null: the event has no trace. The trace is read only if tracing is
 * on.
 */
export async function readTrace(
  pool: pg.Pool,
  { org_id, type, data }: Pick<ClaimedEvent, 'org_id' | 'type' | 'data'>,
): Promise<string | null> {
  const runId = type.startsWith('run.') ? data['id'] : data['run_id'];
  if (typeof runId !== 'string') return null;
  const { rows } = await pool.query<{ trace: string | null }>({
    name: 'read-trace-of-run',
    text: `SELECT input->>'trace' AS trace FROM run WHERE org_id = $1 AND id = $2`,
    values: [org_id, runId],
  });
  return rows[0]?.trace ?? null;
}

/** The outcome of one attempt. `attempt`: null if no attempt was made, which does not count. */
export type EventOutcome = {
  claimed: LeasedEvent;
  state: EventDeliveryState;
  attempt: DeliveryAttempt | null;
  /** The delay before the next attempt. Null after the last attempt. */
  againAfterMs: number | null;
};

const OUTCOME = rowsOf('t', {
  ...QUEUE.leaseTypes,
  state: 'text',
  attempt: 'text',
  again_ms: 'float8',
});

/** Stores the outcomes of attempts. Each outcome is stored only while the delivery still belongs to its worker. */
const COMPLETE = named(
  'complete-events',
  OUTCOME.types,
  `UPDATE event_delivery d SET state = t.state, lease = NULL, due_at = (SELECT now() + t.again_ms * interval '1 millisecond'),
  attempts = d.attempts - CASE WHEN t.attempt IS NULL THEN 1 ELSE 0 END, updated_at = statement_timestamp(),
  history = CASE WHEN t.attempt IS NULL THEN d.history
    WHEN jsonb_array_length(d.history) >= ${MAX_STORED_ATTEMPTS} THEN (d.history - 0) || t.attempt::jsonb
    ELSE d.history || t.attempt::jsonb END
FROM ${OUTCOME.from}
WHERE ${QUEUE.sameLease('d', 't')}`,
);

export async function completeEvents(pool: pg.Pool, outcomes: readonly EventOutcome[]): Promise<void> {
  await pool.query(
    COMPLETE({
      ...QUEUE.leaseColumns(outcomes.map(({ claimed }) => claimed)),
      state: outcomes.map(({ state }) => state),
      attempt: outcomes.map(({ attempt }) => attempt && JSON.stringify(attempt)),
      again_ms: outcomes.map(({ againAfterMs }) => againAfterMs),
    }),
  );
}

/**
 * Successes of the endpoint make one delivery due early at most this many times, so that a delivery that always fails
 * ends.
 */
const MAX_EARLY = 3;
/**
 * One success of an endpoint makes at most this many waiting deliveries due. The next success continues with the other
 * waiting deliveries.
 */
const EARLY_AT_ONCE = 1_000;

const MAKE_DUE = named(
  'make-waiting-events-due',
  { org: 'text[]', endpoint: 'text[]' },
  `WITH waiting AS (
  SELECT d.org_id, d.event_id, d.endpoint_id
  FROM unnest(:org, :endpoint) AS healthy(org_id, endpoint_id) CROSS JOIN LATERAL (
    SELECT * FROM event_delivery d WHERE d.endpoint_id = healthy.endpoint_id AND d.due_at IS NOT NULL
      AND d.org_id = healthy.org_id AND d.due_at > ${NOW} AND d.state = 'pending' AND d.lease IS NULL
      AND d.attempts > 0 AND d.early < ${MAX_EARLY}
    ORDER BY d.event_id LIMIT ${EARLY_AT_ONCE} FOR UPDATE SKIP LOCKED) d
)
UPDATE event_delivery d SET due_at = ${NOW}, early = d.early + 1, attempts = d.attempts - 1
FROM waiting w WHERE d.org_id = w.org_id AND d.event_id = w.event_id AND d.endpoint_id = w.endpoint_id`,
);

/**
 * Makes the waiting deliveries of an endpoint due after the endpoint has accepted an event. The early attempt does not
 * count, so the number of later attempts does not change. Returns the number of deliveries that became due.
 */
export async function makeWaitingDue(
  pool: pg.Pool,
  endpoints: readonly { org_id: string; endpoint_id: string }[],
): Promise<number> {
  const made = await pool.query(
    MAKE_DUE({
      org: endpoints.map(({ org_id }) => org_id),
      endpoint: endpoints.map(({ endpoint_id }) => endpoint_id),
    }),
  );
  return made.rowCount ?? 0;
}
