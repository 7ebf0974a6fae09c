import type { Clock } from '../../kernel/clock.ts';

/**
 * The time, by the monotonic clock of this process, since which the current database server has been running. A restart
 * or failover may have lost the row of a node that still answers from memory. No change counts as known everywhere
 * until a whole lease has passed since the restart.
 */
export type ServerWatch = { observe(server: string, ageMs: number): void; sinceMs(): number };

export function createServerWatch(clock: Clock): ServerWatch {
  let known: string | null = null;
  let since = Number.POSITIVE_INFINITY;
  return {
    observe: (server, ageMs) => {
      if (server === known) return;
      // The first observation uses the server's own age. If the server changes while this process runs, the new server
      // may be a promoted standby with an old process. The time of another server counts from the first observation.
      const now = clock.monotonic();
      since = known === null ? now - ageMs : now;
      known = server;
    },
    sinceMs: () => since,
  };
}
