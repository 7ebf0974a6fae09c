import { createClient, defineScript, type CommandParser } from '@redis/client';
import type { Logger } from '../../kernel/log.ts';

/**
 * Counters that all nodes share, in Redis: exact limits over any number of nodes. One script reads and increments all
 * counters of one call in one round trip. A refused call increments no counter. A counter starts with its first call
 * and expires after its window, no matter how many calls follow.
 *
 * Parley calls Redis only while Redis answers. After one late or wrong response, Redis counts as lost, no request waits
 * for it, and `take` returns null (this node's memory decides). A probe checks four times a second whether Redis
 * answers again.
 */
export type SharedCounters = {
  /**
   * Increments all counters, or none if one counter refuses. Null: the counters are not available, because Redis does
   * not answer.
   */
  take(counters: readonly Counter[]): Promise<Taken | null>;
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
export type Count = { readonly used: number; readonly msLeft: number };

/** A request waits for Redis at most this long. A healthy server answers in well under a millisecond. */
export const ANSWER_WITHIN_MS = 50;
const PROBE_MS = 250;
const FIRST_ANSWER_MS = 1_000;
/**
 * A connection that is silent for this long is closed and opened again, because the other side may not exist any more.
 */
const REOPEN_MS = 3_000;
const RECONNECT_MS = 250;
const CONNECT_WITHIN_MS = 2_000;

const TAKE = `
for i = 1, #KEYS do
  local used = tonumber(redis.call('GET', KEYS[i]) or '0')
  if used >= tonumber(ARGV[i + 1]) then return {i, used, redis.call('PTTL', KEYS[i])} end
end
local answer = {0}
for i = 1, #KEYS do
  local used = redis.call('INCR', KEYS[i])
  local left = redis.call('PTTL', KEYS[i])
  if left < 0 then
    redis.call('PEXPIRE', KEYS[i], ARGV[1])
    left = tonumber(ARGV[1])
  end
  answer[#answer + 1] = used
  answer[#answer + 1] = left
end
return answer`;

const GIVE_BACK = `
for i = 1, #KEYS do
  if tonumber(redis.call('GET', KEYS[i]) or '0') > 0 then redis.call('DECR', KEYS[i]) end
end
return 0`;

const scripts = {
  take: defineScript({
    SCRIPT: TAKE,
    parseCommand(parser: CommandParser, keys: string[], windowMs: number, limits: number[]) {
      parser.pushKeysLength(keys);
      parser.push(String(windowMs), ...limits.map(String));
    },
    transformReply: undefined as unknown as () => number[],
  }),
  giveBack: defineScript({
    SCRIPT: GIVE_BACK,
    parseCommand: (parser: CommandParser, keys: string[]) => parser.pushKeysLength(keys),
    transformReply: undefined as unknown as () => number,
  }),
};

export type SharedCountersOptions = {
  url: string;
  /** A prefix for the name of every counter, so that regions can share one server. */
  prefix: string;
  windowMs: number;
  log: Pick<Logger, 'info' | 'warn'>;
};

export function openSharedCounters({ url, prefix, windowMs, log }: SharedCountersOptions): SharedCounters {
  let client = openClient(url, lose);
  let isWell = false;
  /** The last logged state, so that each state is logged once. */
  let reported: string | null = null;
  let silentSince = performance.now();
  let probing: NodeJS.Timeout | undefined;

  function lose(error: unknown): void {
    isWell = false;
    const reason = reasonOf(error);
    if (reported === reason) return;
    reported = reason;
    log.warn(
      { reason },
      'Redis is not available (REDIS_URL): until it is back, each node enforces its share of every limit.',
    );
  }

  function regain(): void {
    silentSince = performance.now();
    if (isWell) return;
    isWell = true;
    reported = null;
    log.info('Redis counts for all nodes: rate limits are exact.');
  }

  async function probe(withinMs: number): Promise<void> {
    try {
      // The probe writes, because only a write shows that Redis can count. A replica that is out of date, or a server
      // without memory, answers reads but cannot count.
      await inTime(client.set(`${prefix}probe`, '1', { expiration: { type: 'PX', value: 1_000 } }), withinMs);
      regain();
    } catch (error) {
      lose(reported !== null && !client.isReady ? new Error(reported) : error);
      if (performance.now() - silentSince < REOPEN_MS) return;
      silentSince = performance.now();
      const silent = client;
      client = openClient(url, lose);
      silent.removeAllListeners('error').on('error', () => {});
      silent.destroy();
    }
  }

  return {
    take: async (counters) => {
      if (!isWell) return null;
      try {
        const keys = counters.map(({ name }) => prefix + name);
        const limits = counters.map(({ limit }) => limit);
        return takenOf(await inTime(client.take(keys, windowMs, limits), ANSWER_WITHIN_MS));
      } catch (error) {
        lose(error);
        return null;
      }
    },
    giveBack: (names) => {
      if (isWell) client.giveBack(names.map((name) => prefix + name)).catch(lose);
    },
    forget: (name) => {
      if (isWell) client.del(prefix + name).catch(lose);
    },
    start: async () => {
      const until = performance.now() + FIRST_ANSWER_MS;
      while (!isWell && reported === null && performance.now() < until) {
        if (client.isReady) await probe(until - performance.now());
        else await new Promise((resolve) => setTimeout(resolve, 10));
      }
      if (!isWell) lose(reported === null ? new Late() : new Error(reported));
      probing = setInterval(() => {
        // Answered calls replace the probe.
        if (!isWell) void probe(ANSWER_WITHIN_MS);
      }, PROBE_MS);
      probing.unref();
    },
    isWell: () => isWell,
    stop: async () => {
      clearInterval(probing);
      isWell = false;
      client.removeAllListeners('error').on('error', () => {});
      client.destroy();
    },
  };
}

function openClient(url: string, lose: (error: unknown) => void) {
  const opened = createClient({
    url,
    RESP: 2,
    scripts,
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: 'disabled',
    commandOptions: { timeout: undefined },
    socket: { connectTimeout: CONNECT_WITHIN_MS, reconnectStrategy: RECONNECT_MS },
  });
  opened.on('error', lose);
  // The error listener logs the errors of the connection.
  opened.connect().catch(() => {});
  return opened;
}

function takenOf([refusedBy, ...numbers]: readonly number[]): Taken {
  const counts: Count[] = [];
  for (let at = 0; at < numbers.length; at += 2) counts.push({ used: numbers[at]!, msLeft: numbers[at + 1]! });
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
  if (code === 'ECONNREFUSED') return 'Nothing listens on this host and port.';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'The host name cannot be resolved.';
  if (/closed|ECONNRESET/i.test(`${message} ${code ?? ''}`)) return 'The connection was closed.';
  if (/timeout/i.test(message)) return 'The connection timed out.';
  return message === '' ? String(error) : message;
}
