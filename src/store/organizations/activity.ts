import { and, desc, eq, gte, lt, sql } from 'drizzle-orm';
import { MAX_OVERVIEW } from '../../../contract/dashboard/activity.ts';
import { newId } from '../../kernel/ids.ts';
import type { Queryable } from '../db.ts';
import { pageOf, type PageOf, type PageRequest } from '../page.ts';
import { audit } from '../schema/audit.ts';

export type AuditRow = typeof audit.$inferSelect;
export type AuditFilter = {
  subjectId?: string | undefined;
  actor?: string | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
};

/**
 * IDs use the clock of a node, and `created_at` uses the clock of the database. This is the largest allowed difference.
 */
const CLOCK_SLACK_MS = 3_600_000;

export async function listAudit(
  db: Queryable,
  orgId: string,
  { subjectId, actor, since, until }: AuditFilter,
  { limit, after }: PageRequest,
): Promise<PageOf<AuditRow>> {
  const rows = await db
    .select()
    .from(audit)
    .where(
      and(
        eq(audit.orgId, orgId),
        subjectId ? eq(audit.subjectId, subjectId) : undefined,
        actor ? eq(audit.actor, actor) : undefined,
        since && and(gte(audit.createdAt, since), gte(audit.id, idAt(since.getTime() - CLOCK_SLACK_MS))),
        until && and(lt(audit.createdAt, until), lt(audit.id, idAt(until.getTime() + CLOCK_SLACK_MS))),
        // IDs contain their time, so the list is in the order of the primary key.
        after ? lt(audit.id, after.id) : undefined,
      ),
    )
    .orderBy(desc(audit.id))
    .limit(limit + 1);
  return pageOf(rows, limit);
}

/**
 * The prefix of an ID with its time and random part. IDs that are created after the given time sort after this text.
 */
const idAt = (ms: number): string => newId('audit', Math.max(0, ms)).slice(0, 'audit_'.length + 10);

export type OverviewCounts = {
  agents: number;
  triggers: number;
  channels: number;
  campaigns: number;
  activeKeys: number;
  endUsers: number;
  members: number;
  conversations: Record<'open' | 'handed_off' | 'resolved', number>;
  runs24h: Record<string, number>;
  firstRequest: boolean;
  firstVisitor: boolean;
};

const DAY_MS = 86_400_000;

export async function countOverview(db: Queryable, orgId: string): Promise<OverviewCounts> {
  const many = (from: string) =>
    sql`(SELECT count(*)::int FROM (SELECT 1 FROM ${sql.raw(from)} AND org_id = ${orgId} LIMIT ${MAX_OVERVIEW}) x)`;
  // The prefix of an ID with its time and random part. IDs that are created after the given time sort after this text.
  const since = newId('run', Date.now() - DAY_MS).slice(0, 'run_'.length + 10);
  const { rows } = await db.execute<{ counts: OverviewCounts }>(sql`SELECT jsonb_build_object(
    'agents', ${many('agent WHERE deleted_at IS NULL')},
    'triggers', ${many('trigger WHERE deleted_at IS NULL')},
    'channels', ${many('channel WHERE deleted_at IS NULL')},
    'campaigns', ${many('campaign WHERE deleted_at IS NULL')},
    'activeKeys', ${many('api_key WHERE revoked_at IS NULL')},
    'endUsers', ${many('end_user WHERE true')},
    'members', (SELECT count(*)::int FROM member WHERE organization_id = ${orgId}),
    'conversations', (SELECT jsonb_build_object(
        'open', count(*) FILTER (WHERE status = 'open'),
        'handed_off', count(*) FILTER (WHERE status = 'handed_off'),
        'resolved', count(*) FILTER (WHERE status = 'resolved'))
      FROM (SELECT status FROM conversation WHERE org_id = ${orgId} ORDER BY id DESC LIMIT ${MAX_OVERVIEW}) x),
    'runs24h', (SELECT coalesce(jsonb_object_agg(status, many), '{}') FROM (SELECT status, count(*) AS many
      FROM (SELECT status FROM run WHERE org_id = ${orgId} AND id > ${since} ORDER BY id DESC LIMIT ${MAX_OVERVIEW}) x
      GROUP BY status) y),
    'firstRequest', EXISTS (SELECT 1 FROM api_key WHERE org_id = ${orgId} AND last_used_at IS NOT NULL),
    'firstVisitor', EXISTS (SELECT 1 FROM channel h WHERE h.org_id = ${orgId} AND h.kind = 'web_chat'
      AND h.deleted_at IS NULL AND EXISTS (SELECT 1 FROM conversation c WHERE c.org_id = h.org_id
        AND c.channel_id = h.id AND c.status IN ('open', 'handed_off', 'resolved')))
  ) AS counts`);
  return rows[0]!.counts;
}
