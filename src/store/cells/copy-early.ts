import type pg from 'pg';
import { runOnCell } from './place-cells.ts';
import { inMove, placeOf, type Route, type TenantTable, tenantTables } from './tenant-tables.ts';

/**
 * Copies the rows of an organization that are many and rarely change before the organization is closed (docs/adr/0503).
 * The move then copies only the rows that were changed since. No worker of the new cell finds these rows: rows that wait
 * for a worker are left out, and the tables with the settings of the organization are empty there.
 */
export type Early = {
  /** No later transaction had ended when the copy began, so every row that changed since is not older. */
  since: string;
  /** The transaction of the copies. Null: there were no rows. */
  copiedBy: string | null;
};

const EARLY = new Set(
  'agent channel trigger end_user identity conversation message run model_turn event request_log'.split(' '),
);
export const isEarly = ({ table }: TenantTable): boolean => EARLY.has(table);

/** A row with a time in one of these columns waits for a worker. */
const WAITS = ['due_at', 'result_event_at'];
export const waits = ({ columns }: TenantTable, row: string): string =>
  WAITS.filter((column) => columns.includes(column))
    .map((column) => `${row}.${column} IS NOT NULL`)
    .join(' OR ') || 'false';

export async function copyEarly(client: pg.Client, { orgId, from, to }: Route): Promise<Early> {
  // This row makes a worker or the next command remove the copies if this command is killed.
  await client.query(
    `INSERT INTO public.organization_move (organization_id, to_cell, until) VALUES ($1, $2, '-infinity')
     ON CONFLICT (organization_id) DO UPDATE SET to_cell = excluded.to_cell, until = excluded.until`,
    [orgId, to],
  );
  const since = await runOnCell(client, from, 'SELECT pg_snapshot_xmin(pg_current_snapshot())::xid::text');
  const early: Early = { since, copiedBy: null };
  const tables = (await tenantTables(client)).filter(isEarly);
  // Otherwise, rows that are added during the copy could lack their parents.
  await inMove(client, 'REPEATABLE READ', to, async () => {
    for (const table of tables) {
      const list = table.list;
      await client.query(
        `INSERT INTO ${placeOf(to, table)} (${list}) SELECT ${list} FROM ${placeOf(from, table)} s
         WHERE org_id = $1 AND NOT (${waits(table, 's')})`,
        [orgId],
      );
      early.copiedBy ??= await transactionOf(client, placeOf(to, table), orgId);
    }
  });
  return early;
}

async function transactionOf(client: pg.Client, place: string, orgId: string): Promise<string | null> {
  const { rows } = await client.query<{ by: string }>(
    `SELECT xmin::text AS by FROM ${place} WHERE org_id = $1 LIMIT 1`,
    [orgId],
  );
  return rows[0]?.by ?? null;
}

/**
 * Rows of the old cell that the copy does not have. An older row may be among them. Numbers of transactions begin again
 * after 2^32. (Citus could compute `age` on the coordinator, whose numbers are others.)
 */
const changed = (table: TenantTable): string =>
  `((4294967296 + s.xmin::text::bigint - $2::bigint) % 4294967296 < 2147483648 OR ${waits(table, 's')})`;

/** Locks the changed rows of the old cell. Returns the number of all rows. */
export async function lockChanged(client: pg.Client, { orgId, from }: Route, table: TenantTable, early: Early) {
  const place = placeOf(from, table);
  await client.query(
    `SELECT count(*) FROM (SELECT FROM ${place} s WHERE org_id = $1 AND ${changed(table)} FOR UPDATE) l`,
    [orgId, early.since],
  );
  return countRows(client, place, orgId);
}

/** Copies the changed rows. Triggers may add rows to tables that are not copied yet, so these are emptied afterwards. */
export async function copyChanged(client: pg.Client, { orgId, from, to }: Route, table: TenantTable, early: Early) {
  const { list, key, columns } = table;
  const { rows } = await client.query<{ many: number }>(
    `SELECT count(*)::int AS many FROM ${placeOf(to, table)} WHERE org_id = $1 AND xmin::text <> $2`,
    [orgId, early.copiedBy ?? ''],
  );
  if (rows[0]!.many > 0) throw new Error(`Copies in ${table.table} were changed. Nothing was moved. Try again.`);
  const set = columns.filter((column) => !key.includes(column)).map((column) => `"${column}" = excluded."${column}"`);
  await client.query(
    `INSERT INTO ${placeOf(to, table)} (${list}) SELECT ${list} FROM ${placeOf(from, table)} s
     WHERE org_id = $1 AND ${changed(table)}
     ON CONFLICT (${key.map((column) => `"${column}"`).join(', ')}) DO ${set.length > 0 ? `UPDATE SET ${set.join(', ')}` : 'NOTHING'}`,
    [orgId, early.since],
  );
}

/** Removes copies of rows that were deleted since. Returns the number of copies. */
export async function removeDeleted(
  client: pg.Client,
  { orgId, from, to }: Route,
  table: TenantTable,
  expected: number,
): Promise<number> {
  const place = placeOf(to, table);
  const many = await countRows(client, place, orgId);
  if (many === expected) return many;
  const key = table.key.map((column) => `"${column}"`).join(', ');
  await client.query(
    `WITH known AS MATERIALIZED (SELECT ${key} FROM ${placeOf(from, table)} WHERE org_id = $1)
     DELETE FROM ${place} d WHERE org_id = $1 AND NOT EXISTS (
       SELECT FROM known k WHERE ${table.key.map((column) => `k."${column}" = d."${column}"`).join(' AND ')})`,
    [orgId],
  );
  return countRows(client, place, orgId);
}

async function countRows(client: pg.Client, place: string, orgId: string): Promise<number> {
  const { rows } = await client.query<{ many: string }>(`SELECT count(*) AS many FROM ${place} WHERE org_id = $1`, [
    orgId,
  ]);
  return Number(rows[0]!.many);
}
