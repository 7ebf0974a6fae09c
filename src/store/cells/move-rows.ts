import type pg from 'pg';
import { orderedTables, quoted, type BackupTable } from '../backup/format.ts';
import { REGION_TABLES } from './region-tables.ts';
import { pathOf } from './route-connection.ts';

export type Route = { orgId: string; from: string; to: string };
export type Step = (step: string) => void | Promise<void>;

/** Queues whose work has an effect outside of the database. Their work in progress ends before a move. */
const DRAINED = ['run', 'message', 'event_delivery', 'attachment'];
/** A call of a provider takes at most 15 s. An answer that takes longer is stored in the new cell, or made again. */
const DRAIN_MS = 20_000;
const LOOK_MS = 100;

/** The tenant tables. Referenced tables come first. */
export const tenantTables = async (client: pg.Client): Promise<BackupTable[]> =>
  (await orderedTables(client)).filter(({ table }) => !REGION_TABLES.includes(table));

/**
 * Moves all rows of an organization inside the open transaction, and returns their number. Each row is locked before it
 * is copied. So a claim of a worker skips it, and any other statement waits and then finds no row. A row that was added
 * between copying and deleting makes the numbers differ, and the transaction fails.
 */
export async function moveRows(client: pg.Client, route: Route, step: Step): Promise<number> {
  const tables = await tenantTables(client);
  await client.query(`SET LOCAL parley.events = 'off'`);
  // Triggers plan their statements while the tables of the new cell may be empty.
  await client.query('SET LOCAL enable_seqscan = off');
  await client.query(`SET LOCAL lock_timeout = '20s'`);
  // A killed command must not hold its locks until the end of a long statement.
  await client.query(`SET LOCAL client_connection_check_interval = '1s'`);
  await step('drain');
  await drain(client, route);
  await step('lock');
  const locked = new Map<string, number>();
  for (const { table } of tables) locked.set(table, await lock(client, route, table));
  await step('copy');
  await client.query(`SET LOCAL search_path TO ${pathOf(route.to)}`);
  for (const table of tables) insistOn(table.table, locked, await copy(client, route, table));
  await client.query('UPDATE public.organization SET cell = $2 WHERE id = $1 AND cell = $3', [
    route.orgId,
    route.to,
    route.from,
  ]);
  await step('delete');
  await client.query(`SET LOCAL search_path TO ${pathOf(route.from)}`);
  for (const { table } of tables.toReversed()) insistOn(table, locked, await remove(client, route, table));
  await client.query('SET LOCAL search_path TO public');
  return locked.values().reduce((sum, rows) => sum + rows, 0);
}

const placeOf = (cell: string, table: string): string => `${quoted(cell)}.${quoted(table)}`;

function insistOn(table: string, locked: ReadonlyMap<string, number>, rows: number): void {
  if (locked.get(table) === rows) return;
  throw new Error(`Rows of ${table} were added while the organization was moved. Nothing was changed. Try again.`);
}

/** Locks due rows that no worker has, until no worker has a row. */
async function drain(client: pg.Client, { orgId, from }: Route): Promise<void> {
  for (const end = performance.now() + DRAIN_MS; performance.now() < end;) {
    let claimed = 0;
    for (const table of DRAINED) {
      const place = placeOf(from, table);
      await client.query(
        `SELECT FROM ${place} WHERE org_id = $1 AND due_at IS NOT NULL AND lease IS NULL FOR UPDATE SKIP LOCKED`,
        [orgId],
      );
      const { rows } = await client.query<{ many: number }>(
        `SELECT count(*)::int AS many FROM ${place} WHERE org_id = $1 AND lease IS NOT NULL AND due_at > clock_timestamp()`,
        [orgId],
      );
      claimed += rows[0]!.many;
    }
    if (claimed === 0) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

async function lock(client: pg.Client, { orgId, from }: Route, table: string): Promise<number> {
  const { rows } = await client.query<{ many: string }>(
    `SELECT count(*) AS many FROM (SELECT FROM ${placeOf(from, table)} WHERE org_id = $1 FOR UPDATE) l`,
    [orgId],
  );
  return Number(rows[0]!.many);
}

async function copy(client: pg.Client, { orgId, from, to }: Route, { table, columns }: BackupTable): Promise<number> {
  const list = columns.map(quoted).join(', ');
  const { rowCount } = await client.query(
    `INSERT INTO ${placeOf(to, table)} (${list}) SELECT ${list} FROM ${placeOf(from, table)} WHERE org_id = $1`,
    [orgId],
  );
  return rowCount!;
}

async function remove(client: pg.Client, { orgId, from }: Route, table: string): Promise<number> {
  const { rowCount } = await client.query(`DELETE FROM ${placeOf(from, table)} WHERE org_id = $1`, [orgId]);
  return rowCount!;
}
