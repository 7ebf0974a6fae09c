import { sql } from 'drizzle-orm';
import type { Queryable } from '../db.ts';
import { WITHDRAWN } from '../deliveries/claim.ts';
import { LEASE_SECONDS } from '../queue/lease-seconds.ts';
import { byKey, checkedOnly } from '../queue/join-by-key.ts';

const checked = (column: string) => sql.raw(checkedOnly(column));

/**
 * Handles runs that wait for their first turn, and first messages that wait to be sent. A pause stops waiting runs and
 * first messages by removing their `due_at`. A turn in progress loses its lease, so the result of the turn can no
 * longer be stored. A message in a provider call counts as sent, because the provider may already have the message. If
 * the provider call fails, the message waits for the end of the pause.
 *
 * The statistics of the tables may not include thousands of new rows yet. Each step finds its rows by one key, which
 * prevents the planner from reading all rows of the organization or the campaign.
 */
const sending = (orgId: string, campaignId: string) => sql`sending AS MATERIALIZED (
    SELECT org_id, end_user_id, conversation_id, run_id FROM recipient
    WHERE ${checked('org_id')} = ${orgId} AND campaign_id = ${campaignId} AND status = 'sending'
  )`;

/** A condition that joins `run` and `sending r` in an UPDATE and selects the runs without a turn. */
const UNSAID = sql`run.org_id = r.org_id AND run.id = r.run_id AND run.turns = 0`;

/**
 * Locks the runs without a turn in the order of their conversations, as the statement that stores turns does, to avoid
 * deadlocks.
 */
const unsaidRuns = (orgId: string, campaignId: string) => sql`
  WITH ${sending(orgId, campaignId)}, found AS MATERIALIZED (
    SELECT * FROM sending ORDER BY conversation_id
  ), unsaid AS MATERIALIZED (
    SELECT found.org_id, found.run_id FROM found CROSS JOIN LATERAL (
      SELECT FROM run WHERE org_id = found.org_id AND id = found.run_id AND turns = 0
        AND status IN ('queued', 'running') FOR NO KEY UPDATE) locked
  )`;

/**
 * Locks the messages in the order of their IDs, as the delivery workers do, to avoid deadlocks. Messages that a worker
 * has claimed are included, because the worker may return or retry them.
 */
const unsentMessages = (orgId: string, campaignId: string) => sql`
  WITH ${sending(orgId, campaignId)}, found AS MATERIALIZED (
    SELECT m.id, r.* FROM sending r JOIN message m ON ${checked('m.org_id')} = r.org_id
      AND m.conversation_id = r.conversation_id AND m.run_id = r.run_id AND m.role = 'agent' AND m.status = 'queued'
    ORDER BY m.id
  ), unsent AS MATERIALIZED (
    SELECT found.* FROM found CROSS JOIN LATERAL (
      SELECT FROM message WHERE org_id = found.org_id AND id = found.id AND status = 'queued' FOR NO KEY UPDATE) m
  )`;

export async function holdCampaignRuns(tx: Queryable, orgId: string, campaignId: string): Promise<void> {
  await tx.execute(sql`${unsaidRuns(orgId, campaignId)}
    UPDATE run SET due_at = NULL, lease = NULL, status = 'queued' FROM unsaid r
    WHERE run.org_id = r.org_id AND run.id = r.run_id`);
  await tx.execute(sql`${unsentMessages(orgId, campaignId)}
    UPDATE message m SET due_at = NULL FROM unsent
    WHERE m.org_id = unsent.org_id AND m.id = unsent.id AND m.status = 'queued' AND m.due_at IS NOT NULL`);
}

/** The time zones of the people who wait. The time zone is null for a person without a time zone. */
export async function listHeldZones(tx: Queryable, orgId: string, campaignId: string): Promise<(string | null)[]> {
  const found = await tx.execute<{ zone: string | null }>(sql`WITH ${sending(orgId, campaignId)}
    SELECT DISTINCT e.time_zone AS zone FROM sending r
    ${sql.raw(byKey('end_user e', 'e.org_id = r.org_id AND e.id = r.end_user_id'))}`);
  return found.rows.map(({ zone }) => zone);
}

/**
 * `openings`: the time from which people of each time zone may be messaged. People in no listed time zone may be
 * messaged immediately.
 */
export async function letCampaignRunsGo(
  tx: Queryable,
  orgId: string,
  campaignId: string,
  openings: ReadonlyMap<string | null, Date>,
): Promise<void> {
  const opening = sql`coalesce((SELECT o.at FROM end_user e
    JOIN unnest(${sql.param([...openings.keys()])}::text[],
      ${sql.param([...openings.values()].map((at) => at.toISOString()))}::timestamptz[])
      AS o(zone, at) ON o.zone IS NOT DISTINCT FROM e.time_zone
    WHERE e.org_id = r.org_id AND e.id = r.end_user_id), (SELECT now()))`;
  await tx.execute(sql`WITH ${sending(orgId, campaignId)}
    UPDATE run SET due_at = ${opening} FROM sending r
    WHERE ${UNSAID} AND run.status = 'queued' AND run.due_at IS NULL`);
  // The worker that has claimed a first message continues as after a renewal. If the worker has died, other workers see
  // that the lease has expired.
  await tx.execute(sql`${unsentMessages(orgId, campaignId)}
    UPDATE message m SET due_at = CASE WHEN m.lease IS NULL THEN ${opening} ELSE (SELECT now() + ${LEASE}) END FROM unsent r
    WHERE m.org_id = r.org_id AND m.id = r.id AND m.status = 'queued' AND m.due_at IS NULL`);
}

/**
 * An ended or deleted campaign sends nothing more. The campaign's recipients that never started expire
 * (`expire-recipients`).
 */
export async function cancelCampaignRuns(tx: Queryable, orgId: string, campaignId: string): Promise<void> {
  await tx.execute(sql`${unsentMessages(orgId, campaignId)} ${withdraw('campaign_ended')}`);
  await tx.execute(sql`${unsaidRuns(orgId, campaignId)}
    UPDATE run SET due_at = NULL, lease = NULL, status = 'cancelled', reason = 'campaign_ended', finished_at = now()
    FROM unsaid r WHERE run.org_id = r.org_id AND run.id = r.run_id`);
}

/**
 * The waiting first message to one recipient. The message is locked before its run and recipient, as at the end of a
 * delivery.
 */
const unsentOfOne = (orgId: string, { conversationId, runId }: Begun) => sql`
  WITH unsent AS MATERIALIZED (
    SELECT org_id, id FROM message WHERE org_id = ${orgId} AND conversation_id = ${conversationId} AND run_id = ${runId}
      AND role = 'agent' AND status = 'queued' ORDER BY id FOR NO KEY UPDATE
  )`;

type Begun = { conversationId: string; runId: string };

export async function lockUnsent(tx: Queryable, orgId: string, begun: Begun): Promise<void> {
  await tx.execute(sql`${unsentOfOne(orgId, begun)} SELECT id FROM unsent`);
}

/** Cancels the waiting first message to one recipient. */
export async function dropUnsent(tx: Queryable, orgId: string, begun: Begun): Promise<void> {
  await tx.execute(sql`${unsentOfOne(orgId, begun)} ${withdraw('cancelled')}`);
}

/**
 * Prevents further provider calls for the first messages of the campaign. A claimed message gets a mark: the worker
 * stores the outcome of its call, and the next worker ends the message (src/worker/deliveries/deliver-message.ts).
 */
const withdraw = (code: keyof typeof WITHDRAWN) => sql`
  UPDATE message m SET error = ${JSON.stringify(WITHDRAWN[code])}::jsonb,
    status = CASE WHEN m.lease IS NULL THEN 'suppressed' ELSE m.status END,
    due_at = CASE WHEN m.lease IS NOT NULL THEN coalesce(m.due_at, (SELECT now() + ${LEASE})) END
  FROM unsent WHERE m.org_id = unsent.org_id AND m.id = unsent.id AND m.status = 'queued'`;

const LEASE = sql.raw(`interval '${LEASE_SECONDS.message} seconds'`);
