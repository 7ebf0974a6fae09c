import type pg from 'pg';
import { migrateCell, type Step } from './build-cell.ts';
import { CELLS_CHANGED } from './directory.ts';
import { distribute, isCitus, prepareRegion } from './citus.ts';

/** Maximum number of cells. Each cell has its own prepared statements in each connection. */
export const MAX_CELLS = 64;

/** Creates cells with the names cell_2, cell_3 and so on. A cell whose creation was interrupted is completed first. */
export async function addCells(
  client: pg.Client,
  many: number,
  folder: string,
  steps: readonly Step[],
): Promise<string[]> {
  const made: string[] = [];
  if (await isCitus(client)) await prepareRegion(client);
  const unfinished = await client.query<{ name: string }>('SELECT name FROM public.cell WHERE NOT ready');
  for (const { name } of unfinished.rows) await complete(client, name, folder, steps);
  while (made.length < many) {
    const { rows } = await client.query<{ next: number }>(
      `SELECT coalesce(max(substring(name FROM '^cell_([0-9]+)$')::int), 1) + 1 AS next FROM public.cell`,
    );
    const name = `cell_${rows[0]!.next}`;
    await client.query('INSERT INTO public.cell (name, schema_at) VALUES ($1, 0)', [name]);
    await complete(client, name, folder, steps);
    made.push(name);
  }
  return made;
}

async function complete(client: pg.Client, name: string, folder: string, steps: readonly Step[]): Promise<void> {
  const { rows } = await client.query<{ at: string }>('SELECT schema_at AS at FROM public.cell WHERE name = $1', [
    name,
  ]);
  await migrateCell(client, name, Number(rows[0]!.at), folder, steps);
  if (await isCitus(client)) await distribute(client, name);
  await client.query(
    `WITH changed AS (${CELLS_CHANGED} RETURNING cells_version)
     UPDATE public.cell SET ready = true, cells_version = coalesce((SELECT cells_version FROM changed), 0) WHERE name = $1`,
    [name],
  );
}
