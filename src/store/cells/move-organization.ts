import type pg from 'pg';
import { StartError } from '../../kernel/start-error.ts';
import { isDeadlock, retryWhile, withClient } from '../db.ts';
import { catchUpCells } from './place-cells.ts';
import { TASK } from '../connection-settings.ts';
import { allProcessesKnow, closeOrganization, openAgain, openInNewCell } from './close-organization.ts';
import { DEFAULT_CELL } from './directory.ts';
import { copyEarly, type Early } from './copy-early.ts';
import { moveRows, type Step } from './move-rows.ts';
import { insistOnOneMove, removeStrays } from './remove-strays.ts';
import { inMove, type Route, tenantTables } from './tenant-tables.ts';

/**
 * Moves all rows of an organization to another cell (docs/adr/0503). First, the move copies the large tables. In the
 * second step, all processes refuse calls of the organization, while one transaction copies the rest, changes the cell,
 * and deletes rows that workers could find. After the second step, the other old rows are deleted. A killed command
 * leaves an organization that is closed for some seconds, and old rows that no query reads. A worker or the next
 * command deletes the old rows (remove-strays.ts).
 */
export type Moved = { organization: string; from: string; to: string; rows: number; paused_ms: number };

const TRIES = 3;

export const moveOrganization = (url: string, orgId: string, to: string, step: Step = () => {}): Promise<Moved> =>
  withClient(url, 'move', async (client) => {
    await insistOnOneMove(client);
    await removeStrays(client);
    const from = await readCell(client, orgId);
    await insistOnCell(client, to);
    if (from === to) return { organization: orgId, from, to, rows: 0, paused_ms: 0 };
    await catchUpCells(client, from, to);
    const route = { orgId, from, to };
    let rows: number;
    let since: number;
    try {
      const early = await copyEarly(client, route);
      await allProcessesKnow(client);
      since = performance.now();
      await step('close');
      rows = await moveClosed(url, client, route, early, step);
    } catch (error) {
      await openAgain(client, orgId).catch(() => {});
      await removeStrays(client).catch(() => {});
      throw error;
    }
    await step('moved');
    await allProcessesKnow(client, movedUnnoticed);
    const paused = Math.round(performance.now() - since);
    await removeStrays(client, from);
    await analyze(client, to);
    return { organization: orgId, from, to, rows, paused_ms: paused };
  });

/** The other connection has the transaction of the move, and `client` renews the closed time. */
async function moveClosed(url: string, client: pg.Client, route: Route, early: Early, step: Step): Promise<number> {
  const closed = await closeOrganization(client, route.orgId, route.to);
  try {
    return await withClient(
      url,
      'move',
      (mover) =>
        retryWhile(isDeadlock, TRIES, () =>
          inMove(mover, 'READ COMMITTED', route.to, async () => {
            const rows = await moveRows(mover, route, early, step);
            await step('commit');
            await closed.stop();
            await openInNewCell(mover, route.orgId);
            return rows;
          }),
        ),
      { ...TASK, silenceMs: 60_000 },
    );
  } finally {
    await closed.stop().catch(() => {});
  }
}

const movedUnnoticed = (): StartError =>
  new StartError(
    'The organization was moved, but a process of Parley does not notice the move.',
    'Restart the process. A process with workers deletes the old rows later.',
  );

async function readCell(client: pg.Client, orgId: string): Promise<string> {
  const { rows } = await client.query<{ cell: string }>('SELECT cell FROM public.organization WHERE id = $1', [orgId]);
  if (rows[0]) return rows[0].cell;
  throw new StartError('There is no such organization.', '"./parley orgs list" shows the organizations.');
}

async function insistOnCell(client: pg.Client, cell: string): Promise<void> {
  if (cell === DEFAULT_CELL) return;
  const { rowCount } = await client.query('SELECT FROM public.cell WHERE name = $1 AND ready', [cell]);
  if (rowCount !== 1) throw new StartError('There is no such cell.', '"./parley cells list" shows the cells.');
}

/** Many rows are new, so the planner's statistics are outdated. */
async function analyze(client: pg.Client, cell: string): Promise<void> {
  for (const { table } of await tenantTables(client)) await client.query(`ANALYZE "${cell}"."${table}"`);
}
