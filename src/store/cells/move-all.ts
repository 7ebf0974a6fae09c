import { sql } from 'drizzle-orm';
import { StartError } from '../../kernel/start-error.ts';
import { type Db, withClient } from '../db.ts';
import { CELLS_CHANGED, DEFAULT_CELL } from './directory.ts';
import { findCell } from './find-cell.ts';
import { moveOrganization, type Moved } from './move-organization.ts';
import { insistOnOneMove, removeStrays } from './remove-strays.ts';

/**
 * Moves all organizations out of the cell `public`, or back to it, one after the other. A killed command can be called
 * again: organizations that were already moved stay where they are.
 */
export async function moveAll(
  url: string,
  db: Db,
  direction: 'out of public' | 'to public',
  onMoved: (moved: Moved) => void,
): Promise<Moved[]> {
  const all: Moved[] = [];
  for (;;) {
    const orgId = await findNext(db, direction);
    if (orgId === null) {
      if (direction === 'out of public' || (await closeCells(url))) return all;
      continue;
    }
    const to = direction === 'to public' ? DEFAULT_CELL : await findCell(db, { isFilling: true });
    if (direction === 'out of public' && to === DEFAULT_CELL)
      throw new StartError('There is no other cell.', 'Add one with "./parley cells add 1".');
    const moved = await moveOrganization(url, orgId, to);
    onMoved(moved);
    all.push(moved);
  }
}

async function findNext(db: Db, direction: 'out of public' | 'to public'): Promise<string | null> {
  const operator = direction === 'to public' ? sql`<>` : sql`=`;
  const { rows } = await db.execute<{ id: string }>(
    sql`SELECT id FROM organization WHERE cell ${operator} ${DEFAULT_CELL} ORDER BY created_at, id LIMIT 1`,
  );
  return rows[0]?.id ?? null;
}

/**
 * New organizations are created in the cell `public` again. Returns false if an organization was created in another
 * cell during the moves. The cells stay as empty schemas, which `./parley cells add` or `enable` uses again. A killed
 * move may have left copies in a cell, which no process would find after the cell is closed.
 */
const closeCells = (url: string): Promise<boolean> =>
  withClient(url, 'cells', async (client) => {
    await insistOnOneMove(client);
    await removeStrays(client);
    await client.query('BEGIN');
    // This statement waits for transactions that create an organization in one of the cells (find-cell.ts).
    await client.query('UPDATE public.cell SET ready = false');
    const { rowCount } = await client.query(`SELECT FROM public.organization WHERE cell <> 'public' LIMIT 1`);
    if (rowCount === 0) await client.query(CELLS_CHANGED);
    await client.query(rowCount === 0 ? 'COMMIT' : 'ROLLBACK');
    return rowCount === 0;
  });
