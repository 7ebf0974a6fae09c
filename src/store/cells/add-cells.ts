import type pg from 'pg';
import { migrateCell, type Step } from './build-cell.ts';

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
  await prepareCitus(client);
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

const isCitus = async (client: pg.Client): Promise<boolean> =>
  (await client.query(`SELECT 1 FROM pg_extension WHERE extname = 'citus'`)).rowCount === 1;

/** Moves the complete, empty schema to a node. Citus refuses some statements of migrations on distributed tables. */
async function distribute(client: pg.Client, name: string): Promise<void> {
  const { rowCount } = await client.query('SELECT 1 FROM citus_schemas WHERE schema_name = $1::regnamespace', [name]);
  if (!rowCount) await client.query('SELECT citus_schema_distribute($1)', [name]);
}

/**
 * On Citus, a new schema is placed on a node with all of its tables. Cells reference organizations and members, which
 * reference people. So each node has a copy of these tables.
 */
async function prepareCitus(client: pg.Client): Promise<void> {
  if (!(await isCitus(client))) return;
  const { rows } = await client.query<{ name: string }>(
    `SELECT name FROM unnest(ARRAY['user', 'organization', 'member']) name WHERE NOT EXISTS (
       SELECT 1 FROM citus_tables WHERE table_name = quote_ident(name)::regclass AND citus_table_type = 'reference')`,
  );
  for (const { name } of rows) await client.query('SELECT create_reference_table(quote_ident($1)::regclass)', [name]);
}

async function complete(client: pg.Client, name: string, folder: string, steps: readonly Step[]): Promise<void> {
  const { rows } = await client.query<{ at: string }>('SELECT schema_at AS at FROM public.cell WHERE name = $1', [
    name,
  ]);
  await migrateCell(client, name, Number(rows[0]!.at), folder, steps);
  if (await isCitus(client)) await distribute(client, name);
  await client.query('UPDATE public.cell SET ready = true WHERE name = $1', [name]);
  await client.query('UPDATE public.installation SET cells_version = cells_version + 1');
}
