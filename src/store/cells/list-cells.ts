import type pg from 'pg';
import { sql } from 'drizzle-orm';
import type { Db } from '../db.ts';
import { isCitus, PLACED_SHARDS } from './citus.ts';
import { DEFAULT_CELL } from './directory.ts';
import { REGION_TABLES } from './region-tables.ts';
import { runOn } from './run-on-node.ts';

export type CellRecord = {
  cell: string;
  /** The database server that has the rows of the cell. */
  node: string;
  organizations: string[];
  /** The number is an estimate from the statistics of the database. */
  rows: number;
  bytes: number;
};
type Size = { node: string; rows: number; bytes: number };

/** All cells with their organizations. Sizes include tables and indexes. */
export async function listCells(db: Db): Promise<CellRecord[]> {
  const { rows } = await db.execute<{ cell: string; organizations: string[] }>(sql`
    SELECT c.name AS cell,
      ARRAY(SELECT o.id FROM organization o WHERE o.cell = c.name ORDER BY o.id) AS organizations
    FROM (SELECT ${DEFAULT_CELL} AS name, NULL::timestamptz AS created_at UNION ALL SELECT name, created_at FROM cell) c
    ORDER BY c.created_at NULLS FIRST, c.name`);
  const client = await db.$client.connect();
  try {
    const onNodes = (await isCitus(client)) ? await sizesOnNodes(client) : null;
    const cells: CellRecord[] = [];
    for (const { cell, organizations } of rows) {
      // On Citus, the schema "public" contains only the region, except in an installation that had organizations before
      // Citus.
      if (onNodes !== null && cell === DEFAULT_CELL && organizations.length === 0) continue;
      const { node, rows: many, bytes } = onNodes?.get(cell) ?? (await sizeOf(client, cell));
      cells.push({ cell, node, organizations, rows: many, bytes });
    }
    return cells;
  } finally {
    client.release();
  }
}

const SIZE = `coalesce(sum(greatest(c.reltuples, pg_stat_get_live_tuples(c.oid), 0)), 0)::bigint AS rows,
  coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint AS bytes`;

async function sizeOf(client: pg.PoolClient, cell: string): Promise<Size> {
  const { rows } = await client.query<{ node: string; rows: string; bytes: string }>(
    `SELECT coalesce(host(inet_server_addr()) || ':' || inet_server_port(), 'local') AS node, ${SIZE}
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind = 'r' AND n.nspname = $1 AND c.relname <> ALL ($2)`,
    [cell, REGION_TABLES],
  );
  return { node: rows[0]!.node, rows: Number(rows[0]!.rows), bytes: Number(rows[0]!.bytes) };
}

/** Sends one query to each node. The result has no sizes for the cells of a node that does not answer. */
export async function sizesOnNodes(client: pg.ClientBase): Promise<Map<string, Size>> {
  const places = await client.query<{ cell: string; host: string; port: number; shards: string[] }>(
    `SELECT n.nspname AS cell, w.nodename AS host, w.nodeport AS port,
       array_agg(quote_ident(n.nspname) || '.' || quote_ident(c.relname || '_' || s.shardid)) AS shards
     FROM ${PLACED_SHARDS} WHERE n.nspname IN (SELECT name FROM public.cell) GROUP BY 1, 2, 3 ORDER BY 1`,
  );
  const sizes = new Map<string, Size>();
  for (const { cell, host, port, shards } of places.rows) {
    const names = shards.map((name) => `'${name.replaceAll("'", "''")}'`).join(', ');
    const command = `SELECT to_json(x) FROM (SELECT ${SIZE} FROM pg_class c WHERE c.oid = ANY (ARRAY[${names}]::regclass[]::oid[])) x`;
    const result = await runOn(client, { host, port }, command).catch(() => null);
    const found = result === null ? null : (JSON.parse(result) as { rows: number; bytes: number });
    sizes.set(cell, { node: `${host}:${port}`, rows: found?.rows ?? 0, bytes: found?.bytes ?? 0 });
  }
  return sizes;
}
