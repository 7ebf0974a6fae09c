import { sql } from 'drizzle-orm';
import { inEachCell } from '../cells/by-cell.ts';
import type { Db } from '../db.ts';

/** Counts over the whole installation. The operator sees the counts at start, and no tenant sees them. */
export async function countEverything(db: Db) {
  const counts = await inEachCell(db, countIn);
  const sum = (of: (one: (typeof counts)[number]) => number): number => counts.reduce((all, one) => all + of(one), 0);
  return {
    organizations: counts[0]!.organizations,
    agents: sum(({ agents }) => agents),
    keys: sum(({ keys }) => keys),
    conversations: sum(({ conversations }) => conversations),
    runs: sum(({ runs }) => runs),
  };
}

async function countIn(db: Db) {
  const found = await db.execute<Record<'organizations' | 'agents' | 'keys' | 'conversations' | 'runs', string>>(sql`
    SELECT (SELECT count(*) FROM organization) AS organizations,
      (SELECT count(*) FROM agent WHERE deleted_at IS NULL) AS agents,
      (SELECT count(*) FROM api_key WHERE revoked_at IS NULL) AS keys,
      -- Estimates: counting millions of rows would make every start slow.
      ${estimate('conversation')} AS conversations, ${estimate('run')} AS runs`);
  const row = found.rows[0]!;
  return {
    organizations: Number(row.organizations),
    agents: Number(row.agents),
    keys: Number(row.keys),
    conversations: Number(row.conversations),
    runs: Number(row.runs),
  };
}

/** A count up to 10,000 rows is exact. A count above 10,000 rows is the planner's estimate. */
const estimate = (table: 'conversation' | 'run') => {
  const name = sql.raw(table);
  return sql`(SELECT CASE WHEN n <= 10000 THEN n
      ELSE greatest(n, (SELECT reltuples FROM pg_class WHERE oid = ${table}::regclass)::bigint) END
    FROM (SELECT count(*) AS n FROM (SELECT 1 FROM ${name} LIMIT 10001) AS sample) AS counted)`;
};
