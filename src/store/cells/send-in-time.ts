import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { Refusal } from '../../../contract/problems.ts';
import { type CellSlots, doesNotRespond } from './cell-slots.ts';
import type { Query, RoutedClient, Send } from './routed-client.ts';

/** The name under which statements are counted that wait for every node of Citus, even for a node without cells. */
export const ALL_NODES = 'all nodes';
/**
 * Usually, such a statement takes milliseconds. The statement holds locks, for which equal statements of other callers
 * wait.
 */
const ALL_NODES_MS = 5_000;

/** After a timeout, the connection is closed, so the server undoes the transaction and gives its locks back. */
export async function sendToAllNodes(
  client: RoutedClient,
  query: Query,
  slots: CellSlots,
  send: Send,
): Promise<unknown> {
  const leave = slots.enter(ALL_NODES);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    client.connection.stream.destroy();
  }, ALL_NODES_MS);
  try {
    const result = await send(query);
    leave(false);
    return result;
  } catch (error) {
    leave(isLate || isAway(error));
    // A statement outside of a transaction may have had its effect.
    throw isLate && client.path?.isInTransaction ? doesNotRespond() : error;
  } finally {
    clearTimeout(timer);
  }
}

/** Fails if the work takes longer. The work continues after a rejection, but no one waits for it. */
export async function inTime<Out>(ms: number, work: () => Promise<Out>): Promise<Out> {
  const working = work();
  working.catch(() => {});
  const over = new AbortController();
  const late = pause(ms, undefined, { signal: over.signal }).then(() => {
    throw doesNotRespond();
  });
  try {
    return await Promise.race([working, late]);
  } finally {
    over.abort();
  }
}

/**
 * After a timeout, the server may not be ready for a rollback or for the next user, because it still waits for a node.
 * So the connection is closed. `pool.query` does that itself.
 */
export function closingAfterTimeouts(client: RoutedClient): Send {
  const query = client.query.bind(client) as unknown as Send;
  return (...args) => {
    const sent = query(...args) as Promise<unknown> | undefined;
    sent?.catch?.((error: unknown) => {
      if (isTimeout(error)) client.connection.stream.destroy();
    });
    return sent as Promise<unknown>;
  };
}

const QUERY_CANCELED = '57014';
/** The limit of the server has passed, or that of the driver. */
const isTimeout = (error: unknown): boolean =>
  error instanceof Error &&
  ((error as { code?: unknown }).code === QUERY_CANCELED || error.message === 'Query read timeout');

/** The coordinator answers that it cannot reach the node. */
const isNodeAway = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code?.startsWith(CONNECTION_EXCEPTIONS) === true;
const CONNECTION_EXCEPTIONS = '08';

/**
 * Whether the connection can be used again after this error: nothing was sent, or the coordinator cannot reach the node.
 * Otherwise each failed statement would open a connection, which costs the coordinator and the other nodes more than
 * the statement.
 */
export const keepsConnection = (error: unknown): boolean =>
  error instanceof Refusal || (isNodeAway(error) && (error as pg.DatabaseError).severity === 'ERROR');

/** Whether the node of a cell has not answered. */
export const isAway = (error: unknown): boolean => isTimeout(error) || isNodeAway(error);
