import type pg from 'pg';

export type Node = { host: string; port: number };

/**
 * Runs one command on a node of Citus, and returns its first value. The promise rejects if the node does not answer, or
 * if the command fails there.
 */
export async function runOn(client: pg.ClientBase, { host, port }: Node, command: string): Promise<string> {
  const { rows } = await client.query<{ success: boolean; result: string }>(
    'SELECT success, result FROM master_run_on_worker(ARRAY[$1::text], ARRAY[$2::int], ARRAY[$3::text], false)',
    [host, port, command],
  );
  if (rows[0]?.success) return rows[0].result;
  const reason = rows[0]?.result ?? 'no result';
  if (reason.startsWith('ERROR:')) throw new NodeError(`A command failed on the node ${host}:${port}: ${reason}`);
  throw new NodeAwayError(`The node ${host}:${port} does not answer: ${reason}`);
}

/** The reason why a node cannot have cells. */
export class NodeError extends Error {
  override name = 'NodeError';
}

/** The node did not answer, so the command can be repeated. */
export class NodeAwayError extends NodeError {
  override name = 'NodeAwayError';
}
