import pg from 'pg';
import { type CellShards, createNodeStatement, type NodeStatement, runsOnNode } from './node-statement.ts';

type Send = (...args: unknown[]) => Promise<unknown>;
type Answered = (error: unknown, result?: unknown) => void;

/** The statements of one process that run as a function on the node of their cell (node-statement.ts). */
export type NodeStatements = {
  /** Whether the statement can be sent now. False: `prepare` comes first. */
  isReady(cell: string, text: string): boolean;
  prepare(cell: string, text: string): Promise<void>;
  send(cell: string, query: { text: string }, rest: unknown[], send: Send): Promise<unknown>;
};

const keyOf = (cell: string, text: string): string => `${cell} ${text}`;

export function createNodeStatements(
  config: pg.ClientConfig,
  shardsOf: (cell: string) => CellShards | null,
): NodeStatements {
  const known = new Map<string, NodeStatement>();
  const coming = new Map<string, Promise<void>>();
  const forms = new Map<string, boolean>();
  const isOnNode = (text: string): boolean => {
    let found = forms.get(text);
    if (found === undefined) forms.set(text, (found = runsOnNode(text)));
    return found;
  };
  const isReady = (cell: string, text: string): boolean =>
    shardsOf(cell) === null || !isOnNode(text) || known.has(keyOf(cell, text));

  return {
    isReady,
    prepare: async (cell, text) => {
      if (isReady(cell, text)) return;
      const key = keyOf(cell, text);
      const made =
        coming.get(key) ??
        withOwnClient(config, async (client) => {
          known.set(key, await createNodeStatement(client, cell, text, shardsOf(cell)!));
        }).finally(() => coming.delete(key));
      coming.set(key, made);
      await made;
    },
    send: (cell, query, rest, send) => {
      const onNode = shardsOf(cell) === null ? undefined : known.get(keyOf(cell, query.text));
      if (onNode === undefined) return send(query, ...rest);
      const sent = { ...query, text: onNode.text };
      if (!onNode.countsRows) return send(sent, ...rest);
      const counted = send(sent).then(withRowCount);
      const tell = rest[0] as Answered | undefined;
      if (tell === undefined) return counted;
      counted.then((result) => tell(null, result), tell);
      return undefined as never;
    },
  };
}

/** A statement without RETURNING has no rows, and the function returns their number. */
function withRowCount(result: unknown): unknown {
  const [row] = (result as pg.QueryResult).rows as ({ r: string } | [string])[];
  return { ...(result as object), rows: [], rowCount: Number(Array.isArray(row) ? row[0] : row?.r) };
}

/** The connections of the pool may all be in use, and one of them may wait for this. */
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
