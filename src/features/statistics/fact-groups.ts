import type { AnalyticsFigures, AnalyticsGroup } from '../../../contract/dashboard/analytics.ts';
import type { FactGroup } from '../../store/schema/numbers.ts';
import type { ConversationFacts } from '../../store/statistics/count-facts.ts';
import { median } from './recount-days.ts';

/** A group of one day lists at most this many durations. With more durations, the median need not be exact. */
const MAX_TIMES = 5_000;

/** Groups the conversations of a day by agent, channel and other properties. */
export function groupFacts(conversations: readonly ConversationFacts[]): FactGroup[] {
  const groups = new Map<string, FactGroup>();
  for (const one of conversations) {
    const { agent, channel, version, trigger, campaign, members } = one;
    const circumstances = { agent, channel, version, trigger, campaign, members };
    const key = JSON.stringify(circumstances);
    let group = groups.get(key);
    if (!group) groups.set(key, (group = { ...circumstances, ...none() }));
    group.conversations++;
    for (const name of COUNTS) if (one[name]) group[name]++;
    for (const name of TIMES) {
      const seconds = one[name];
      if (seconds !== null && group[name].length < MAX_TIMES) group[name].push(Math.max(0, seconds));
    }
    if (one.score !== null) {
      group.ratings++;
      group.score += one.score;
    }
    addCosts(group.costs, one.costs);
  }
  return [...groups.values()];
}

const COUNTS = ['answered', 'handed_over', 'unanswered', 'resolved'] as const;
const TIMES = ['first_reply', 'team_reply', 'resolve'] as const;

const none = (): Omit<FactGroup, 'agent' | 'channel' | 'version' | 'trigger' | 'campaign' | 'members'> => ({
  conversations: 0,
  answered: 0,
  handed_over: 0,
  unanswered: 0,
  resolved: 0,
  first_reply: [],
  team_reply: [],
  resolve: [],
  ratings: 0,
  score: 0,
  costs: {},
});

function addCosts(to: Record<string, number>, costs: Readonly<Record<string, number>>): void {
  for (const [currency, cost] of Object.entries(costs)) to[currency] = (to[currency] ?? 0) + cost;
}

export type FactFilter = {
  agent_id?: string | undefined;
  channel_id?: string | undefined;
  version?: number | undefined;
  member_id?: string | undefined;
  trigger_id?: string | undefined;
  campaign_id?: string | undefined;
};

/** Returns the groups that match the filter. The reply time of the team belongs to the member who wrote first. */
export const matching = (groups: readonly FactGroup[], filter: FactFilter): FactGroup[] =>
  groups
    .filter(
      ({ agent, channel, version, trigger, campaign, members }) =>
        (filter.agent_id ?? agent) === agent &&
        (filter.channel_id ?? channel) === channel &&
        (filter.version ?? version) === version &&
        (filter.trigger_id ?? trigger) === trigger &&
        (filter.campaign_id ?? campaign) === campaign &&
        (filter.member_id === undefined || members.includes(filter.member_id)),
    )
    .map((group) => (filter.member_id === undefined ? group : ofMember(group, filter.member_id)));

const ofMember = (group: FactGroup, member: string): FactGroup =>
  group.members[0] === member ? group : { ...group, team_reply: [] };

/** One row of a table, with the name of its group and its conversations. */
export type Part = { group: string | null; agentId: string | null; facts: FactGroup[] };

/** A conversation with several members counts for each of these members. */
export function partsOf(by: Exclude<AnalyticsGroup, 'day'>, groups: readonly FactGroup[], member?: string): Part[] {
  const parts = new Map<string, Part>();
  const add = (group: string | null, agentId: string | null, facts: FactGroup): void => {
    const key = JSON.stringify([group, agentId]);
    const part = parts.get(key);
    if (part) part.facts.push(facts);
    else parts.set(key, { group, agentId, facts: [facts] });
  };
  for (const facts of groups) {
    if (by === 'agent') add(facts.agent, null, facts);
    else if (by === 'channel') add(facts.channel, null, facts);
    else if (by === 'version') add(facts.version === null ? null : String(facts.version), facts.agent, facts);
    else if (member !== undefined) add(member, null, facts);
    else if (facts.members.length === 0) add(null, null, facts);
    else for (const one of facts.members) add(one, null, ofMember(facts, one));
  }
  return [...parts.values()];
}

export function figuresOf(groups: readonly FactGroup[]): AnalyticsFigures {
  const sum = (name: 'conversations' | 'ratings' | 'score' | (typeof COUNTS)[number]): number =>
    groups.reduce((total, group) => total + group[name], 0);
  const middle = (name: (typeof TIMES)[number]): number | null => median(groups.flatMap((group) => group[name]));
  const ratings = sum('ratings');
  const costs: Record<string, number> = {};
  for (const group of groups) addCosts(costs, group.costs);
  return {
    conversations: sum('conversations'),
    answered: sum('answered'),
    handed_over: sum('handed_over'),
    unanswered: sum('unanswered'),
    resolved: sum('resolved'),
    first_reply_seconds: middle('first_reply'),
    team_reply_seconds: middle('team_reply'),
    resolve_seconds: middle('resolve'),
    ratings,
    rating: ratings === 0 ? null : sum('score') / ratings,
    cost: Object.entries(costs)
      .toSorted(([a], [b]) => a.localeCompare(b))
      .map(([currency, cost]) => ({ amount: decimal(cost), currency })),
  };
}

/** Rounds sums of fractions of a cent, because more digits would only show the error of the sum. */
const decimal = (value: number): string => value.toFixed(10).replace(/\.?0+$/, '');
