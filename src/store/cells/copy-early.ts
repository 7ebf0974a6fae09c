import type pg from 'pg';
import { moveFault } from './move-fault.ts';
import { runOnCell } from './place-cells.ts';
import { inMove, placeOf, type Route, type TenantTable, tenantTables } from './tenant-tables.ts';

/**
 * Copies the large tables of an organization, whose rows rarely change, before the organization is closed
 * (docs/adr/0503). After an early copy, the move copies only the rows that were changed since the copy. No worker of
 * the new cell finds the copies, because waiting rows are left out, and the organization's settings are not copied yet.
 */
export type Early = {
  /**
   * The oldest transaction that had not ended when the copy began. Every row that changed after the copy has this
   * transaction number or a higher one.
   */
  since: string;
  /** The transaction that made the copies. Null: no rows were copied. */
  copiedBy: string | null;
};

const EARLY = new Set(
  'agent channel trigger end_user identity conversation message run model_turn event request_log campaign recipient'.split(
    ' ',
  ),
);
/**
 * Triggers of runs and messages change recipients, and no table references recipients, so this table is copied last.
 */
const isLast = ({ table }: TenantTable): boolean => table === 'recipient';
export const earlyTables = (tables: readonly TenantTable[]): TenantTable[] =>
  tables.filter(isEarly).toSorted((a, b) => Number(isLast(a)) - Number(isLast(b)));
export const isEarly = ({ table }: TenantTable): boolean => EARLY.has(table);

/** A row with a time in one of the listed columns waits for a worker. */
const WAITS = ['due_at', 'result_event_at'];
const waits = ({ columns }: TenantTable, row: string): string =>
  WAITS.filter((column) => columns.includes(column))
    .map((column) => `${row}.${column} IS NOT NULL`)
    .join(' OR ') || 'false';
/**
 * Workers find campaigns that have work by this column. In the copy of a campaign, the column is false. A campaign is
 * copied early, because recipients reference campaigns.
 */
const isCampaign = ({ table }: TenantTable): boolean => table === 'campaign';
const HIDDEN = 'attended';

/**
 * Hides the campaigns of the old cell, and deletes the rows that workers could find. All other rows stay until the
 * organization is open in the new cell. Returns the number of deleted rows.
 */
export async function hideWaiting(client: pg.Client, { orgId, from }: Route, table: TenantTable): Promise<number> {
  const place = placeOf(from, table);
  if (isCampaign(table)) {
    await client.query(`UPDATE ${place} SET ${HIDDEN} = false WHERE org_id = $1 AND ${HIDDEN}`, [orgId]);
    return 0;
  }
  return (await client.query(`DELETE FROM ${place} s WHERE org_id = $1 AND (${waits(table, 's')})`, [orgId])).rowCount!;
}

export async function copyEarly(client: pg.Client, { orgId, from, to }: Route): Promise<Early> {
  // If this command is killed, a worker or the next command finds this row and removes the copies.
  await client.query(
    `INSERT INTO public.organization_move (organization_id, to_cell, until) VALUES ($1, $2, '-infinity')
     ON CONFLICT (organization_id) DO UPDATE SET to_cell = excluded.to_cell, until = excluded.until`,
    [orgId, to],
  );
  const since = await runOnCell(client, from, 'SELECT pg_snapshot_xmin(pg_current_snapshot())::xid::text');
  const early: Early = { since, copiedBy: null };
  const tables = earlyTables(await tenantTables(client));
  // One snapshot for all tables prevents that a row is copied without its parents.
  await inMove(client, 'REPEATABLE READ', to, async () => {
    for (const table of tables) {
      const { list } = table;
      const values = isCampaign(table) ? list.replace(`"${HIDDEN}"`, 'false') : list;
      await client.query(
        `INSERT INTO ${placeOf(to, table)} (${list}) SELECT ${values} FROM ${placeOf(from, table)} s
         WHERE org_id = $1 AND NOT (${waits(table, 's')})`,
        [orgId],
      );
      early.copiedBy ??= await copyingTransactionOf(client, placeOf(to, table), orgId);
    }
  });
  return early;
}

async function copyingTransactionOf(client: pg.Client, place: string, orgId: string): Promise<string | null> {
  const { rows } = await client.query<{ by: string }>(
    `SELECT xmin::text AS by FROM ${place} WHERE org_id = $1 LIMIT 1`,
    [orgId],
  );
  return rows[0]?.by ?? null;
}

/**
 * The rows of the old cell that are not in the copy. The result may contain an older row, because numbers of
 * transactions begin again after 2^32. (Citus could compute `age` on the coordinator, which has other numbers.)
 */
const changed = (table: TenantTable): string =>
  `((4294967296 + s.xmin::text::bigint - $2::bigint) % 4294967296 < 2147483648
    OR ${isCampaign(table) ? `s.${HIDDEN}` : waits(table, 's')})`;

/** Locks the changed rows of the old cell. */
export async function lockChanged(client: pg.Client, route: Route, table: TenantTable, early: Early): Promise<Counts> {
  await client.query(
    `SELECT count(*) FROM (SELECT FROM ${placeOf(route.from, table)} s WHERE org_id = $1 AND ${changed(table)} FOR UPDATE) l`,
    [route.orgId, early.since],
  );
  return countChanged(client, route, table, early);
}

/** The number of all rows of the old cell, and the number of rows that changed since the early copy. */
export type Counts = { rows: number; changed: number };

export async function countChanged(client: pg.Client, { orgId, from }: Route, table: TenantTable, early: Early) {
  const { rows } = await client.query<Counts>(
    `SELECT count(*)::int AS rows, count(*) FILTER (WHERE ${changed(table)})::int AS changed
     FROM ${placeOf(from, table)} s WHERE org_id = $1`,
    [orgId, early.since],
  );
  return rows[0]!;
}

/** Ends the move if another transaction has changed a copy. */
export async function insistOnCopies(client: pg.Client, { orgId, to }: Route, table: TenantTable, early: Early) {
  const { rows } = await client.query<{ many: string }>(
    `SELECT count(*) AS many FROM ${placeOf(to, table)} WHERE org_id = $1 AND xmin::text <> $2`,
    [orgId, early.copiedBy ?? ''],
  );
  if (rows[0]!.many === '0') return;
  throw moveFault(`Copies in ${table.table} were changed.`);
}

/**
 * Copies the changed rows. Triggers may add rows to tables that are not copied yet, so the move empties them
 * afterwards. Triggers may also change copied recipients, so the recipients, the last early table, are copied again.
 */
export async function copyChanged(client: pg.Client, { orgId, from, to }: Route, table: TenantTable, early: Early) {
  const { list, key, columns } = table;
  const set = columns.filter((column) => !key.includes(column)).map((column) => `"${column}" = excluded."${column}"`);
  const { rows } = isLast(table)
    ? await client.query<{ id: string }>(
        `SELECT id FROM ${placeOf(to, table)} WHERE org_id = $1 AND xmin::text <> $2`,
        [orgId, early.copiedBy ?? ''],
      )
    : { rows: [] };
  const again = isLast(table) ? 's.id = ANY ($3)' : '$3::text[] IS NULL';
  await client.query(
    `INSERT INTO ${placeOf(to, table)} (${list}) SELECT ${list} FROM ${placeOf(from, table)} s
     WHERE org_id = $1 AND (${changed(table)} OR ${again})
     ON CONFLICT (${key.map((column) => `"${column}"`).join(', ')}) DO ${set.length > 0 ? `UPDATE SET ${set.join(', ')}` : 'NOTHING'}`,
    [orgId, early.since, rows.map(({ id }) => id)],
  );
}

/** Removes copies of rows that were deleted after the early copy. Returns the number of copies. */
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
