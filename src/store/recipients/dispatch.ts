import { sql } from 'drizzle-orm';
import type pg from 'pg';
import type { CampaignSettings } from '../../../contract/campaigns.ts';
import { PLAN_WITH_API } from '../../../contract/plans.ts';
import type { RunInput } from '../../../contract/triggers.ts';
import { cancelCampaignRuns } from '../campaigns/runs.ts';
import type { Db, Queryable } from '../db.ts';
import { named, rowsOf } from '../named-statement.ts';
import { checkedOnly } from '../queue/join-by-key.ts';
import { NOW } from '../schema/columns.ts';
import { type TurnPerson, turnPerson } from '../end-users/turn-person.ts';
import { addressOf } from '../end-users/address-of.ts';

export type CampaignKey = { org_id: string; id: string };

/**
 * A live campaign, locked until the transaction ends. A pause waits for this lock, and after the pause no worker can
 * lock the campaign.
 */
export type LockedCampaign = {
  org_id: string;
  id: string;
  agent_id: string;
  channel_id: string;
  channel_kind: string;
  settings: CampaignSettings;
  paced_until: Date | null;
  now: Date;
};

export type DueRecipient = {
  id: string;
  variables: Record<string, unknown>;
  address: string | null;
  request_id: string | null;
  person: Omit<TurnPerson, 'consent'> & { consent: string | null };
};

/** The decision for a due recipient. */
export type Dispatch =
  | { kind: 'begin'; recipient: DueRecipient; conversationId: string; runId: string; input: RunInput }
  | { kind: 'hold'; recipient: DueRecipient; until: Date }
  | { kind: 'end'; recipient: DueRecipient; status: 'suppressed' | 'failed' | 'expired'; reason: string };

/**
 * Campaigns with due recipients whose pace allows a send. Returns one page, after the last campaign of the previous
 * page. The campaigns take turns, because many campaigns may wait for their channel or plan.
 */
export async function findDueCampaigns(
  pool: pg.Pool,
  after: CampaignKey | null,
  limit: number,
): Promise<CampaignKey[]> {
  const found = await pool.query<CampaignKey>({
    name: 'find-due-campaigns',
    text: `SELECT c.org_id, c.id FROM campaign c
      WHERE c.attended AND c.state = 'live' AND c.deleted_at IS NULL
        AND (c.paced_until IS NULL OR c.paced_until <= now())
        AND EXISTS (SELECT 1 FROM recipient r WHERE r.org_id = c.org_id AND r.campaign_id = c.id AND r.due_at <= ${NOW})
        AND (c.org_id, c.id) > ($2, $3)
      ORDER BY c.org_id, c.id LIMIT $1`,
    values: [limit, after?.org_id ?? '', after?.id ?? ''],
  });
  return found.rows;
}

/** Delays a campaign whose recipients cannot be started, so that other campaigns are not delayed. */
export async function delayCampaign(pool: pg.Pool, { org_id: orgId, id }: CampaignKey, seconds: number): Promise<void> {
  await pool.query({
    name: 'delay-campaign',
    text: `UPDATE campaign SET paced_until = now() + make_interval(secs => $3) WHERE org_id = $1 AND id = $2`,
    values: [orgId, id, seconds],
  });
}

/** Null if the campaign is not live, another worker has it, or its agent, channel or plan is disabled. */
export async function lockCampaign(client: pg.PoolClient, key: CampaignKey): Promise<LockedCampaign | null> {
  const found = await client.query<LockedCampaign>({
    name: 'lock-campaign',
    text: `SELECT c.org_id, c.id, c.agent_id, c.channel_id, ch.kind AS channel_kind, c.settings, c.paced_until,
      now() AS now
      FROM campaign c
      JOIN organization o ON o.id = c.org_id AND o.plan = '${PLAN_WITH_API}'
      JOIN agent a ON a.org_id = c.org_id AND a.id = c.agent_id AND a.enabled AND a.deleted_at IS NULL
      JOIN channel ch ON ch.org_id = c.org_id AND ch.id = c.channel_id AND ch.enabled AND ch.deleted_at IS NULL
      WHERE c.org_id = $1 AND c.id = $2 AND c.state = 'live' AND c.deleted_at IS NULL
      FOR NO KEY UPDATE OF c SKIP LOCKED`,
    values: [key.org_id, key.id],
  });
  return found.rows[0] ?? null;
}

/** SQL columns of recipient `r` and end user `e`, for the channel `$3` of the kind `$4`. */
export const ADDRESS_AND_PERSON = `coalesce((SELECT i.address FROM identity i WHERE i.org_id = r.org_id AND i.end_user_id = r.end_user_id
            AND ${checkedOnly('i.channel_id')} = $3 ORDER BY i.last_inbound_at DESC NULLS LAST LIMIT 1),
          ${addressOf('$4')}) AS address,
        ${turnPerson(`e.consent -> $4 ->> 'status'`)} AS person`;

/**
 * Locks due recipients and their people. Rows that another transaction has locked (for example, an erasure) are skipped
 * until the next round.
 */
export async function claimDue(
  client: pg.PoolClient,
  campaign: LockedCampaign,
  limit: number,
): Promise<DueRecipient[]> {
  const found = await client.query<DueRecipient>({
    name: 'claim-due-recipients',
    text: `WITH due AS MATERIALIZED (
        SELECT * FROM recipient WHERE org_id = $1 AND campaign_id = $2 AND due_at <= ${NOW}
        ORDER BY due_at LIMIT $5 FOR NO KEY UPDATE SKIP LOCKED
      )
      SELECT r.id, r.variables, r.request_id,
        ${ADDRESS_AND_PERSON}
      FROM due r CROSS JOIN LATERAL (
        SELECT * FROM end_user WHERE org_id = r.org_id AND id = r.end_user_id FOR KEY SHARE SKIP LOCKED
      ) e ORDER BY r.due_at`,
    values: [campaign.org_id, campaign.id, campaign.channel_id, campaign.channel_kind, limit],
  });
  return found.rows;
}

/**
 * A retry waits for at most an hour (src/kernel/retry-after.ts). A later time is the end of quiet hours, for which
 * people in other time zones do not wait.
 */
const SOON = `${NOW} + interval '61 minutes'`;

/** The number of started recipients whose first message is not written or not sent yet, at most `limit`. */
export async function countUnsent(client: pg.PoolClient, { org_id, id }: CampaignKey, limit: number): Promise<number> {
  const found = await client.query<{ many: number }>({
    name: 'count-unsent',
    text: `SELECT count(*)::int AS many FROM (
        SELECT FROM recipient r CROSS JOIN LATERAL (
          SELECT FROM run WHERE org_id = r.org_id AND id = r.run_id AND turns = 0 AND due_at <= ${SOON}
          UNION ALL
          SELECT FROM message WHERE org_id = r.org_id AND conversation_id = r.conversation_id AND run_id = r.run_id
            AND role = 'agent' AND due_at <= ${SOON}
          LIMIT 1
        ) unsent
        WHERE ${checkedOnly('r.org_id')} = $1 AND r.campaign_id = $2 AND r.status = 'sending' LIMIT $3
      ) found`,
    values: [org_id, id, limit],
  });
  return found.rows[0]!.many;
}

const BEGIN = rowsOf('b', {
  recipient_id: 'text',
  conversation_id: 'text',
  run_id: 'text',
  end_user_id: 'text',
  address: 'text',
  locale: 'text',
  input: 'text',
  request_id: 'text',
});
const MOVE = rowsOf('m', { id: 'text', status: 'text', reason: 'text', due_at: 'timestamptz' }, 'move_');
const CAMPAIGN = {
  org_id: 'text',
  campaign_id: 'text',
  agent_id: 'text',
  channel_id: 'text',
  paced_until: 'timestamptz',
};

const DISPATCH = named(
  'dispatch-recipients',
  { ...CAMPAIGN, ...BEGIN.types, ...MOVE.types },
  `WITH begins AS MATERIALIZED (
  SELECT * FROM ${BEGIN.from}
), begun AS (
  INSERT INTO conversation (org_id, id, agent_id, channel_id, end_user_id, address, locale, run_id)
  SELECT :org_id, conversation_id, :agent_id, :channel_id, end_user_id, address, locale, run_id FROM begins
), running AS (
  INSERT INTO run (org_id, id, trigger_id, conversation_id, status, input, request_id, due_at)
  SELECT :org_id, run_id, NULL, conversation_id, 'queued', input::jsonb, request_id, now() FROM begins
), sending AS (
  UPDATE recipient r SET status = 'sending', reason = NULL, due_at = NULL,
    conversation_id = b.conversation_id, run_id = b.run_id, updated_at = statement_timestamp()
  FROM begins b WHERE r.org_id = :org_id AND r.campaign_id = :campaign_id AND r.id = b.recipient_id
), moved AS (
  UPDATE recipient r SET status = m.status, reason = m.reason, due_at = m.due_at, updated_at = statement_timestamp()
  FROM ${MOVE.from}
  WHERE r.org_id = :org_id AND r.campaign_id = :campaign_id AND r.id = m.id
)
UPDATE campaign SET paced_until = :paced_until
WHERE org_id = :org_id AND id = :campaign_id AND paced_until IS DISTINCT FROM :paced_until`,
);

/**
 * Writes conversations and runs of the started recipients, the next time of the delayed recipients, and the end of the
 * other recipients.
 */
export async function writeDispatch(
  client: pg.PoolClient,
  campaign: LockedCampaign,
  dispatches: readonly Dispatch[],
  pacedUntil: Date | null,
): Promise<void> {
  const begins = dispatches.filter((one) => one.kind === 'begin');
  const moves = dispatches.filter((one) => one.kind !== 'begin');
  await client.query(
    DISPATCH({
      org_id: campaign.org_id,
      campaign_id: campaign.id,
      agent_id: campaign.agent_id,
      channel_id: campaign.channel_id,
      paced_until: pacedUntil,
      recipient_id: begins.map(({ recipient }) => recipient.id),
      conversation_id: begins.map(({ conversationId }) => conversationId),
      run_id: begins.map(({ runId }) => runId),
      end_user_id: begins.map(({ recipient }) => recipient.person.id),
      address: begins.map(({ recipient }) => recipient.address),
      locale: begins.map(({ recipient }) => recipient.person.locale),
      input: begins.map(({ input }) => JSON.stringify(input)),
      request_id: begins.map(({ recipient }) => recipient.request_id),
      move_id: moves.map(({ recipient }) => recipient.id),
      move_status: moves.map((one) => (one.kind === 'hold' ? 'waiting_window' : one.status)),
      move_reason: moves.map((one) => (one.kind === 'hold' ? 'quiet_hours' : one.reason)),
      move_due_at: moves.map((one) => (one.kind === 'hold' ? one.until : null)),
    }),
  );
}

/**
 * The time is longer than any statement that enrols people, because a statement that started before the end may commit
 * after it.
 */
const ATTENDED_SECONDS = 60;

const OVER =
  "(c.deleted_at IS NOT NULL OR (c.state IN ('live', 'paused') AND (c.settings ->> 'ends_at')::timestamptz <= now()))";
/** The time at which a campaign may next send or has to be ended. Null: no campaign may send or has to be ended. */
export const NEXT_OF_CAMPAIGNS = `SELECT min(due.at) FROM campaign c CROSS JOIN LATERAL (
    (SELECT greatest(c.paced_until, r.due_at) AS at FROM recipient r
      WHERE c.state = 'live' AND c.deleted_at IS NULL
        AND r.org_id = c.org_id AND r.campaign_id = c.id AND r.due_at IS NOT NULL ORDER BY r.due_at LIMIT 1)
    UNION ALL
    SELECT CASE WHEN c.state = 'ended' OR c.deleted_at IS NOT NULL THEN ${NOW}
      WHEN c.state IN ('live', 'paused') THEN (c.settings ->> 'ends_at')::timestamptz END
  ) AS due WHERE c.attended`;
const NOBODY_DUE = `NOT EXISTS (
  SELECT 1 FROM recipient r WHERE r.org_id = c.org_id AND r.campaign_id = c.id AND r.due_at IS NOT NULL)`;

const IS_OVER = `c.attended AND c.state <> 'ended' AND ${OVER} AND ${NOBODY_DUE}`;

/**
 * Ends the remaining recipients of an ended campaign, at most `limit` in one call. A campaign without remaining
 * recipients is finished. Returns the number of recipients that expired. If a campaign cannot be ended, the function
 * ends the others and then throws.
 */
export async function expireRecipients(db: Db, limit: number): Promise<number> {
  const expired = await db.$client.query({
    name: 'expire-recipients',
    text: `WITH late AS MATERIALIZED (
        SELECT r.org_id, r.campaign_id, r.id FROM campaign c
        JOIN recipient r ON r.org_id = c.org_id AND r.campaign_id = c.id AND r.due_at IS NOT NULL
        WHERE c.attended AND (c.state = 'ended' OR ${OVER}) LIMIT $1 FOR UPDATE OF r SKIP LOCKED
      )
      UPDATE recipient r
      SET status = 'expired', reason = 'campaign_ended', due_at = NULL, updated_at = statement_timestamp()
      FROM late WHERE r.org_id = late.org_id AND r.campaign_id = late.campaign_id AND r.id = late.id`,
    values: [limit],
  });
  if (expired.rowCount === 0) {
    const failures = await endCampaigns(db);
    await db.$client.query({
      name: 'leave-campaigns',
      text: `UPDATE campaign c SET attended = false WHERE c.attended AND c.state = 'ended'
        AND c.updated_at < now() - interval '${ATTENDED_SECONDS} seconds' AND ${NOBODY_DUE}`,
    });
    if (failures.length > 0) throw failures[0];
  }
  return expired.rowCount ?? 0;
}

/** Ends each campaign in its own transaction. Returns the errors of the campaigns that could not be ended. */
async function endCampaigns(db: Db): Promise<unknown[]> {
  const over = await db.$client.query<CampaignKey>({
    name: 'find-over-campaigns',
    text: `SELECT c.org_id, c.id FROM campaign c WHERE ${IS_OVER}`,
  });
  const failures: unknown[] = [];
  for (const key of over.rows)
    await db.transaction((tx) => endCampaign(tx, key)).catch((error) => failures.push(error));
  return failures;
}

/**
 * A campaign after its end time ends as if a member had ended it, so started messages that were not sent are cancelled.
 */
async function endCampaign(tx: Queryable, { org_id: orgId, id }: CampaignKey): Promise<void> {
  const ended = await tx.execute(sql`UPDATE campaign SET state = 'ended', updated_at = now()
    WHERE (org_id, id) IN (SELECT c.org_id, c.id FROM campaign c
      WHERE c.org_id = ${orgId} AND c.id = ${id} AND ${sql.raw(IS_OVER)} FOR NO KEY UPDATE SKIP LOCKED)`);
  if (ended.rowCount === 1) await cancelCampaignRuns(tx, orgId, id);
}
