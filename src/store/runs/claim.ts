import type pg from 'pg';
import type { RunResult } from '../../../contract/results.ts';
import type { RunInput } from '../../../contract/triggers.ts';
import type { KnownApproval, StoredCall } from '../../engine/providers/stored-call.ts';
import { NOW } from '../schema/columns.ts';
import { dueFairly, fairnessOf, type ClaimedByLane } from '../queue/lanes.ts';
import { leasedQueue } from '../queue/leased-queue.ts';
import { byKey } from '../queue/join-by-key.ts';
import { type TurnPerson, turnPerson } from '../end-users/turn-person.ts';
import { addressOfTurn } from '../end-users/address-of.ts';

export const RUN_QUEUE = leasedQueue('run', ['org_id', 'id']);
/** Maximum number of history messages in a turn, equal to MAX_HISTORY in engine/provider.ts. */
const HISTORY = 40;
/**
 * A claim reads at most this many unanswered messages of one conversation. The claim reads the newest messages, because
 * one of them may be a “stop”.
 */
const UNANSWERED = 1_000;

type Said = { id: string; role: string; content: { type: string; text?: string; name?: string } };

/** A tool call of this run that waits for the approval of the team, or was decided. */
type OpenApproval = Pick<KnownApproval, 'status' | 'reason' | 'outcome'> & { id: string; call: StoredCall };

/** A claimed run with all data that its turn needs. */
export type ClaimedRun = {
  org_id: string;
  run_id: string;
  trigger_id: string | null;
  lease: string;
  /** The organization's lane in the queue, with the highest number that this claim took from the lane. */
  lane: number;
  share: number;
  attempts: number;
  turns: number;
  input: RunInput;
  request_id: string | null;
  agent_id: string;
  agent_revision: number;
  agent_deleted: boolean;
  channel_id: string;
  channel_kind: string;
  address: string | null;
  /** True: the person has written from the conversation's address. */
  wrote_from_address: boolean;
  conversation_id: string;
  conversation_version: number;
  conversation_status: string;
  conversation_locale: string | null;
  conversation_run_id: string | null;
  /** True: the run was accepted for a later time, so its message is not in `unanswered`. */
  is_scheduled: boolean;
  /** True: a later run of the conversation is due or in progress and also answers the messages of this run. */
  is_overtaken: boolean;
  state: unknown;
  reason: string | null;
  /** Tool calls that wait for approval, and decisions that the agent does not know yet, oldest first. */
  approvals: OpenApproval[];
  result: RunResult | null;
  /** True if a step for the person's silence is due, and the number of steps of this silence that are done. */
  is_silence_due: boolean;
  silent_steps: number;
  tags: string[];
  unanswered: string[];
  end_user: TurnPerson;
  /**
   * The newest messages in any order, so sort them by ID. (The query selects them by time, because a plan for `ORDER BY
   * id` may read the whole primary key.)
   */
  history: Said[];
  /** The unanswered messages, or null if the history contains all of them. */
  burst: Said[] | null;
};

/** This form prevents a look-up by the organization alone, which a plan for an empty table would use. */
const OF_ORGANIZATION = `coalesce(org_id, '') = c.org_id`;

/** Claims due runs. A backlog of one tenant does not delay other tenants (src/store/queue/lanes.ts). */
const CLAIM = RUN_QUEUE.claim<ClaimedRun>({
  due: dueFairly('run'),
  set: `attempts = q.attempts + 1, status = 'running'`,
  returning: `q.org_id, q.id, q.trigger_id, q.conversation_id, q.lease, q.attempts, q.turns, q.input, q.request_id,
    q.send_at, q.reason, q.result, q.no_reply_at, q.reminders, due.lane, due.share`,
  read: `SELECT r.org_id, r.id AS run_id, r.trigger_id, r.lease, r.lane, r.share, r.attempts, r.turns, r.input, r.request_id,
  r.reason, r.result, coalesce(r.no_reply_at <= ${NOW}, false) AS is_silence_due, coalesce(r.reminders, 0) AS silent_steps, c.agent_id, a.revision AS agent_revision,
  a.deleted_at IS NOT NULL AS agent_deleted, c.channel_id, ch.kind AS channel_kind,
  ${addressOfTurn('c.address')} AS address,
  EXISTS (SELECT 1 FROM identity i WHERE i.org_id = c.org_id AND i.channel_id = c.channel_id AND i.address = c.address
    AND i.end_user_id = c.end_user_id AND i.last_inbound_at IS NOT NULL) AS wrote_from_address,
  c.id AS conversation_id, c.version AS conversation_version, c.status AS conversation_status,
  c.locale AS conversation_locale, c.run_id AS conversation_run_id, r.send_at IS NOT NULL AS is_scheduled,
  CASE WHEN c.run_id <> r.id THEN EXISTS (SELECT 1 FROM run o WHERE o.org_id = c.org_id AND o.id = c.run_id
    AND o.status IN ('queued', 'running')) ELSE false END AS is_overtaken, c.state, c.tags, c.unanswered,
  coalesce((SELECT json_agg(json_build_object('id', p.id, 'status', p.status, 'reason', p.reason, 'call', p.call,
    'outcome', p.outcome) ORDER BY p.id) FROM approval p
    WHERE p.run_id = r.id AND coalesce(p.org_id, '') = c.org_id AND p.answered_at IS NULL), '[]') AS approvals,
  ${turnPerson()} AS end_user,
  coalesce((SELECT json_agg(m) FROM (
    SELECT id, role, content FROM message WHERE ${OF_ORGANIZATION} AND conversation_id = c.id
      ORDER BY created_at DESC, id DESC LIMIT ${HISTORY}
  ) m), '[]') AS history,
  CASE WHEN cardinality(c.unanswered) > ${HISTORY} THEN (SELECT json_agg(m) FROM
    unnest(c.unanswered[greatest(1, cardinality(c.unanswered) - ${UNANSWERED - 1}):]) u
    CROSS JOIN LATERAL (SELECT id, role, content FROM message WHERE org_id = c.org_id AND id = u LIMIT 1
  ) m) END AS burst
FROM claimed r
${byKey('conversation c', 'c.org_id = r.org_id AND c.id = r.conversation_id')}
${byKey('agent a', 'a.org_id = c.org_id AND a.id = c.agent_id')}
${byKey('channel ch', 'ch.org_id = c.org_id AND ch.id = c.channel_id')}
${byKey('end_user e', 'e.org_id = c.org_id AND e.id = c.end_user_id')}`,
});
export const CLAIM_RUNS = CLAIM.text;

/**
 * `claimedByLane`: the number of runs in each lane that this worker has in progress. A claim returns no run of a lane
 * in which this worker has `perLane` runs in progress.
 */
export const claimRuns = (
  pool: pg.Pool,
  lease: string,
  limit: number,
  claimedByLane: ClaimedByLane = new Map(),
  perLane: number = limit,
): Promise<ClaimedRun[]> => CLAIM(pool, limit, lease, fairnessOf(claimedByLane, perLane));

export type LeasedRun = Pick<ClaimedRun, 'org_id' | 'run_id' | 'lease'>;

export const asLeased = ({ org_id, run_id: id, lease }: LeasedRun) => ({ org_id, id, lease });

/** Renews the leases of a live worker. Returns the runs that still belong to the worker. */
export async function renewRuns(pool: pg.Pool, runs: readonly LeasedRun[]): Promise<Set<string>> {
  const renewed = await RUN_QUEUE.renewAll(pool, runs.map(asLeased));
  return new Set(renewed.map(({ id }) => id));
}

/**
 * Returns the turns that can no longer be stored, because a message arrived, a member took over, the conversation was
 * resolved, the run was cancelled or paused, the person was erased, or the agent was deleted.
 */
export async function findOutdated(
  pool: pg.Pool,
  runs: readonly (LeasedRun & Pick<ClaimedRun, 'conversation_id' | 'conversation_version'>)[],
): Promise<Set<string>> {
  const found = await pool.query<{ run_id: string }>({
    name: 'find-current',
    text: `SELECT t.run_id
      FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int[]) AS t(org_id, run_id, lease, id, version)
      JOIN run r ON r.org_id = t.org_id AND r.id = t.run_id AND r.lease = t.lease
      JOIN conversation c ON c.org_id = t.org_id AND c.id = t.id AND c.version = t.version
      JOIN agent a ON a.org_id = c.org_id AND a.id = c.agent_id AND a.deleted_at IS NULL`,
    values: [
      runs.map((run) => run.org_id),
      runs.map((run) => run.run_id),
      runs.map((run) => run.lease),
      runs.map((run) => run.conversation_id),
      runs.map((run) => run.conversation_version),
    ],
  });
  const current = new Set(found.rows.map((row) => row.run_id));
  return new Set(runs.map((run) => run.run_id).filter((id) => !current.has(id)));
}
