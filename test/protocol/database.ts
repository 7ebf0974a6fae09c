import type { LeaseReading, LeaseRow, LogReading, Registered, Renewed } from '../../src/access/nodes/protocol.ts';
import type { Subject } from '../../src/access/types.ts';
import type { Place } from '../../src/store/nodes/leases.ts';
import type { World } from './world.ts';

/** The database of the protocol's model. Every statement takes effect at one moment, like a snapshot or a commit. */
export type Database = {
  register(nodeId: string): Registered;
  readLog(nodeId: string, position: number, server: string): LogReading;
  renew(nodeId: string, position: number, server: string): Renewed | null;
  remove(nodeId: string): null;
  leases(): LeaseReading;
  removeDead(row: LeaseRow): null;
  has(change: Change, keyId: string): boolean;
  /** Commits a change of a key and returns its position in the log. */
  commit(change: Change, keyId: string): Place;
  /**
   * Confirms a change up to `seq`, so that no failover loses it. Returns false if the database no longer has that
   * change.
   */
  confirm(change: Change, keyId: string, seq: number): boolean;
  /** A standby takes over, which has every confirmed change, but may lack the last `lostMs`. */
  failOver(lostMs: number): void;
  prune(): void;
};

/** A change turns a granted call into a refused call, for all callers or for callers outside the remaining networks. */
export type Change = 'revoke' | 'shorten';

type State = { seq: number; log: Subject[]; pruned: number; changed: Map<string, number>; rows: Map<string, LeaseRow> };

/** The maximum lag of a standby. */
const KEPT_MS = 600;

export function createDatabase(world: World): Database {
  let state: State = { seq: 0, log: [], pruned: 0, changed: new Map(), rows: new Map() };
  let server = 1;
  let startedAt = -1e9;
  let history: { moment: number; state: State }[] = [];
  let lastConfirmed = 0;

  /** Each write stores the previous state for a standby that lags. */
  const write = <T>(change: () => T): T => {
    history = history.filter(({ moment }) => moment > world.now() - KEPT_MS);
    history.push({ moment: world.now(), state: copy(state) });
    return change();
  };

  const renew = (nodeId: string, position: number, wanted: string): Renewed | null =>
    write(() => {
      const row = state.rows.get(nodeId);
      if (!row || wanted !== String(server)) return null;
      state.rows.set(nodeId, { nodeId, position: Math.max(row.position, position), renewNo: row.renewNo + 1 });
      return { nodes: state.rows.size };
    });

  return {
    register: (nodeId) =>
      write(() => {
        state.rows.set(nodeId, { nodeId, position: state.seq, renewNo: 0 });
        const serverAgeMs = world.now() - startedAt;
        return { position: state.seq, server: String(server), serverAgeMs, nodes: state.rows.size };
      }),
    readLog: (nodeId, position, wanted) => ({
      server: String(server),
      head: state.seq,
      subjects: state.log.slice(Math.max(position, state.pruned)),
      renewed: position === state.seq ? renew(nodeId, position, wanted) : null,
    }),
    renew,
    remove: (nodeId) => write(() => (state.rows.delete(nodeId), null)),
    leases: () => ({ server: String(server), serverAgeMs: world.now() - startedAt, leases: [...state.rows.values()] }),
    removeDead: ({ nodeId, renewNo }) =>
      write(() => {
        if (state.rows.get(nodeId)?.renewNo === renewNo) state.rows.delete(nodeId);
        return null;
      }),
    has: (change, keyId) => state.changed.has(`${change} ${keyId}`),
    commit: (change, keyId) =>
      write(() => {
        state.seq++;
        state.log.push({ kind: 'key', id: keyId });
        const name = `${change} ${keyId}`;
        if (!state.changed.has(name)) state.changed.set(name, state.seq);
        return { seq: state.seq, server: String(server) };
      }),
    confirm: (change, keyId, seq) => {
      lastConfirmed = world.now();
      return (state.changed.get(`${change} ${keyId}`) ?? Infinity) <= seq;
    },
    failOver: (lostMs) => {
      const from = Math.max(lastConfirmed, world.now() - lostMs);
      // The state of the database before the first lost write.
      const lost = history.find(({ moment }) => moment > from);
      if (lost) state = lost.state;
      history = [];
      server++;
      startedAt = world.now();
    },
    prune: () => {
      state.pruned = state.seq;
    },
  };
}

const copy = (state: State): State => ({
  ...state,
  log: [...state.log],
  changed: new Map(state.changed),
  rows: new Map(state.rows),
});
