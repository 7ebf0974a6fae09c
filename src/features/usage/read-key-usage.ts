import type { KeyUsage } from '../../../contract/dashboard/keys.ts';
import { Refusal } from '../../../contract/problems.ts';
import { timestamp } from '../../kernel/clock.ts';
import { readApiKey } from '../../store/api-keys/read.ts';
import type { Db } from '../../store/db.ts';
import { countKeyRequests, listNewestRequests, readKeyUsage as readCounts } from '../../store/usage/usage.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const RANGES = {
  '24h': { unit: 'hour', unitMs: HOUR_MS, units: 24 },
  '7d': { unit: 'day', unitMs: DAY_MS, units: 7 },
  '30d': { unit: 'day', unitMs: DAY_MS, units: 30 },
} as const;
const MAX_REQUESTS = 20;

/**
 * Reads the requests of one key: counts by outcome over time, without gaps, and the newest requests individually. The
 * days are UTC days.
 */
export async function readKeyUsage(
  { db }: { db: Db },
  orgId: string,
  keyId: string,
  range: keyof typeof RANGES,
): Promise<KeyUsage> {
  if (!(await readApiKey(db, orgId, keyId))) throw new Refusal('key_not_found');
  const { unit, unitMs, units } = RANGES[range];
  const now = Date.now();
  const first = Math.floor(now / unitMs) * unitMs - (units - 1) * unitMs;
  const [counts, requests, lastDay] = await Promise.all([
    readCounts(db, orgId, keyId, unit, new Date(first)),
    listNewestRequests(db, orgId, keyId, MAX_REQUESTS),
    countKeyRequests(db, orgId, keyId, new Date(now - DAY_MS)),
  ]);
  const known = new Map(counts.map((row) => [row.at.getTime(), row]));
  return {
    buckets: Array.from({ length: units }, (_, index) => {
      const at = first + index * unitMs;
      const { accepted = 0, refused = 0, failed = 0 } = known.get(at) ?? {};
      return { at: timestamp(at), accepted, refused, failed };
    }),
    requests: requests.map((row) => ({
      at: timestamp(row.at),
      method: row.method,
      route: row.route,
      status: row.status,
      code: row.code,
      request_id: row.id,
    })),
    last_24h: lastDay,
  };
}
