import type { UsageGroup, UsageRecord } from '../../../contract/dashboard/costs.ts';
import { invalidAt } from '../../../contract/problems.ts';
import { FIRST_DAY, LAST_DAY } from '../../kernel/calendar-day.ts';
import type { CostsDeps } from './deps.ts';
import { presentUse } from '../../store/costs/present-use.ts';
import { readUsageSums, type UseRow } from '../../store/costs/read-use.ts';

const DAY_MS = 86_400_000;
const DAYS = 30;
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

const NONE: UseRow = {
  turns: 0,
  calls: 0,
  unmeasured: 0,
  input: 0,
  cached: 0,
  output: 0,
  tool_calls: 0,
  seconds: 0,
  unpriced: 0,
  costs: {},
};

type Query = {
  by?: UsageGroup;
  since?: string;
  until?: string;
  agent_id?: string;
  key_id?: string;
  campaign_id?: string;
};

/** Reads the usage of models on a range of UTC days, by day, agent, key, campaign or model. */
export async function readUsage(
  { db, now }: CostsDeps,
  orgId: string,
  { by = 'day', since, until, agent_id: agentId, key_id: keyId, campaign_id: campaignId }: Query,
): Promise<UsageRecord> {
  for (const [name, day] of Object.entries({ since, until }))
    if (day !== undefined && (day < FIRST_DAY || day > LAST_DAY))
      throw invalidAt(`/${name}`, 'invalid', `Days are between ${FIRST_DAY} and ${LAST_DAY}.`);
  const last = until ?? dayOf(now());
  const first = since ?? dayOf(Date.parse(last) - (DAYS - 1) * DAY_MS);
  const filter = { orgId, since: first, until: last, agentId, keyId, campaignId };
  const [groups, [total]] = await Promise.all([readUsageSums(db, by, filter), readUsageSums(db, 'all', filter)]);
  return {
    since: first,
    until: last,
    total: presentUse(total ?? NONE),
    data: groups.map((row) => ({ group: row.group || null, name: row.name, use: presentUse(row) })),
  };
}
