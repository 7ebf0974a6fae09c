import type { Logger } from '../kernel/log.ts';
import type { Lease } from './nodes/lease.ts';

export type HeartbeatDeps = {
  leaseMs: number;
  lease: Lease;
  log: Logger;
  /** This function is called after each renewal with the number of nodes that have a lease. */
  onNodes: (nodes: number) => void;
  /** Once a second, finishes work that other nodes left, and never runs twice at a time. */
  sweep: () => Promise<void>;
};

export type Heartbeat = { hint: () => void; stop(): Promise<void> };

const SWEEP_MS = 1_000;

/** The heartbeat: a renewal every third of a lease and on every wake-up, and a sweep every second. */
export function startHeartbeat({ leaseMs, lease, log, onNodes, sweep }: HeartbeatDeps): Heartbeat {
  let isWell = true;
  let sweeping: Promise<void> | null = null;

  const renew = async (): Promise<void> => {
    try {
      await lease.renew();
      onNodes(lease.nodes());
      if (!isWell) log.info('The lease is held again: access is decided from memory.');
      isWell = true;
    } catch (error) {
      if (isWell) log.warn({ err: error }, 'The lease cannot be renewed: access is read from the database.');
      isWell = false;
    }
  };

  const sweepOnce = async (): Promise<void> => {
    try {
      await sweep();
    } catch (error) {
      log.debug({ err: error }, 'The sweep of revokes and leases failed; it is retried.');
    } finally {
      sweeping = null;
    }
  };

  const renewing = setInterval(() => void renew(), leaseMs / 3);
  const sweeps = setInterval(() => {
    sweeping ??= sweepOnce();
  }, SWEEP_MS);

  return {
    hint: () => void renew(),
    stop: async () => {
      clearInterval(renewing);
      clearInterval(sweeps);
      await sweeping;
    },
  };
}
