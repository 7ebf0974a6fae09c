import type pg from 'pg';
import {
  copyChanged,
  countChanged,
  type Counts,
  type Early,
  earlyTables,
  hideWaiting,
  insistOnCopies,
  isEarly,
  lockChanged,
  removeDeleted,
} from './copy-early.ts';
import { moveFault } from './move-fault.ts';
import { pathOf } from './route-connection.ts';
import { placeOf, type Route, type TenantTable, tenantTables } from './tenant-tables.ts';

export type Step = (step: string) => void | Promise<void>;

/**
 * Queues whose work has an effect outside of the database. Work in progress of the queues `run`, `message`,
 * `event_delivery` and `attachment` ends before a move.
 */
const DRAINED = ['run', 'message', 'event_delivery', 'attachment'];
/**
 * A call of a provider takes at most 15 s. An answer that takes longer is stored in the new cell, or the turn is
 * repeated.
 */
const DRAIN_MS = 20_000;
const LOOK_MS = 100;

/**
 * Moves all rows of an organization inside the open transaction, and returns their number. The rows of early tables
 * have been copied, except the rows that changed after the copy. Each other row is locked before it is copied. A worker
 * does not claim a locked row, and any other statement waits and then finds no row. A row that was added between
 * copying and deleting makes the numbers differ, and the transaction fails.
 */
export async function moveRows(client: pg.Client, route: Route, early: Early, step: Step): Promise<number> {
  const tables = await tenantTables(client);
  const [many, few] = [earlyTables(tables), tables.filter((table) => !isEarly(table))];
  await step('drain');
  await drain(client, route);
  await step('lock');
  const locked = new Map<string, Counts>();
  for (const table of many) locked.set(table.table, await lockChanged(client, route, table, early));
  for (const table of few) locked.set(table.table, { rows: await lock(client, route, table), changed: 0 });
  await step('copy');
  for (const table of many) await insistOnCopies(client, route, table, early);
  for (const table of many) await copyChanged(client, route, table, early);
  for (const table of few.toReversed())
    await client.query(`DELETE FROM ${placeOf(route.to, table)} WHERE org_id = $1`, [route.orgId]);
  for (const table of many.toReversed())
    insistOn(table, locked, await removeDeleted(client, route, table, locked.get(table.table)!.rows));
  for (const table of few) insistOn(table, locked, await copy(client, route, table));
  await client.query('UPDATE public.organization SET cell = $2 WHERE id = $1 AND cell = $3', [
    route.orgId,
    route.to,
    route.from,
  ]);
  await step('delete');
  await client.query(`SET LOCAL search_path TO ${pathOf(route.from)}`);
  for (const table of few.toReversed()) insistOn(table, locked, await remove(client, route, table));
  for (const table of many.toReversed()) {
    const { rows, changed } = locked.get(table.table)!;
    const hidden = await hideWaiting(client, route, table);
    const now = await countChanged(client, route, table, early);
    if (now.rows !== rows - hidden || now.changed !== changed - hidden)
      throw moveFault(`Rows of ${table.table} were changed while the organization was moved.`);
  }
  await client.query('SET LOCAL search_path TO public');
  return locked.values().reduce((sum, { rows }) => sum + rows, 0);
}

function insistOn({ table }: TenantTable, locked: ReadonlyMap<string, Counts>, rows: number): void {
  if (locked.get(table)?.rows === rows) return;
  throw moveFault(`Rows of ${table} were added while the organization was moved.`);
}

/** Locks due rows that no worker has, until no worker has a row. A row may have another lock while a worker claims it. */
async function drain(client: pg.Client, { orgId, from }: Route): Promise<void> {
  for (const end = performance.now() + DRAIN_MS; performance.now() < end;) {
    let claimed = 0;
    for (const table of DRAINED) {
      const place = placeOf(from, { table });
      const { rowCount: locked } = await client.query(
        `SELECT FROM ${place} WHERE org_id = $1 AND due_at IS NOT NULL AND lease IS NULL FOR UPDATE SKIP LOCKED`,
        [orgId],
      );
      const { rows } = await client.query<{ many: number }>(
        `SELECT count(*)::int AS many FROM ${place}
         WHERE org_id = $1 AND due_at IS NOT NULL AND (lease IS NULL OR due_at > clock_timestamp())`,
        [orgId],
      );
      claimed += rows[0]!.many - locked!;
    }
    if (claimed === 0) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

async function lock(client: pg.Client, { orgId, from }: Route, table: TenantTable): Promise<number> {
  const { rows } = await client.query<{ many: string }>(
    `SELECT count(*) AS many FROM (SELECT FROM ${placeOf(from, table)} WHERE org_id = $1 FOR UPDATE) l`,
    [orgId],
  );
  return Number(rows[0]!.many);
}

async function copy(client: pg.Client, { orgId, from, to }: Route, table: TenantTable): Promise<number> {
  const { rowCount } = await client.query(
    `INSERT INTO ${placeOf(to, table)} (${table.list}) SELECT ${table.list} FROM ${placeOf(from, table)} WHERE org_id = $1`,
    [orgId],
  );
  return rowCount!;
}

async function remove(client: pg.Client, { orgId, from }: Route, table: TenantTable): Promise<number> {
  return (await client.query(`DELETE FROM ${placeOf(from, table)} WHERE org_id = $1`, [orgId])).rowCount!;
}
