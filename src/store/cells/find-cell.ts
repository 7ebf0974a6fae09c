import { sql } from 'drizzle-orm';
import type { Queryable } from '../db.ts';
import { GONE_AFTER } from '../installation/processes.ts';
import { DEFAULT_CELL } from './directory.ts';

/**
 * Cells whose sizes differ by less than this have the same load, so each of them gets about the same number of small
 * organizations.
 */
const SIZE_STEP = 64 * 1024 * 1024;

/**
 * The cell with the least load, for a new organization. The load is the size of the tables, in steps of 64 MiB, and
 * then the number of organizations. All running processes know a new cell before the cell gets an organization. A
 * suspended process finds no rows of the new organization for at most 5 s after the process continues. A process that
 * misses only a later change, for example a move, already knows the cells. If the installation has no other cells, the
 * organization is in the first cell. On Citus, the first cell is on no worker and gets no organizations. On Citus, the
 * choice ignores whether a node answers, because the row of the organization is written on all nodes. `isFilling`: the
 * first cell is being emptied, so it gets no organization. Until the end of the transaction, no command closes the cell.
 */
export async function findCell(db: Queryable, { isFilling = false } = {}): Promise<string> {
  for (;;) {
    const name = await findLightest(db, isFilling);
    if (name === DEFAULT_CELL) return name;
    const { rowCount } = await db.execute(sql`SELECT FROM cell WHERE name = ${name} AND ready FOR SHARE`);
    if (rowCount === 1) return name;
  }
}

async function findLightest(db: Queryable, isFilling: boolean): Promise<string> {
  const { rows } = await db.execute<{ name: string }>(sql`
    SELECT c.name FROM (
      SELECT ${DEFAULT_CELL} AS name
      WHERE NOT ${isFilling} AND NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')
      UNION ALL SELECT name FROM cell
      WHERE ready AND (${isFilling} OR NOT EXISTS (SELECT FROM running_process p
        WHERE p.cells_version < cell.cells_version AND p.seen_at > now() - ${GONE_AFTER}))) c
    ORDER BY (SELECT floor(coalesce(sum(pg_total_relation_size(t.oid)), 0) / ${SIZE_STEP}::bigint) FROM pg_class t
        WHERE t.relkind = 'r' AND t.relnamespace = to_regnamespace(quote_ident(c.name))),
      (SELECT count(*) FROM organization o WHERE o.cell = c.name), c.name <> ${DEFAULT_CELL}, length(c.name), c.name
    LIMIT 1`);
  return rows[0]?.name ?? DEFAULT_CELL;
}
