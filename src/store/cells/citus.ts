import type pg from 'pg';
import { REGION_TABLES } from './region-tables.ts';
import { type ShardNames, withShards } from './shard-names.ts';

/** Cells on a Citus cluster (docs/adr/0502). All statements run on the coordinator, and the schema of a cell is on a node. */

/** Rows of cells reference these tables, and triggers read these tables, so each node has a copy. */
const ON_EACH_NODE = ['user', 'organization', 'member'];

export const isCitus = async (client: Pick<pg.ClientBase, 'query'>): Promise<boolean> =>
  (await client.query(`SELECT FROM pg_extension WHERE extname = 'citus'`)).rowCount === 1;

/** The number of nodes that may have cells. */
export async function countNodes(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query<{ nodes: number }>(
    `SELECT count(*)::int AS nodes FROM pg_dist_node WHERE isactive AND shouldhaveshards AND noderole = 'primary'`,
  );
  return rows[0]!.nodes;
}

/**
 * On Citus, the schema `public` has only the rows of the region. The empty tenant tables of `public` stay, because
 * migrations are made for them. The empty tenant tables have no references, so that Citus does not manage them.
 */
export async function prepareRegion(client: pg.ClientBase): Promise<void> {
  const { rows: references } = await client.query<{ name: string; tab: string }>(
    `SELECT quote_ident(k.conname) AS name, quote_ident(c.relname) AS tab
     FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class t ON t.oid = k.confrelid
     WHERE k.contype = 'f' AND c.relnamespace = 'public'::regnamespace AND c.relname <> ALL ($1) AND t.relname = ANY ($1)`,
    [REGION_TABLES],
  );
  for (const { name, tab } of references) await client.query(`ALTER TABLE public.${tab} DROP CONSTRAINT ${name}`);
  const { rows } = await client.query<{ name: string }>(
    `SELECT name FROM unnest($1::text[]) WITH ORDINALITY t (name, n) WHERE NOT EXISTS (
       SELECT FROM citus_tables WHERE table_name = ('public.' || quote_ident(name))::regclass AND citus_table_type = 'reference')
     ORDER BY n`,
    [ON_EACH_NODE],
  );
  for (const { name } of rows)
    await client.query(`SELECT create_reference_table(('public.' || quote_ident($1))::regclass)`, [name]);
  await client.query(`CREATE TABLE IF NOT EXISTS ${COMMIT_TABLE} (id int)`);
  await client.query(`SELECT citus_add_local_table_to_metadata('${COMMIT_TABLE}')
    WHERE NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = '${COMMIT_TABLE}'::regclass)`);
}

/**
 * The empty table `drizzle.citus_commit` is in no schema of a cell, and Citus knows the table, unlike the tables of the
 * region.
 */
const COMMIT_TABLE = 'drizzle.citus_commit';

/**
 * The statements before the commit of a transaction that has written to the region and to the given cells. The
 * statements before the commit change no row. Citus commits in two phases if it knows of writes on the coordinator and
 * on nodes. Citus does not know of writes to tables of the region, or in functions. Without two phases, a node could
 * commit before the coordinator fails.
 */
export const writesBeforeCommit = (cells: readonly string[]): string[] => [
  `DELETE FROM ${COMMIT_TABLE}`,
  ...cells.map((cell) => `DELETE FROM "${cell}".weekly_mail WHERE org_id = ''`),
];

/** Moves the complete, empty schema to a node. Each step may be repeated after an interruption. */
export async function distribute(client: pg.ClientBase, cell: string): Promise<void> {
  const { rows: unlogged } = await client.query<{ name: string }>(
    `SELECT quote_ident(relname) AS name FROM pg_class
     WHERE relkind = 'r' AND relpersistence = 'u' AND relnamespace = $1::regnamespace`,
    [cell],
  );
  // Citus cannot move a table without WAL to another node.
  for (const { name } of unlogged) await client.query(`ALTER TABLE "${cell}".${name} SET LOGGED`);
  const { rowCount } = await client.query(
    'SELECT FROM citus_schemas WHERE schema_name = quote_ident($1)::regnamespace',
    [cell],
  );
  if (!rowCount) await client.query('SELECT citus_schema_distribute(quote_ident($1)::regnamespace)', [cell]);
  await placeFunctions(client, cell);
}

/**
 * Triggers of a cell fire on the node of the cell. A function that runs on a node has to name shards, and has to find
 * its own cell first. A function with a row of a table as its parameter is known to the nodes only if it is made after
 * the table was distributed.
 */
export async function placeFunctions(client: pg.ClientBase, cell: string): Promise<void> {
  const shards = await readShards(client, cell);
  const { rows } = await client.query<{ name: string; text: string; language: string; takes_row: boolean }>(
    `SELECT p.oid::regprocedure::text AS name, pg_get_functiondef(p.oid) AS text, l.lanname AS language,
       EXISTS (SELECT FROM unnest(p.proargtypes) AS a (type) JOIN pg_class c ON c.reltype = a.type
         WHERE c.relkind = 'r') AS takes_row
     FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
     WHERE p.pronamespace = quote_ident($1)::regnamespace AND p.proname NOT LIKE 'on\\_node\\_%'
     ORDER BY l.lanname = 'plpgsql', p.oid`,
    [cell],
  );
  await client.query(`SET search_path TO "${cell}", public`);
  try {
    for (const { text, language, takes_row } of rows) {
      if (language !== 'plpgsql' && !takes_row) continue;
      await client.query(language === 'plpgsql' ? onNode(text, cell, shards) : text);
    }
  } finally {
    await client.query('RESET search_path');
  }
}

/** True if all functions of the cell suit the node. A migration replaces functions. */
export async function isPlaced(client: pg.ClientBase, cell: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `SELECT FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
     WHERE p.pronamespace = quote_ident($1)::regnamespace AND l.lanname = 'plpgsql' AND p.proconfig IS NULL`,
    [cell],
  );
  return rowCount === 0;
}

function onNode(definition: string, cell: string, shards: ShardNames): string {
  const at = definition.indexOf('AS $function$');
  const head = definition.slice(0, at).replace(/^ SET search_path TO .*\n/m, '');
  return `${head} SET search_path = "${cell}", public\n${withShards(definition.slice(at), shards)}`;
}

/** Each shard `s` of a table `c` in a schema `n`, with its place `p` on a node `w`. */
export const PLACED_SHARDS = `pg_dist_shard s JOIN pg_class c ON c.oid = s.logicalrelid
  JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_dist_placement p ON p.shardid = s.shardid
  JOIN pg_dist_node w ON w.groupid = p.groupid AND w.noderole = 'primary'`;

/**
 * The shards of each cell, and the shards of the tables that each node has. Citus moves all shards of a cell together.
 */
export const SHARDS = `
  SELECT n.nspname AS cell, c.relname AS name, s.shardid::text AS id,
    (SELECT 'node ' || min(l.groupid) FROM pg_dist_placement l WHERE l.shardid = s.shardid) AS node,
    quote_ident(n.nspname) || '.' || quote_ident(c.relname || '_' || s.shardid) AS shard
  FROM pg_dist_shard s JOIN pg_class c ON c.oid = s.logicalrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_dist_partition p ON p.logicalrelid = s.logicalrelid
  WHERE n.nspname IN (SELECT name FROM public.cell)
    OR n.nspname = 'public' AND p.partmethod = 'n' AND p.repmodel = 't'
  ORDER BY s.shardid`;

async function readShards(client: pg.ClientBase, cell: string): Promise<ShardNames> {
  const { rows } = await client.query<{ cell: string; name: string; shard: string }>(SHARDS);
  return new Map(
    rows.filter((row) => row.cell === cell || row.cell === 'public').map(({ name, shard }) => [name, shard]),
  );
}
