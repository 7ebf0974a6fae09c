import { sql } from 'drizzle-orm';
import { quoted } from '../backup/format.ts';
import type { Db } from '../db.ts';
import { DEFAULT_CELL } from './directory.ts';
import { REGION_TABLES } from './region-tables.ts';

export type CellRecord = {
  cell: string;
  /** The server with its rows. */
  node: string;
  organizations: string[];
  /** The planner's estimate. */
  rows: number;
  bytes: number;
};

/** All cells with their organizations. Sizes are those of tables and indexes. */
export async function listCells(db: Db): Promise<CellRecord[]> {
  const { rows } = await db.execute<{ cell: string; node: string; organizations: string[] }>(sql`
    SELECT c.name AS cell, coalesce(host(inet_server_addr()) || ':' || inet_server_port(), 'local') AS node,
      ARRAY(SELECT o.id FROM organization o WHERE o.cell = c.name ORDER BY o.id) AS organizations
    FROM (SELECT ${DEFAULT_CELL} AS name, NULL::timestamptz AS created_at UNION ALL SELECT name, created_at FROM cell) c
    ORDER BY c.created_at NULLS FIRST, c.name`);
  return Promise.all(rows.map(async (row) => ({ ...row, ...(await sizeOf(db, row.cell)) })));
}

async function sizeOf(db: Db, cell: string): Promise<{ rows: number; bytes: number }> {
  const { rows } = await db.execute<{ rows: string; bytes: string }>(sql`
    SELECT coalesce(sum(greatest(c.reltuples, 0)), 0)::bigint AS rows,
      coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint AS bytes
    FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = ${quoted(cell)}::regnamespace
      AND c.relname <> ALL (${sql.param(REGION_TABLES)}::text[])`);
  return { rows: Number(rows[0]!.rows), bytes: Number(rows[0]!.bytes) };
}
