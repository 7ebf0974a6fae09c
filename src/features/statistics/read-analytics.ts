import type {
  Analytics,
  AnalyticsFigures,
  AnalyticsGroup,
  AnalyticsQuery,
} from '../../../contract/dashboard/analytics.ts';
import { invalidAt, Refusal } from '../../../contract/problems.ts';
import { timestamp } from '../../kernel/clock.ts';
import { readOrganization } from '../../store/organizations/organizations.ts';
import type { FactGroup } from '../../store/schema/numbers.ts';
import { countFacts } from '../../store/statistics/count-facts.ts';
import { type FactDay, readFactDays, storeFactDay } from '../../store/statistics/fact-days.ts';
import { readGroupNames } from '../../store/statistics/group-names.ts';
import { type Day, isCounted, recountDays, timesOf } from './recount-days.ts';
import { daysOfPeriod, type Period } from './days-of-period.ts';
import { figuresOf, groupFacts, matching, partsOf } from './fact-groups.ts';
import type { StatisticsDeps } from './read-statistics.ts';

/** The number of the counting rules. A change of the rules increases the number, so that the days are counted again. */
const RULES = 1;
/** A table shows at most this many rows. */
const MAX_GROUPS = 400;

/** Reads the figures of the conversations of some days, and compares them with the same number of days before. */
export async function readAnalytics(deps: StatisticsDeps, orgId: string, query: AnalyticsQuery): Promise<Analytics> {
  const { by = 'day', days, since, until, ...filter } = query;
  if (filter.version !== undefined && filter.agent_id === undefined)
    throw invalidAt('/agent_id', 'required', 'Versions belong to an agent: name the agent.');
  const now = deps.now?.() ?? Date.now();
  const organization = await readOrganization(deps.db, orgId);
  if (!organization) throw new Refusal('organization_not_found');
  const timeZone = organization.timeZone ?? 'UTC';
  const period = daysOfPeriod({ days, since, until }, timeZone, now);
  const { facts, complete } = await countedFacts(deps, orgId, period, {
    timeZone,
    now,
    begun: organization.createdAt.getTime(),
  });
  const matched = (days: readonly Day[]): FactGroup[][] =>
    days.map(({ day }) => matching(facts.get(day) ?? [], filter));
  const perDay = matched(period.days);
  const all = perDay.flat();
  const parts =
    by === 'day'
      ? period.days.map(({ day }, index) => ({ group: day, agentId: null, facts: perDay[index]! })).toReversed()
      : partsOf(by, all, filter.member_id);
  const [first, last] = [period.days[0]!, period.days.at(-1)!];
  return {
    by,
    since: first.day,
    until: last.day,
    time_zone: timeZone,
    from: timestamp(new Date(first.from)),
    to: timestamp(new Date(last.to)),
    complete,
    total: figuresOf(all),
    before: figuresOf(matched(period.before).flat()),
    days: period.days.map(({ day, from, to }, index) => presentDay({ day, from, to }, figuresOf(perDay[index]!))),
    data: await presentParts(deps, orgId, by, parts),
  };
}

type Counting = { timeZone: string; now: number; begun: number };
type Counted = { facts: Map<string, FactGroup[]>; complete: boolean };

/**
 * Only one count of an organization runs at a time in this process, so many readers need as much work as one reader. A
 * reader who waited for the count of another period gets `complete: false` and requests it again.
 */
const counting = new Map<string, Promise<boolean>>();

async function countedFacts(
  { db }: StatisticsDeps,
  orgId: string,
  { days, before }: Period,
  { timeZone, now, begun }: Counting,
): Promise<Counted> {
  // An organization has no conversations before its creation, nor in the future.
  const wanted = [...before, ...days].filter(({ from, to }) => to > begun && from <= now).toReversed();
  const read = async (): Promise<FactDay[]> =>
    (await readFactDays(db, orgId, before[0]!.day, days.at(-1)!.day)).filter(
      (one) => one.timeZone === timeZone && one.facts.rules === RULES,
    );
  const known = await read();
  if (isCounted(wanted, timesOf(known), now)) return { facts: groupsOf(known), complete: true };
  const other = counting.get(orgId);
  const count = async (): Promise<boolean> =>
    // Another reader's count may have ended after the read above.
    recountDays(wanted, timesOf(await read()), now, async (day) => {
      const facts = { rules: RULES, groups: groupFacts(await countFacts(db, orgId, day)) };
      await storeFactDay(db, orgId, { day: day.day, timeZone, facts, countedAt: new Date(now) });
    });
  const work = other ?? count().finally(() => counting.delete(orgId));
  if (other === undefined) counting.set(orgId, work);
  const isDone = await work;
  const counted = await read();
  const complete = other === undefined ? isDone : isCounted(wanted, timesOf(counted), now);
  return { facts: groupsOf(counted), complete };
}

const groupsOf = (days: readonly FactDay[]): Map<string, FactGroup[]> =>
  new Map(days.map(({ day, facts }) => [day, facts.groups]));

const presentDay = (
  { day, from, to }: Day,
  { conversations, answered, handed_over, unanswered }: AnalyticsFigures,
): Analytics['days'][number] => ({
  day,
  from: timestamp(new Date(from)),
  to: timestamp(new Date(to)),
  conversations,
  answered,
  handed_over,
  unanswered,
});

async function presentParts(
  { db }: StatisticsDeps,
  orgId: string,
  by: AnalyticsGroup,
  parts: readonly { group: string | null; agentId: string | null; facts: FactGroup[] }[],
): Promise<Analytics['data']> {
  const rows = parts
    .map(({ facts, ...part }) => ({ ...part, figures: figuresOf(facts) }))
    .filter(({ figures }) => figures.conversations > 0);
  if (by !== 'day') rows.sort((a, b) => b.figures.conversations - a.figures.conversations);
  const shown = rows.slice(0, MAX_GROUPS);
  const ids = shown.flatMap(({ group, agentId }) => (by === 'version' ? agentId : group) ?? []);
  const kind = by === 'version' ? 'agent' : by;
  const names = kind === 'day' ? new Map<string, string>() : await readGroupNames(db, orgId, kind, [...new Set(ids)]);
  return shown.map(({ group, agentId, figures }) => ({
    group,
    name: names.get((by === 'version' ? agentId : group) ?? '') ?? null,
    agent_id: agentId,
    figures,
  }));
}
