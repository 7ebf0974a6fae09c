import type { Logger } from 'pino';
import type { Db } from '../../store/db.ts';
import { idsInPath } from './ids-in-path.ts';
import { type LoggedRequest, type UsageCount, writeUsage } from '../../store/usage/usage.ts';

/**
 * Counts the usage of keys without delaying a request. The counts are in memory and are written every FLUSH_MS in one
 * batch. A node that dies loses the last seconds of counts.
 */
export type UsageCounter = {
  count(request: CountedRequest): void;
  start(): void;
  stop(): Promise<void>;
};

export type CountedRequest = Omit<LoggedRequest, 'ids'> & { target: string };

const FLUSH_MS = 2_000;
/**
 * One flush contains at most this many individual requests of one key. Accepted and failed requests have equal shares,
 * so that failures stay visible.
 */
const KEPT_PER_KEY = 20;
/** One flush contains at most this many individual requests. */
const KEPT = 1_000;
const HOUR_MS = 3_600_000;

export function createUsageCounter({ db, log }: { db: Db; log: Logger }): UsageCounter {
  let counts = new Map<string, UsageCount>();
  let newest = new Map<string, CountedRequest[]>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  async function flush(): Promise<void> {
    if (counts.size === 0) return;
    const written = [...counts.values()];
    const requests = [...newest.values()]
      .flat()
      .slice(-KEPT)
      .map(({ target, ...request }) => ({ ...request, ids: idsInPath(request.route, target) }));
    counts = new Map();
    newest = new Map();
    await writeUsage(db.$client, written, requests).catch((error: unknown) =>
      log.debug({ err: error }, 'counts of requests could not be written'),
    );
  }

  return {
    count: (request) => {
      const hour = Math.floor(request.at.getTime() / HOUR_MS) * HOUR_MS;
      const name = `${request.keyId} ${hour}`;
      let entry = counts.get(name);
      if (!entry) {
        const { orgId, keyId } = request;
        counts.set(name, (entry = { orgId, keyId, hour: new Date(hour), accepted: 0, refused: 0, failed: 0 }));
      }
      entry[request.status < 400 ? 'accepted' : request.status < 500 ? 'refused' : 'failed']++;
      const ring = request.status < 400 ? request.keyId : `${request.keyId} refused`;
      const stored = newest.get(ring);
      if (!stored) newest.set(ring, [request]);
      else if (stored.push(request) > KEPT_PER_KEY) stored.shift();
    },
    start: () => {
      timer = setInterval(() => {
        writing = writing.then(flush);
      }, FLUSH_MS);
    },
    stop: async () => {
      clearInterval(timer);
      await writing;
      await flush();
    },
  };
}
