import type { Clock } from '../../src/kernel/clock.ts';
import type { Place } from '../../src/store/nodes/leases.ts';
import type { StoredKey } from '../../src/store/api-keys/records.ts';
import { createAdmit } from '../../src/access/admit.ts';
import type { ClientTokens } from '../../src/access/client-tokens/client-token.ts';
import { createBarrier } from '../../src/access/nodes/barrier.ts';
import { createFills } from '../../src/access/api-keys/directory-fill.ts';
import { createDirectory } from '../../src/access/api-keys/directory.ts';
import { createLease } from '../../src/access/nodes/lease.ts';
import { type LeaseStore, marginOf } from '../../src/access/nodes/protocol.ts';
import { createServerWatch } from '../../src/access/nodes/server-watch.ts';
import type { Change, Database } from './database.ts';
import type { World } from './world.ts';

/** A node of the model has the real directory, lease, barrier and admission on an unreliable clock and network. */
export type Node = {
  start: () => void;
  /** A client sends a request to the node. The node calls `onAccepted` when it accepts the request. */
  request(value: string, from: string, onAccepted: (sentAt: number) => void): void;
  /** A caller requests to revoke a key or to narrow its networks. The node calls `onAnswered` with the response. */
  change(change: Change, keyId: string, onAnswered: () => void): void;
  hint: () => void;
  /** Stops the process for a while. The clocks of the stopped process continue (SIGSTOP). */
  pause(ms: number): void;
  /** The machine is suspended, so its monotonic clock stops, but the wall clock continues. */
  suspend(ms: number): void;
  /** During the cut, no statement reaches the database, and no response reaches the node. */
  cutOff(ms: number): void;
  jump(ms: number): void;
};

export type NodeDeps = {
  world: World;
  database: Database;
  name: string;
  leaseMs: number;
  /** Every second request has a client token of its key. */
  hasTokens?: boolean;
  /** The model calls this function on every commit, which the database may announce to nodes. */
  onCommit: () => void;
};

const STATEMENT_TIMEOUT_MS = 800;

export function createNode({ world, database, name, leaseMs, hasTokens = false, onCommit }: NodeDeps): Node {
  let requests = 0;
  const rate = world.between(0.98, 1.02);
  const offset = world.between(0, 1e6);
  let asleepMs = 0;
  let asleepFrom: number | null = null;
  let wallAhead = world.between(-5_000, 5_000);
  let stoppedUntil = 0;
  let cutUntil = 0;
  let waiting: (() => void)[] = [];
  let incarnation = 0;

  const clock: Clock = {
    monotonic: () => ((asleepFrom ?? world.now()) - asleepMs) * rate + offset,
    wall: () => world.now() + wallAhead,
  };

  /** Runs the function when the node is running. Events that the node delayed arrive in random order. */
  const deliver = (event: () => void): void => {
    if (world.now() >= stoppedUntil) event();
    else waiting.push(event);
  };

  const stop = (ms: number): void => {
    stoppedUntil = Math.max(stoppedUntil, world.now() + ms);
    const until = stoppedUntil;
    world.at(until, () => {
      if (stoppedUntil !== until) return;
      if (asleepFrom !== null) asleepMs += until - asleepFrom;
      asleepFrom = null;
      const events = waiting.sort(() => world.random() - 0.5);
      waiting = [];
      events.forEach((event, index) => world.at(until + index * 0.01, () => deliver(event)));
    });
  };

  const sleep = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      world.at(world.now() + ms / rate, () => deliver(resolve));
    });

  const latency = (): number =>
    world.chance(0.85) ? world.between(0.2, 4) : world.chance(0.7) ? world.between(4, 300) : world.between(300, 2_000);

  /** A statement takes effect some time after it was sent, even if the node has stopped waiting for its response. */
  const statement = <T>(effect: () => T): Promise<T> =>
    new Promise((resolve, reject) => {
      const giveUp = (): void => deliver(() => reject(new Error('connection timeout')));
      world.at(world.now() + STATEMENT_TIMEOUT_MS, giveUp);
      if (world.now() < cutUntil) return;
      world.at(world.now() + latency(), () => {
        const result = effect();
        if (world.now() < cutUntil || world.chance(0.02)) return;
        world.at(world.now() + latency(), () => deliver(() => resolve(result)));
      });
    });

  const store: LeaseStore = {
    register: (id) => statement(() => database.register(id)),
    readLog: (id, position, server) => statement(() => database.readLog(id, position, server)),
    renew: (id, position, server) => statement(() => database.renew(id, position, server)),
    remove: async (id) => void (await statement(() => database.remove(id))),
    leases: () => statement(() => database.leases()),
    removeDead: async (row) => void (await statement(() => database.removeDead(row))),
  };

  const timing = { leaseMs, marginMs: marginOf(leaseMs) };
  const directory = createDirectory({ clock, absentMs: leaseMs });
  const server = createServerWatch(clock);
  const newNodeId = (): string => `${name}.${incarnation++}`;
  const lease = createLease({ ...timing, store, clock, memory: directory, server, newNodeId });
  const barrier = createBarrier({ ...timing, store, clock, server, sleep });
  const fills = createFills(directory, {
    readKey: (digest) => statement(() => recordOf(digest.slice(DIGEST.length), database)),
    readKeyById: (_orgId, id) => statement(() => recordOf(id, database)),
    readTargets: () => Promise.reject(new Error('No path of the model names anything.')),
  });
  const { admit } = createAdmit({
    region: 'us',
    baseUrls: { us: '', eu: '', in: '', qa: '' },
    digest: (value) => DIGEST + value,
    clientTokens,
    clock,
    lease,
    directory,
    fills,
    lastUsed: { record: () => {} },
    isMoving: () => false,
    blocks: { take: () => Promise.reject(new Error('No key of the model has a total.')) },
  });

  async function change(change: Change, keyId: string, onAnswered: () => void): Promise<void> {
    let place: Place;
    try {
      place = await statement(() => {
        const committed = database.commit(change, keyId);
        onCommit();
        return committed;
      });
    } finally {
      directory.drop({ kind: 'key', id: keyId });
    }
    await barrier.wait(place.seq, lease.rowOn(place.server));
    if (await statement(() => database.confirm(change, keyId, place.seq))) onAnswered();
  }

  const renew = (): void => {
    lease.renew().catch(() => {});
  };

  const beat = (): void => {
    renew();
    if (world.chance(0.3)) barrier.sweep().catch(() => {});
    void sleep(leaseMs / 3).then(beat);
  };

  return {
    start: () => deliver(beat),
    request: (value, from, onAccepted) => {
      const sentAt = world.now();
      deliver(() => {
        const isToken = hasTokens && ++requests % 2 === 0;
        const sent = isToken ? `Bearer ${TOKEN}${value}` : `Bearer ${value}`;
        void (async () => admit([sent], { client: true }, {}, from, false, PAGE))().then(
          () => onAccepted(sentAt),
          () => {},
        );
      });
    },
    change: (kind, keyId, onAnswered) => deliver(() => void change(kind, keyId, onAnswered).catch(() => {})),
    hint: () => deliver(renew),
    pause: stop,
    suspend: (ms) => {
      asleepFrom ??= world.now();
      stop(ms);
    },
    cutOff: (ms) => {
      cutUntil = Math.max(cutUntil, world.now() + ms);
    },
    jump: (ms) => {
      wallAhead += ms;
    },
  };
}

const DIGEST = 'digest of ';
const TOKEN = 'parley_client_us_';
const PAGE = 'https://shop.example';

/** In the model, a client token contains the value of its key, and routes name no agent and no trigger. */
const clientTokens: ClientTokens = {
  issue: ({ keyId }) => TOKEN + keyId,
  read: (token) => ({
    keyId: token.slice(TOKEN.length),
    orgId: 'org',
    agentId: undefined as never,
    triggerId: undefined as never,
    endUser: { external_id: 'crm-42' },
    conversationKey: null,
    origins: [PAGE],
    expiresAt: Number.POSITIVE_INFINITY,
  }),
};

/** In the model, the value of a key is its own ID, because one name for a key is enough. */
const recordOf = (value: string, database: Database): StoredKey => ({
  id: value,
  orgId: 'org',
  orgName: 'Model',
  plan: 'paid',
  label: 'Model',
  prefix: 'parley_us_',
  scope: 'organization',
  agentId: null,
  campaignId: null,
  permissions: ['triggers'],
  perMinute: null,
  perEndUserPerMinute: null,
  total: null,
  allowedNetworks: database.has('shorten', value) ? ['198.51.100.0/24'] : null,
  revokeAt: null,
  revokedAt: database.has('revoke', value) ? new Date(0) : null,
  lastUsedAt: null,
});
