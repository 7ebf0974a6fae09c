import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { Refusal } from '../../../contract/problems.ts';
import { type CellSlots, doesNotRespond } from './cell-slots.ts';
import type { Query, RoutedClient, Send } from './routed-client.ts';
import { NodeAwayError } from './run-on-node.ts';

/** The name that counts statements which wait for every node of Citus, even for a node without cells. */
export const ALL_NODES = 'all nodes';
/**
 * Usually, such a statement takes milliseconds. A statement on all nodes holds locks, for which equal statements of
 * other callers wait.
 */
const USUALLY_FAST_MS = 5_000;

/** After a timeout, the connection is closed, so the server rolls back the transaction and releases its locks. */
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
  }, USUALLY_FAST_MS);
  try {
    const result = await send(query);
    leave(false);
    return result;
  } catch (error) {
    leave(isLate || isAway(error));
    // Outside of a transaction, a late statement may have had its effect, so the caller gets the original error.
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
 * Creates the function of a statement on the node of the cell. The statement itself was not sent, so the caller may
 * repeat it. If the node does not answer in time, the work continues, and a later statement may use the function.
 */
export async function prepareInTime(cell: string, slots: CellSlots, prepare: () => Promise<void>): Promise<void> {
  const leave = slots.enter(cell);
  try {
    await inTime(USUALLY_FAST_MS, prepare);
    leave(false);
  } catch (error) {
    const isLost = error instanceof Refusal || error instanceof NodeAwayError || isAway(error);
    leave(isLost);
    throw isLost ? doesNotRespond() : error;
  }
}

/**
 * After a timeout, the server may not be ready for a rollback or for the next user, because it still waits for a node.
 * The function closes the connection of a late statement, as `pool.query` does.
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
/** A limit of the server or of the driver ended the statement. */
const isTimeout = (error: unknown): boolean =>
  error instanceof Error &&
  ((error as { code?: unknown }).code === QUERY_CANCELED || error.message === 'Query read timeout');

/** The coordinator reports that it cannot reach the node. */
const isNodeAway = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code?.startsWith(CONNECTION_EXCEPTIONS) === true;
const CONNECTION_EXCEPTIONS = '08';

/**
 * True if the connection can be used again after this error: nothing was sent, or the coordinator cannot reach the
 * node. If each failed statement opened a connection, the coordinator and the other nodes would have more work than
 * with the statement.
 */
export const keepsConnection = (error: unknown): boolean =>
  error instanceof Refusal || (isNodeAway(error) && (error as pg.DatabaseError).severity === 'ERROR');

/** True if the node of a cell has not answered. */
export const isAway = (error: unknown): boolean => isTimeout(error) || isNodeAway(error);
