import { createCellSlots } from '../../src/store/cells/cell-slots.ts';
import type { CellDirectory } from '../../src/store/cells/directory.ts';
import { routeConnection } from '../../src/store/cells/route-connection.ts';
import type { RoutedClient } from '../../src/store/cells/routed-client.ts';
import { createStatementReader } from '../../src/store/cells/statement.ts';

/** Returns the texts that a connection of a pool on Citus sends for a transaction, all of whose rows are in `cell`. */
export async function sentFor(
  texts: readonly string[],
  cell: string,
  tenantTables: ReadonlySet<string>,
): Promise<string[]> {
  const sent: string[] = [];
  const client = {
    query: (query: string | { text: string }) => {
      sent.push(typeof query === 'string' ? query : query.text);
      return Promise.resolve({ rows: [] });
    },
  } as unknown as RoutedClient;
  const directory: Partial<CellDirectory> = {
    cells: [cell],
    isSingle: () => false,
    isStale: () => false,
    isMoving: () => false,
    kindOf: createStatementReader(tenantTables),
    shardsOf: () => ({ names: new Map(), shardId: '1', node: 'node 1' }),
    known: () => new Set([cell]),
  };
  routeConnection(client, directory as CellDirectory, createCellSlots(16, String), {
    isReady: () => true,
    prepare: () => Promise.resolve(),
    send: (_cell, query, rest, send) => send(query, ...rest),
  });
  for (const text of ['begin', ...texts, 'commit']) await client.query(text);
  return sent;
}
