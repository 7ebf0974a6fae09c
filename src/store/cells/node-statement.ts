import { createHash } from 'node:crypto';
import type pg from 'pg';
import { PLACED_SHARDS } from './citus.ts';
import { type Node, runOn } from './run-on-node.ts';
import { type Described, describeStatement } from './describe-statement.ts';
import { type ShardNames, withShards } from './shard-names.ts';

/**
 * Citus splits a statement with several writing parts (`WITH … AS (INSERT …)`), sends the rows of each part to all
 * nodes, and is 10 times slower. On Citus, a statement that writes in several parts is the body of a function in its
 * cell. One call of the function is one task on the node of the cell, where PostgreSQL alone plans the statement. The
 * function is created when a process runs the statement for the first time.
 */
export type NodeStatement = { text: string; countsRows: boolean };

/** The position of a cell of Citus: the names of its shards by table, the ID of one shard, and a name of its node. */
export type CellShards = { names: ShardNames; shardId: string; node: string };

/**
 * The forms of statements that Citus splits, and two forms that Citus 13 translates incorrectly. The two forms are
 * `INSERT … SELECT` with a value that depends on the current time, and `CASE column WHEN` in an UPDATE.
 */
const ON_NODE = [
  /\bas\s+(?:not\s+)?(?:materialized\s+)?\(\s*(?:insert|update|delete)\b/i,
  /^\s*insert\s+into\s+[^(]*\([^()]*\)\s*select\b/i,
  /^\s*update\b[^]*\bcase\s+(?!when\b)/i,
];

export const runsOnNode = (text: string): boolean => ON_NODE.some((form) => form.test(text));

/** The node of a cell is found by this table. Any other table whose rows begin with the organization would work too. */
const PLACE = 'weekly_mail';
const LOCK = { share: 5 } as const;

const nodeFunctionOf = (text: string): string =>
  `on_node_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;

/**
 * Creates the function unless the function exists. `client`: a connection that runs no transaction. `isAgain`: creates
 * the function even if the coordinator has it, because the node of the cell does not.
 */
export async function createNodeStatement(
  client: pg.Client,
  cell: string,
  text: string,
  { names, shardId }: CellShards,
  isAgain: boolean,
): Promise<NodeStatement> {
  await client.query(`SET search_path TO "${cell}", public`);
  const described = await describeStatement(client, text);
  const types = await typeNames(client, described);
  const name = `"${cell}"."${nodeFunctionOf(text)}"`;
  const parameters = described.parameters.map((type) => types.get(type)!);
  const countsRows = described.columns === null;
  // Several processes may create the function at the same time.
  await client.query('SELECT pg_advisory_lock(hashtext($1))', [name]);
  const known = await client.query('SELECT FROM pg_proc WHERE pronamespace = $1::regnamespace AND proname = $2', [
    cell,
    nodeFunctionOf(text),
  ]);
  if (!known.rowCount || isAgain) {
    const returns = countsRows
      ? 'bigint'
      : `TABLE (${described.columns!.map((column) => `"${column.name}" ${types.get(column.type)!}`).join(', ')})`;
    const create = `CREATE OR REPLACE FUNCTION ${name}(${parameters.join(', ')}) RETURNS ${returns} LANGUAGE plpgsql
      SET search_path = "${cell}", public AS $on_node$${bodyOf(withShards(text, names), shardId, countsRows)}$on_node$`;
    // The function is created only on this node and the coordinator, because another node may be unavailable. The
    // coordinator comes last, so that a function there proves that the node has the function too.
    for (const node of await nodesOf(client, shardId)) await createOn(client, node, [create]);
    await client.query('SET citus.enable_ddl_propagation = off');
    await client.query(create);
  }
  const values = parameters.map((type, index) => `$${index + 1}::${type}`).join(', ');
  return {
    text: `SELECT r.* FROM (SELECT count(*) FROM "${cell}".${PLACE} WHERE org_id = '') here,
      LATERAL ${name}(${values}) r`,
    countsRows,
  };
}

/** The node of a shard, unless the coordinator has the shard. */
async function nodesOf(client: pg.Client, shardId: string): Promise<Node[]> {
  const { rows } = await client.query<Node>(
    `SELECT w.nodename AS host, w.nodeport AS port FROM ${PLACED_SHARDS} WHERE s.shardid = $1 AND p.groupid <> 0`,
    [shardId],
  );
  return rows;
}

/** Before a move, the new node gets the functions of the cell. */
export async function copyNodeStatements(client: pg.Client, cell: string, to: Node): Promise<void> {
  const { rows } = await client.query<{ text: string }>(
    `SELECT pg_get_functiondef(oid) AS text FROM pg_proc
     WHERE pronamespace = quote_ident($1)::regnamespace AND proname LIKE 'on\\_node\\_%'`,
    [cell],
  );
  await createOn(
    client,
    to,
    rows.map(({ text }) => text),
  );
}

const createOn = (client: pg.Client, node: Node, functions: readonly string[]): Promise<string> =>
  runOn(
    client,
    node,
    `DO $functions$ BEGIN SET LOCAL citus.enable_ddl_propagation = off; ${functions.map((text) => `${text};`).join('\n')} END $functions$`,
  );

/**
 * Citus locks a shard before it writes, and a move of the cell waits for these locks. A statement that names shards has
 * to take the lock of the shard itself. With the lock, the shard stays on this node until the transaction ends, unless
 * Citus has already moved the shard.
 */
const bodyOf = (text: string, shardId: string, countsRows: boolean): string => `
#variable_conflict use_column
DECLARE
  written bigint;
BEGIN
  PERFORM lock_shard_metadata(${LOCK.share}, ARRAY[${shardId}::bigint]);
  IF NOT EXISTS (SELECT FROM pg_dist_placement p JOIN pg_dist_local_group g ON g.groupid = p.groupid WHERE p.shardid = ${shardId}) THEN
    RAISE EXCEPTION 'the cell is on another node' USING ERRCODE = 'serialization_failure';
  END IF;
  ${countsRows ? `${text};\n  GET DIAGNOSTICS written = ROW_COUNT;\n  RETURN written;` : `RETURN QUERY ${text};`}
END
`;

async function typeNames(client: pg.Client, { parameters, columns }: Described): Promise<Map<number, string>> {
  const all = [...parameters, ...(columns ?? []).map(({ type }) => type)];
  const { rows } = await client.query<{ type: string; name: string }>(
    `SELECT t.oid::text AS type, format_type(t.oid, NULL) AS name FROM pg_type t WHERE t.oid = ANY ($1::oid[])`,
    [all],
  );
  return new Map(rows.map(({ type, name }) => [Number(type), name]));
}
