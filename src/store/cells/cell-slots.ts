import { setTimeout as pause } from 'node:timers/promises';
import { Refusal } from '../../../contract/problems.ts';

/**
 * Limits how many connections of a pool wait for one place, so that an unavailable place leaves connections to other
 * places. A place is a node of Citus with all of its cells, or otherwise a cell. A busy place may run all statements
 * that finish in a short time. A place that has not answered for a while gets no more statements. After a timeout or a
 * lost connection, the place gets one statement at a time until the place answers. Other statements for an unavailable
 * place are refused immediately, so repeated calls take no connections from other places.
 */
export type CellSlots = {
  hasRoom(cell: string): boolean;
  /** The promise resolves when the cell has room for a statement, and rejects when the cell does not answer. */
  room(cell: string): Promise<void>;
  /** True if the cell has not answered for a while. */
  hangs(cell: string): boolean;
  /**
   * Records that a statement was sent. Call the returned function when the connection can be used again, or is closed.
   */
  enter(cell: string): (isAway: boolean) => void;
  /** Records that a transaction that wrote to the cell has been committed. */
  committed(cell: string): void;
  /**
   * How often a statement of the cell began or ended, or a transaction was committed. If two calls return an equal
   * number, this process sent nothing to the cell between the calls. Null: a statement is in progress.
   */
  useCount(cell: string): number | null;
};

const HANGS_AFTER_MS = 1_000;
const LOOK_MS = 10;

export const doesNotRespond = (): Refusal =>
  new Refusal('unavailable', 'The part of the database with this organization does not respond.');

type Place = {
  /** The times at which the statements in progress were sent, oldest first. */
  sent: Set<{ at: number }>;
  answeredAt: number;
  /** True if the newest outcome is a timeout or a lost connection. */
  isAway: boolean;
};

export function createCellSlots(connections: number, placeOf: (cell: string) => string): CellSlots {
  const most = Math.max(1, Math.floor(connections / 2));
  const places = new Map<string, Place>();
  const of = (cell: string): Place => {
    const name = placeOf(cell);
    const known = places.get(name);
    if (known) return known;
    const made = { sent: new Set<{ at: number }>(), answeredAt: 0, isAway: false };
    places.set(name, made);
    return made;
  };
  const uses = new Map<string, { count: number; open: number }>();
  const use = (cell: string, opened: number): void => {
    const { count, open } = uses.get(cell) ?? { count: 0, open: 0 };
    uses.set(cell, { count: count + 1, open: open + opened });
  };
  const hasRoom = (cell: string): boolean => {
    const { sent, isAway } = of(cell);
    return sent.size < (isAway ? 1 : most);
  };
  const hangs = (cell: string): boolean => {
    const { sent, answeredAt, isAway } = of(cell);
    const [oldest] = sent;
    if (oldest === undefined) return false;
    return isAway || performance.now() - Math.max(oldest.at, answeredAt) > HANGS_AFTER_MS;
  };

  return {
    hasRoom,
    hangs,
    room: async (cell) => {
      for (const since = performance.now(); !hasRoom(cell); await pause(LOOK_MS)) {
        if (hangs(cell) || performance.now() - since > HANGS_AFTER_MS) throw doesNotRespond();
      }
    },
    enter: (cell) => {
      const place = of(cell);
      const statement = { at: performance.now() };
      place.sent.add(statement);
      use(cell, 1);
      return (isAway) => {
        use(cell, -1);
        place.sent.delete(statement);
        place.isAway = isAway;
        if (!isAway) place.answeredAt = performance.now();
      };
    },
    committed: (cell) => use(cell, 0),
    useCount: (cell) => {
      const { count, open } = uses.get(cell) ?? { count: 0, open: 0 };
      return open > 0 ? null : count;
    },
  };
}
