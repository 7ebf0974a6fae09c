import type pg from 'pg';

/** A connection that chooses its search path for each statement. */
export type RoutedClient = pg.PoolClient & {
  path?: Path;
  connection: { stream: { destroy(): void; destroyed: boolean } };
};
export type Path = {
  /** The cell of the search path. Null: unknown, because a rollback may have undone the last change. */
  current: string | null;
  /** The fixed cell of the connection's current user, in which statements without an organization run. */
  fixed: string | null;
  isInTransaction: boolean;
  /** The transaction has written to the region, so others may wait for its locks. */
  locksRegion: boolean;
  /** The cells to which the transaction may have written. */
  written: Set<string>;
  /** A promise of the running look-up of a cell, for which later statements wait. */
  pending: Promise<unknown> | null;
};
export type Query = { text: string; values?: unknown[]; name?: string };
export type Send = (...args: unknown[]) => Promise<unknown>;
