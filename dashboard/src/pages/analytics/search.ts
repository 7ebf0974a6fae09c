import { dayIn, numberIn, oneOfIn, textIn, type RawSearch } from '../../list/read-search.ts';

/** A copy of the contract's list, because an import would also load the schemas in that file. */
export const GROUPS = ['day', 'agent', 'version', 'channel', 'member'] as const;
export type Group = (typeof GROUPS)[number];

/** The numbers of days that a member can choose. If the URL has neither a number nor a first day, the number is 30. */
export const DAYS = [7, 30, 90] as const;

/** A copy of the limit of the contract. */
export const MAX_DAYS = 184;

export type AnalyticsFilters = {
  agent_id?: string;
  version?: number;
  channel_id?: string;
  member_id?: string;
  trigger_id?: string;
  campaign_id?: string;
};
export type AnalyticsSearch = AnalyticsFilters & { by?: Group; days?: number; since?: string; until?: string };

export const readAnalyticsSearch = (raw: RawSearch): AnalyticsSearch => {
  const agent_id = textIn(raw, 'agent_id');
  const since = dayIn(raw, 'since');
  return {
    by: oneOfIn(raw, 'by', GROUPS),
    // A first day replaces the number of days.
    days: since === undefined ? DAYS.find((days) => days === raw['days']) : undefined,
    since,
    until: dayIn(raw, 'until'),
    agent_id,
    // Version numbers belong to one agent.
    version: agent_id === undefined ? undefined : numberIn(raw, 'version'),
    channel_id: textIn(raw, 'channel_id'),
    member_id: textIn(raw, 'member_id'),
    trigger_id: textIn(raw, 'trigger_id'),
    campaign_id: textIn(raw, 'campaign_id'),
  };
};
