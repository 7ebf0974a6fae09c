import type pg from 'pg';

export type Node = { host: string; port: number };

/**
 * Runs one command on a node of Citus, and returns its first value. The promise rejects if the node does not answer.
 */
export async function runOn(client: pg.ClientBase, { host, port }: Node, command: string): Promise<string> {
  const { rows } = await client.query<{ success: boolean; result: string }>(
    'SELECT success, result FROM master_run_on_worker(ARRAY[$1::text], ARRAY[$2::int], ARRAY[$3::text], false)',
    [host, port, command],
  );
  if (rows[0]?.success) return rows[0].result;
  throw new NodeError(`The node ${host}:${port} does not answer: ${rows[0]?.result ?? 'no result'}`);
}

/** The reason why a node cannot have cells. */
export class NodeError extends Error {
  override name = 'NodeError';
}
