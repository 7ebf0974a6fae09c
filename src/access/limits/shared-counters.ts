import { randomBytes } from 'node:crypto';
import { createClient } from '@redis/client';
import type { Logger } from '../../kernel/log.ts';
import { counterScripts } from './counter-scripts.ts';
import type { Count, NodeCalls, NodeReport } from './node-calls.ts';

/**
 * Counters that all nodes share, in Redis: exact limits over any number of nodes. One script reads and increments all
 * counters of one call in one round trip. A refused call increments no counter. A counter starts with its first call
 * and expires after its window, no matter how many calls follow.
 *
 * Parley calls Redis only while Redis answers. After one late or wrong response, Redis counts as lost, no request waits
 * for it, and `take` returns null (this node's memory decides). A probe checks four times a second whether Redis
 * answers again.
 *
 * A counter is a hash: the number of all calls, and the number of each node's calls. When Redis is back, the node first
 * sets its own number in every open window. This adds the calls that Redis did not count, and removes the calls that
 * Redis counted too late. Redis may have lost everything, and a command may have run or not: the result is the same.
 */
export type SharedCounters = {
  /**
   * Increments all counters, or none if one counter refuses. Null: the counters are not available, because Redis does
   * not answer. `onResponse` also gets a response that arrives too late for the call.
   */
  take(counters: readonly Counter[], onResponse?: (taken: Taken, isLate: boolean) => void): Promise<Taken | null>;
  /** Sets whose calls Redis gets when it is back. */
  restoreFrom(calls: NodeCalls): void;
  /** Subtracts one call from each counter, if Redis can be reached. */
  giveBack(names: readonly string[]): void;
  /** Resets this counter, if Redis can be reached. */
  forget(name: string): void;
  /** Connects and waits a short time for the first response. A start never fails because of Redis. */
  start(): Promise<void>;
  isWell(): boolean;
  stop(): Promise<void>;
};

/**
 * All counter names of one call must have the same part in braces, so that a Redis cluster stores the counters on one
 * server.
 */
export type Counter = { readonly name: string; readonly limit: number };
/**
 * `refusedBy`: the index of the counter that has reached its limit. Null: the call was accepted. `counts`: the numbers
 * of the refusing counter, or of all counters.
 */
export type Taken = { readonly refusedBy: number | null; readonly counts: readonly Count[] };

/** A request waits for Redis at most this long. A healthy server answers in well under a millisecond. */
export const ANSWER_WITHIN_MS = 50;
const PROBE_MS = 250;
const FIRST_ANSWER_MS = 1_000;
/**
 * A connection that is silent for this long is closed and opened again, because the other side may not exist any more.
 */
const REOPEN_MS = 3_000;
const CONNECT_WITHIN_MS = 2_000;

/** The number of windows that one message to Redis restores, so that the response arrives in time. */
const RESTORED_AT_ONCE = 100;

export type SharedCountersOptions = {
  url: string;
  /** A prefix for the name of every counter, so that regions can share one server. */
  prefix: string;
  windowMs: number;
  log: Pick<Logger, 'info' | 'warn'>;
};

export function openSharedCounters({ url, prefix, windowMs, log }: SharedCountersOptions): SharedCounters {
  const states = createStateLog(log);
  const connection = createConnection(url, lose);
  const place = { prefix, windowMs, node: randomBytes(9).toString('base64url') };
  let calls: NodeCalls | null = null;
  let isWell = false;
  let silentSince = performance.now();
  let probing: NodeJS.Timeout | undefined;
  let isProbing = false;

  function lose(error: unknown): void {
    isWell = false;
    states.lost(error);
  }

  async function probe(withinMs: number): Promise<void> {
    const client = connection.client;
    if (!client.isOpen) return connection.reopen();
    isProbing = true;
    try {
      // The probe writes, because only a write shows that Redis can count. A replica that is out of date, or a server
      // without memory, answers reads but cannot count.
      await inTime(client.set(`${prefix}probe`, '1', { expiration: { type: 'PX', value: 1_000 } }), withinMs);
      silentSince = performance.now();
      if (calls !== null) await restoreInPieces(client, place, calls);
      if (!isWell) states.back();
      isWell = true;
      // Calls that this node accepted during these responses. The connection keeps the order, so Redis gets their
      // number before the next call.
      if (calls !== null) restore(client, place, calls, calls.list('missing')).catch(lose);
    } catch (error) {
      lose(client.isReady ? error : states.errorBefore(error));
      if (performance.now() - silentSince < REOPEN_MS) return;
      silentSince = performance.now();
      connection.reopen();
    } finally {
      isProbing = false;
    }
  }

  return {
    take: async (counters, onResponse) => {
      if (!isWell) return null;
      const call = { isLate: false };
      try {
        const response = send(connection.client, place, counters, (taken) => onResponse?.(taken, call.isLate));
        return await inTime(response, ANSWER_WITHIN_MS);
      } catch (error) {
        call.isLate = true;
        lose(error);
        return null;
      }
    },
    restoreFrom: (own) => {
      calls = own;
    },
    giveBack: (names) => {
      const keys = names.map((name) => prefix + name);
      if (isWell) connection.client.giveBack(keys, place.node).catch(lose);
    },
    forget: (name) => {
      if (isWell) connection.client.del(prefix + name).catch(lose);
    },
    start: async () => {
      const until = performance.now() + FIRST_ANSWER_MS;
      while (!isWell && !states.isLost() && performance.now() < until) {
        if (connection.client.isReady) await probe(until - performance.now());
        else await new Promise((resolve) => setTimeout(resolve, 10));
      }
      if (!isWell) lose(states.errorBefore(new Late()));
      probing = setInterval(() => {
        // Answered calls replace the probe.
        if (!isWell && !isProbing) void probe(ANSWER_WITHIN_MS);
      }, PROBE_MS);
      probing.unref();
    },
    isWell: () => isWell,
    stop: async () => {
      clearInterval(probing);
      isWell = false;
      connection.close();
    },
  };
}

/** Logs each reason once until Redis is back. */
function createStateLog(log: SharedCountersOptions['log']) {
  const reported = new Set<string>();
  return {
    isLost: () => reported.size > 0,
    /** The error that was logged last, or this error if Redis was available. */
    errorBefore: (error: unknown): unknown => (reported.size === 0 ? error : new Error([...reported].at(-1))),
    lost(error: unknown): void {
      const reason = reasonOf(error);
      if (reported.has(reason)) return;
      reported.add(reason);
      log.warn(
        { reason },
        'Redis is not available (REDIS_URL): until it is back, each node enforces its share of every limit.',
      );
    },
    back(): void {
      reported.clear();
      log.info('Redis counts for all nodes: rate limits are exact.');
    },
  };
}

/** A connection whose client can be replaced. */
function createConnection(url: string, lose: (error: unknown) => void) {
  let client = openClient(url, lose);
  const close = (): void => {
    client.removeAllListeners('error').on('error', () => {});
    client.destroy();
  };
  const reopen = (): void => {
    close();
    client = openClient(url, lose);
  };
  return {
    get client() {
      return client;
    },
    close,
    reopen,
  };
}

type Client = ReturnType<typeof openClient>;
type Place = { readonly prefix: string; readonly windowMs: number; readonly node: string };

/** Calls `onResponse` before the promise resolves. */
function send(
  client: Client,
  { prefix, windowMs, node }: Place,
  counters: readonly Counter[],
  onResponse: (taken: Taken) => void,
): Promise<Taken> {
  const keys = counters.map(({ name }) => prefix + name);
  const limits = counters.map(({ limit }) => limit);
  return client.take(keys, windowMs, node, limits).then((numbers) => {
    const taken = takenOf(numbers);
    onResponse(taken);
    return taken;
  });
}

async function restoreInPieces(client: Client, place: Place, calls: NodeCalls): Promise<void> {
  const reports = calls.list('all');
  for (let at = 0; at < reports.length; at += RESTORED_AT_ONCE)
    await inTime(restore(client, place, calls, reports.slice(at, at + RESTORED_AT_ONCE)), ANSWER_WITHIN_MS);
}

async function restore(
  client: Client,
  { prefix, node }: Place,
  calls: NodeCalls,
  reports: readonly NodeReport[],
): Promise<void> {
  const one = async (report: NodeReport): Promise<void> => {
    const [used, msLeft] = await client.restore(prefix + report.name, node, report.calls, report.msLeft);
    calls.settle(report.name, report.calls, { used: used!, msLeft: msLeft! });
  };
  await Promise.all(reports.map(one));
}

function openClient(url: string, lose: (error: unknown) => void) {
  const opened = createClient({
    url,
    RESP: 2,
    scripts: counterScripts,
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: 'disabled',
    commandOptions: { timeout: undefined },
    // The probe opens a lost connection again. The library would do so without a pause, in an endless loop, if a server
    // accepts connections and then closes them.
    socket: { connectTimeout: CONNECT_WITHIN_MS, reconnectStrategy: false },
  });
  opened.on('error', lose);
  // The error listener logs the errors of the connection.
  opened.connect().catch(() => {});
  return opened;
}

function takenOf([refusedBy, ...numbers]: readonly number[]): Taken {
  const counts: Count[] = [];
  for (let at = 0; at < numbers.length; at += 3)
    counts.push({ used: numbers[at]!, mine: numbers[at + 1]!, msLeft: numbers[at + 2]! });
  return { refusedBy: refusedBy === 0 ? null : refusedBy! - 1, counts };
}

class Late extends Error {
  override name = 'Late';
  constructor() {
    super('It does not respond in time.');
  }
}

/**
 * A response is late if it has not arrived when the timer fires and the sockets were read once more. A pause of this
 * process is not a fault of Redis.
 */
function inTime<T>(answer: Promise<T>, withinMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => setImmediate(() => reject(new Late())), withinMs);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Describes a failure of Redis to the operator without the address, which may contain a password. */
function reasonOf(error: unknown): string {
  const { message = '', code } = error as { message?: string; code?: string };
  if (/^(WRONGPASS|NOAUTH|ERR AUTH|ERR invalid password)/.test(message))
    return 'The server rejects the user name or password.';
  // The server sends an error before the first request. The library then throws this error, because no request waits.
  if (error instanceof TypeError)
    return 'The server refuses the connection. It has too many clients, or its protected mode is on.';
  if (code === 'ECONNREFUSED') return 'Nothing listens on this host and port.';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'The host name cannot be resolved.';
  if (/closed|ECONNRESET/i.test(`${message} ${code ?? ''}`)) return 'The connection was closed.';
  if (/timeout/i.test(message)) return 'The connection timed out.';
  return message === '' ? String(error) : message;
}
