import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { copyNodeStatements } from './node-statement.ts';
import { type CellMove, chooseMoves } from './choose-moves.ts';
import { isCitus, PLACED_SHARDS } from './citus.ts';
import { CELLS_CHANGED, DEFAULT_CELL } from './directory.ts';
import { sizesOnNodes } from './list-cells.ts';
import { type Node, NodeError, runOn } from './run-on-node.ts';

/** Moves of cells between the nodes of a Citus cluster. Citus copies the rows while servers read and write them. */

/** `node`: `HOST:PORT`, as `cells list` shows it. */
export async function placeCell(client: pg.Client, cell: string, node: string): Promise<void> {
  const nodes = await listNodes(client);
  const target = nodes.find(({ host, port }) => `${host}:${port}` === node);
  if (!target) {
    throw new NodeError(
      `The cluster has no node ${node}. Its nodes are ${nodes.map(({ host, port }) => `${host}:${port}`).join(', ')}.`,
    );
  }
  const source = await nodeOf(client, cell);
  if (source === null || cell === DEFAULT_CELL) throw new NodeError(`There is no cell ${cell}.`);
  if (isSame(source, target)) return;
  await insistOnAnswers(client, nodes);
  await catchUp(client, source, target);
  // A new node of Citus has no copy of the tables that each node has.
  await client.query('SELECT replicate_reference_tables()');
  await copyNodeStatements(client, cell, target);
  await removeOldCopies(client, cell);
  await client.query('SELECT citus_schema_move(quote_ident($1)::regnamespace, $2::text, $3::int)', [
    cell,
    target.host,
    target.port,
  ]);
  await catchUp(client, source, target);
  await client.query(CELLS_CHANGED);
}

/** Moves cells, one after the other, until the nodes have about the same load. */
export async function rebalanceCells(client: pg.Client, onMoved: (move: CellMove) => void = () => {}): Promise<void> {
  const nodes = await listNodes(client);
  await insistOnAnswers(client, nodes);
  const placed = [...(await sizesOnNodes(client))].map(([cell, { node, bytes }]) => ({ cell, node, bytes }));
  const names = nodes.map(({ host, port }) => `${host}:${port}`);
  for (const move of chooseMoves(placed, names)) {
    await placeCell(client, move.cell, move.to);
    onMoved(move);
  }
}

/**
 * Advances the transaction numbers of the new cell's server before an organization moves to this cell. The old and the
 * new cell may be on one server.
 */
export async function catchUpCells(client: pg.Client, from: string, to: string): Promise<void> {
  if (!(await isCitus(client))) return;
  const [source, target] = [await nodeOf(client, from), await nodeOf(client, to)];
  if (source && target && !isSame(source, target)) await catchUp(client, source, target);
}

/** Runs one command on the server of a cell, and returns its first value. */
export async function runOnCell(client: pg.Client, cell: string, command: string): Promise<string> {
  const node = (await isCitus(client)) ? await nodeOf(client, cell) : null;
  if (node !== null) return runOn(client, node, command);
  const { rows } = await client.query<[string]>({ text: command, rowMode: 'array' });
  return rows[0]![0];
}

const isSame = (one: Node, other: Node): boolean => one.host === other.host && one.port === other.port;

async function listNodes(client: pg.Client): Promise<Node[]> {
  const { rows } = await client.query<Node>(
    `SELECT nodename AS host, nodeport AS port FROM pg_dist_node
     WHERE isactive AND shouldhaveshards AND noderole = 'primary' ORDER BY nodeid`,
  );
  return rows;
}

async function nodeOf(client: pg.Client, cell: string): Promise<Node | null> {
  if (cell === DEFAULT_CELL) {
    const coordinator = await client.query<Node>(
      'SELECT nodename AS host, nodeport AS port FROM pg_dist_node WHERE groupid = 0',
    );
    return coordinator.rows[0] ?? null;
  }
  const { rows } = await client.query<Node>(
    `SELECT w.nodename AS host, w.nodeport AS port FROM ${PLACED_SHARDS} WHERE n.nspname = $1 LIMIT 1`,
    [cell],
  );
  return rows[0] ?? null;
}

async function insistOnAnswers(client: pg.Client, nodes: readonly Node[]): Promise<void> {
  for (const node of nodes) await nextTransactionOf(client, node);
}

/**
 * Citus removes the old copy of a moved cell later. Before Citus removes the old copy, the cell cannot return to its
 * old node.
 */
async function removeOldCopies(client: pg.Client, cell: string): Promise<void> {
  for (const end = performance.now() + CLEANING_MS; ; await pause(CLEANED_AGAIN_MS)) {
    await client.query('CALL citus_cleanup_orphaned_resources()');
    const { rowCount } = await client.query(
      `SELECT FROM pg_dist_cleanup WHERE starts_with(object_name, quote_ident($1) || '.') LIMIT 1`,
      [cell],
    );
    if (rowCount === 0) return;
    if (performance.now() > end) {
      throw new NodeError(
        `Citus cannot remove the earlier copy of ${cell} yet, because a transaction uses it. Nothing was moved. Try again when it has ended.`,
      );
    }
  }
}

const CLEANING_MS = 60_000;
const CLEANED_AGAIN_MS = 500;

/** During a move of some minutes, the other node may start this many transactions. */
const AHEAD = 50_000n;
/** The new node uses up this many additional numbers, because the old node starts transactions while this loop runs. */
const SPARE = 5_000n;
const AT_ONCE = 20_000n;
const AT_MOST = 50_000_000n;

/**
 * The position of a reader of events is the number of a transaction (src/store/events). After a move, the transaction
 * numbers must continue above the numbers of the old node. The new node first uses up transaction numbers in empty
 * transactions.
 */
async function catchUp(client: pg.Client, source: Node, target: Node): Promise<void> {
  for (;;) {
    const behind = (await nextTransactionOf(client, source)) + AHEAD - (await nextTransactionOf(client, target));
    if (behind <= 0n) return;
    if (behind > AT_MOST) {
      throw new NodeError(
        `${target.host}:${target.port} is ${behind} transactions behind ${source.host}:${source.port}, and readers of events would miss events there.`,
      );
    }
    const many = behind + SPARE < AT_ONCE ? behind + SPARE : AT_ONCE;
    await runOn(
      client,
      target,
      `DO $$ BEGIN SET synchronous_commit = off; FOR i IN 1..${many} LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$`,
    );
  }
}

const nextTransactionOf = async (client: pg.Client, node: Node): Promise<bigint> =>
  BigInt(await runOn(client, node, 'SELECT pg_snapshot_xmax(pg_current_snapshot())::text'));
