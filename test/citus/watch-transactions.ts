import pg from 'pg';
import { REGION_TABLES } from '../../src/store/cells/region-tables.ts';

/** A committed transaction, with the texts that the server gets. */
export type Transaction = {
  /** The statements of the transaction that may write. */
  texts: readonly string[];
  /** True if the connection belongs to a pool, so that Parley chooses the cell and the way to commit. */
  isRouted: boolean;
  /** The tables of the region to which the transaction has written, and all other tables. */
  region: readonly string[];
  others: readonly string[];
};

type Query = { text?: unknown };
type Querying = { query(...args: unknown[]): unknown };

/**
 * Reports each committed transaction of all connections of this process, and each statement when it is sent. A single
 * statement is also a transaction.
 */
export function watchTransactions(
  onCommit: (transaction: Transaction) => void,
  onStatement: (text: string) => void = () => {},
): void {
  const { query } = pg.Client.prototype as unknown as Querying;
  const open = new WeakMap<pg.Client, string[]>();
  Object.assign(pg.Client.prototype, {
    query(this: pg.Client, ...args: unknown[]): unknown {
      const text = typeof args[0] === 'string' ? args[0] : (args[0] as Query | null)?.text;
      if (typeof text === 'string') {
        onStatement(text);
        note(this, text);
      }
      return query.apply(this, args);
    },
  });
  function note(client: pg.Client, text: string): void {
    const texts = open.get(client);
    const isRouted = Object.hasOwn(client, 'query');
    if (/^\s*(?:begin|start transaction)\b/i.test(text)) open.set(client, []);
    else if (texts === undefined) onCommit(transactionOf([text], isRouted));
    else if (/^\s*(?:commit|rollback\s*;?\s*$)/i.test(text)) {
      open.delete(client);
      if (/^\s*commit/i.test(text)) onCommit(transactionOf(texts, isRouted));
    } else texts.push(text);
  }
}

const MAY_WRITE = /^\s*(?:with|insert|update|delete)\b|"\."on_node_/i;
const WRITTEN = /\b(?:insert\s+into|update|delete\s+from)\s+(?:only\s+)?(?:"?\w+"?\.)?"?([a-z_]+)"?/gi;
/** On Citus, a statement that writes in several parts runs as a function with this name (docs/adr/0502). */
const ON_NODE = /"\."(on_node_\w+)"\(/g;

/** Words such as the `skip` of `FOR UPDATE SKIP LOCKED` are among the other tables, until the catalog is known. */
function transactionOf(all: readonly string[], isRouted: boolean): Transaction {
  const texts = all.filter((text) => MAY_WRITE.test(text));
  const tables = new Set(
    texts.flatMap((text) => [...text.matchAll(WRITTEN), ...text.matchAll(ON_NODE)].map(([, table]) => table!)),
  );
  return {
    texts,
    isRouted,
    region: [...tables].filter((table) => REGION_TABLES.includes(table)),
    others: [...tables].filter((table) => !REGION_TABLES.includes(table)),
  };
}
