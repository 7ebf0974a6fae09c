import { sql } from 'drizzle-orm';
import type { Queryable } from '../db.ts';

/** Surveys that were rated since `from` and before `until`. Undefined: of all agents, versions or channels. */
export type RatingFilter = {
  from: Date;
  until: Date;
  agentId?: string | undefined;
  agentVersion?: number | undefined;
  channelId?: string | undefined;
};

/** The average of no survey is null. */
export type RatingCount = { count: number; average: number | null };
export type RatingGroup = RatingCount & {
  /** The UTC day of the ratings, as `2026-11-23`. */
  day: string;
  agentId: string;
  agentVersion: number | null;
  channelId: string;
};

const rated = (orgId: string, { from, until, agentId, agentVersion, channelId }: RatingFilter) => sql`
  FROM rating WHERE org_id = ${orgId} AND score IS NOT NULL AND kind = 'survey'
    AND rated_at >= ${from} AND rated_at < ${until}
    ${agentId === undefined ? sql`` : sql`AND agent_id = ${agentId}`}
    ${agentVersion === undefined ? sql`` : sql`AND agent_version = ${agentVersion}`}
    ${channelId === undefined ? sql`` : sql`AND channel_id = ${channelId}`}`;

const COUNT = sql`count(*)::int AS count, avg(score)::float8 AS average`;

/** How many surveys were rated, and their average from 1 to 5. */
export async function countRatings(db: Queryable, orgId: string, filter: RatingFilter): Promise<RatingCount> {
  const { rows } = await db.execute<RatingCount>(sql`SELECT ${COUNT} ${rated(orgId, filter)}`);
  return rows[0]!;
}

/**
 * The same by day, agent, version and channel. For a total of groups, weight each average with its count.
 */
export async function countRatingsByGroup(db: Queryable, orgId: string, filter: RatingFilter): Promise<RatingGroup[]> {
  const { rows } = await db.execute<RatingGroup>(sql`
    SELECT to_char(rated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, agent_id AS "agentId",
      agent_version AS "agentVersion", channel_id AS "channelId", ${COUNT}
    ${rated(orgId, filter)} GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`);
  return rows;
}
