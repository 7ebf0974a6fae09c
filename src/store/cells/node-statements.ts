import pg from 'pg';
import { cached, MOST_TEXTS } from './cached.ts';
import { type CellShards, createNodeStatement, type NodeStatement, runsOnNode } from './node-statement.ts';

type Send = (...args: unknown[]) => Promise<unknown>;
type Answered = (error: unknown, result?: unknown) => void;

/** The statements of one process that run as a function on the node of their cell (node-statement.ts). */
export type NodeStatements = {
  /** True if the statement can be sent now. If false, call `prepare` first. */
  isReady(cell: string, text: string): boolean;
  prepare(cell: string, text: string): Promise<void>;
  send(cell: string, query: { text: string }, rest: unknown[], send: Send): Promise<unknown>;
};

const UNDEFINED_FUNCTION = '42883';
/** PostgreSQL plans a statement again after this error. */
const SERIALIZATION_FAILURE = '40001';

const keyOf = (cell: string, text: string): string => `${cell} ${text}`;

export function createNodeStatements(
  config: pg.ClientConfig,
  shardsOf: (cell: string) => CellShards | null,
): NodeStatements {
  const known = new Map<string, NodeStatement>();
  const coming = new Map<string, Promise<void>>();
  /** Statements that the node of a cell does not have, because the cell was moved to this node. */
  const missing = new Set<string>();
  const isOnNode = cached(runsOnNode);
  const isReady = (cell: string, text: string): boolean =>
    shardsOf(cell) === null || !isOnNode(text) || known.has(keyOf(cell, text));

  return {
    isReady,
    prepare: async (cell, text) => {
      const key = keyOf(cell, text);
      const made =
        coming.get(key) ??
        withOwnClient(config, async (client) => {
          const made = await createNodeStatement(client, cell, text, shardsOf(cell)!, missing.has(key));
          if (known.size >= MOST_TEXTS) known.clear();
          known.set(key, made);
          missing.delete(key);
        }).finally(() => coming.delete(key));
      coming.set(key, made);
      await made;
    },
    send: (cell, query, rest, send) => {
      const key = keyOf(cell, query.text);
      const onNode = shardsOf(cell) === null ? undefined : known.get(key);
      if (onNode === undefined) return send(query, ...rest);
      const sent = send({ ...query, text: onNode.text })
        .then((result) => (onNode.countsRows ? withRowCount(result) : result))
        .catch((error: unknown) => {
          if ((error as { code?: unknown }).code !== UNDEFINED_FUNCTION) throw error;
          known.delete(key);
          missing.add(key);
          throw Object.assign(error as Error, { code: SERIALIZATION_FAILURE });
        });
      const tell = rest[0] as Answered | undefined;
      if (tell === undefined) return sent;
      sent.then((result) => tell(null, result), tell);
      return undefined as never;
    },
  };
}

/** A statement without RETURNING returns no rows, so the function returns the number of written rows. */
function withRowCount(result: unknown): unknown {
  const [row] = (result as pg.QueryResult).rows as ({ r: string } | [string])[];
  return { ...(result as object), rows: [], rowCount: Number(Array.isArray(row) ? row[0] : row?.r) };
}

/** The function needs a connection outside of the pool, because a full pool may wait for this work. */
async function withOwnClient(config: pg.ClientConfig, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({
    ...config,
    application_name: `${config.application_name ?? 'parley'} statements`,
    statement_timeout: 20_000,
  });
  client.on('error', () => {});
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
