import type pg from 'pg';
import { StartError } from '../../kernel/start-error.ts';
import { withClient } from '../db.ts';
import { allProcessesKnow } from './close-organization.ts';
import { isEarly } from './copy-early.ts';
import { pathOf } from './route-connection.ts';
import { inMove, placeOf, tenantTables } from './tenant-tables.ts';

/** An arbitrary number for the lock that prevents two moves at the same time. */
const ADVISORY_LOCK = 0x6d_6f_76_65;

/** The lock lasts as long as the session. Returns false while another command moves an organization. */
async function lockMoves(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ free: boolean }>('SELECT pg_try_advisory_lock($1) AS free', [ADVISORY_LOCK]);
  return rows[0]!.free;
}

export async function insistOnOneMove(client: pg.Client): Promise<void> {
  if (!(await lockMoves(client)))
    throw new StartError('Another command moves an organization now.', 'Wait until it ends, and try again.');
}

/** Deletes the rows that a killed move has left. If no move was killed, the function runs one short statement. */
export async function removeStraysOfKilledMoves(db: pg.Pool, url: string): Promise<void> {
  const { rowCount } = await db.query('SELECT FROM public.organization_move WHERE until < now() LIMIT 1');
  if (rowCount === 0) return;
  await withClient(url, 'move', async (client) => {
    if (!(await lockMoves(client))) return;
    // A process that does not know the new cell yet still reads the old rows.
    await allProcessesKnow(client);
    await removeStrays(client);
  });
}

/**
 * Deletes rows of organizations that moves have left in other cells. The caller holds the lock of moves (`lockMoves`).
 * `from`: the old cell of a move that was not killed, in which only rows of the early tables remain. Without `from`,
 * the function searches all rows of all cells, with one statement for each table of each cell.
 */
export async function removeStrays(client: pg.Client, from: string | null = null): Promise<void> {
  const moves = await client.query<{ orgId: string }>(
    'SELECT organization_id AS "orgId" FROM public.organization_move',
  );
  if (moves.rows.length === 0) return;
  const all = await tenantTables(client);
  const tables = (from === null ? all : all.filter(isEarly)).toReversed();
  for (const { orgId } of moves.rows)
    await inMove(client, 'READ COMMITTED', 'public', async () => {
      // The lock waits for the commit of a killed command, which may be in progress.
      await client.query('SELECT FROM public.organization_move WHERE organization_id = $1 FOR UPDATE', [orgId]);
      const { rows } = await client.query<{ name: string }>(
        `SELECT name FROM (SELECT 'public' AS name UNION ALL SELECT name FROM public.cell WHERE ready) c
         WHERE name <> (SELECT cell FROM public.organization WHERE id = $1) AND name = coalesce($2, name)`,
        [orgId, from],
      );
      // The tables with old rows are not empty, so a sequential scan can be cheaper. An index that does not suit a
      // foreign key made the deletion 150 times slower.
      await client.query('SET LOCAL enable_seqscan = on');
      for (const { name } of rows) {
        await client.query(`SET LOCAL search_path TO ${pathOf(name)}`);
        for (const table of tables)
          await client.query(`DELETE FROM ${placeOf(name, table)} WHERE org_id = $1`, [orgId]);
      }
      await client.query('DELETE FROM public.organization_move WHERE organization_id = $1', [orgId]);
    });
}
