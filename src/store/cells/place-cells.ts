import type pg from 'pg';

/** Moves of cells between the nodes of a Citus cluster. Citus copies the rows while servers read and write them. */

/** The reason why a cell cannot be placed there. */
export class PlacementError extends Error {
  override name = 'PlacementError';
}

type Node = { host: string; port: number };

/** `node`: `HOST:PORT`, as `cells list` shows it. */
export async function placeCell(client: pg.Client, cell: string, node: string): Promise<void> {
  const nodes = await listNodes(client);
  const target = nodes.find(({ host, port }) => `${host}:${port}` === node);
  if (!target) {
    throw new PlacementError(
      `The cluster has no node ${node}. Its nodes are ${nodes.map(({ host, port }) => `${host}:${port}`).join(', ')}.`,
    );
  }
  const source = await nodeOf(client, cell);
  if (source === null) throw new PlacementError(`There is no cell ${cell}.`);
  if (source.host === target.host && source.port === target.port) return;
  await insistOnAnswers(client, nodes);
  await catchUp(client, source, target);
  await client.query('SELECT citus_schema_move(quote_ident($1)::regnamespace, $2::text, $3::int)', [
    cell,
    target.host,
    target.port,
  ]);
  await catchUp(client, source, target);
}

/** Citus moves cells until each node has about the same number of bytes. Returns after the last move. */
export async function rebalanceCells(client: pg.Client): Promise<void> {
  const nodes = await listNodes(client);
  await insistOnAnswers(client, nodes);
  await catchUpAll(client, nodes);
  await client.query('SELECT citus_rebalance_start()');
  await client.query('SELECT citus_rebalance_wait()');
  await catchUpAll(client, nodes);
  const { rows } = await client.query<{ state: string }>(
    'SELECT state::text FROM pg_dist_background_job ORDER BY job_id DESC LIMIT 1',
  );
  const state = rows[0]?.state ?? 'finished';
  if (state !== 'finished')
    throw new PlacementError(
      `Citus ended the rebalance with the state "${state}": SELECT * FROM citus_rebalance_status().`,
    );
}

async function listNodes(client: pg.Client): Promise<Node[]> {
  const { rows } = await client.query<Node>(
    `SELECT nodename AS host, nodeport AS port FROM pg_dist_node
     WHERE isactive AND shouldhaveshards AND noderole = 'primary' ORDER BY nodeid`,
  );
  return rows;
}

async function nodeOf(client: pg.Client, cell: string): Promise<Node | null> {
  const { rows } = await client.query<Node>(
    `SELECT w.nodename AS host, w.nodeport AS port
     FROM pg_dist_shard s JOIN pg_class c ON c.oid = s.logicalrelid JOIN pg_dist_placement p ON p.shardid = s.shardid
       JOIN pg_dist_node w ON w.groupid = p.groupid AND w.noderole = 'primary'
     WHERE c.relnamespace = to_regnamespace(quote_ident($1)) LIMIT 1`,
    [cell],
  );
  return rows[0] ?? null;
}

async function insistOnAnswers(client: pg.Client, nodes: readonly Node[]): Promise<void> {
  for (const node of nodes) await transactionOf(client, node);
}

async function catchUpAll(client: pg.Client, nodes: readonly Node[]): Promise<void> {
  for (const source of nodes) for (const target of nodes) if (source !== target) await catchUp(client, source, target);
}

/** A move lasts minutes, and the other node may start this many transactions until its end. */
const AHEAD = 50_000n;
const AT_ONCE = 20_000n;
const AT_MOST = 50_000_000n;

/**
 * Readers of events have a position, which is the number of a transaction (src/store/events). Numbers of the new node
 * must be higher than those of the old one. So the new node uses numbers up in empty transactions.
 */
async function catchUp(client: pg.Client, source: Node, target: Node): Promise<void> {
  for (;;) {
    const behind = (await transactionOf(client, source)) + AHEAD - (await transactionOf(client, target));
    if (behind <= 0n) return;
    if (behind > AT_MOST) {
      throw new PlacementError(
        `${target.host}:${target.port} is ${behind} transactions behind ${source.host}:${source.port}, and readers of events would miss events there.`,
      );
    }
    const many = behind < AT_ONCE ? behind : AT_ONCE;
    await runOn(
      client,
      target,
      `DO $$ BEGIN SET synchronous_commit = off; FOR i IN 1..${many} LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$`,
    );
  }
}

const transactionOf = async (client: pg.Client, node: Node): Promise<bigint> =>
  BigInt(await runOn(client, node, 'SELECT pg_snapshot_xmax(pg_current_snapshot())::text'));

async function runOn(client: pg.Client, { host, port }: Node, command: string): Promise<string> {
  const { rows } = await client.query<{ success: boolean; result: string }>(
    'SELECT success, result FROM master_run_on_worker(ARRAY[$1::text], ARRAY[$2::int], ARRAY[$3::text], false)',
    [host, port, command],
  );
  if (rows[0]?.success) return rows[0].result;
  throw new PlacementError(`The node ${host}:${port} does not answer: ${rows[0]?.result ?? 'no result'}`);
}
