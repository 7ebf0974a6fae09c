import { setTimeout as pause } from 'node:timers/promises';
import { Refusal } from '../../../contract/problems.ts';

/**
 * Limits how many connections of a pool wait for one cell, so that a cell that hangs leaves connections to the others. A
 * busy cell may have all statements that fit in a short time. A cell whose oldest statement is late gets no more.
 */
export type CellSlots = {
  hasRoom(cell: string): boolean;
  /** Resolves when the cell has room, and rejects when it hangs. */
  room(cell: string): Promise<void>;
  /** A statement was sent. Call the result when it has ended. */
  enter(cell: string): () => void;
};

const HANGS_AFTER_MS = 1_000;
const LOOK_MS = 10;

export function createCellSlots(connections: number): CellSlots {
  const most = Math.max(1, Math.floor(connections / 2));
  /** The times at which the statements in progress were sent, oldest first. */
  const inProgress = new Map<string, Set<{ at: number }>>();
  const of = (cell: string): Set<{ at: number }> => {
    const known = inProgress.get(cell);
    if (known) return known;
    const made = new Set<{ at: number }>();
    inProgress.set(cell, made);
    return made;
  };
  const hasRoom = (cell: string): boolean => (inProgress.get(cell)?.size ?? 0) < most;

  return {
    hasRoom,
    room: async (cell) => {
      for (const since = performance.now(); !hasRoom(cell); await pause(LOOK_MS)) {
        const now = performance.now();
        const [oldest] = of(cell);
        if (now - since > HANGS_AFTER_MS || now - (oldest?.at ?? now) > HANGS_AFTER_MS)
          throw new Refusal('unavailable', 'The part of the database with this organization does not respond.');
      }
    },
    enter: (cell) => {
      const statement = { at: performance.now() };
      of(cell).add(statement);
      return () => void of(cell).delete(statement);
    },
  };
}
