import { endOfDay, startOfRound, weekday } from '../../../contract/campaign-rounds.ts';
import type { CampaignSettings } from '../../../contract/campaigns.ts';
import { nextOpening } from './opening-hours.ts';

/** The settings of a round: those of the campaign, starting at this time of this day in each person's local time. */
export function roundSettings(original: CampaignSettings, at: string, day: string): CampaignSettings {
  const { window, ends_at: end, ...settings } = original;
  const to = window !== undefined && window.to > at ? window.to : '23:59';
  const over = endOfDay(day);
  return {
    ...settings,
    window: { from: at, to, days: [weekday(day)] },
    ends_at: (end && Date.parse(end) < over.getTime() ? new Date(end) : over).toISOString(),
  };
}

/** Whether the hours of the campaign contain a time for a round, because quiet hours may cover the whole day. */
export function hasMoment(settings: CampaignSettings, at: string, day: string): boolean {
  if (at >= '23:59') return false;
  const { starts_at: _, ends_at: __, ...hours } = roundSettings(settings, at, day);
  const opens = nextOpening(hours, 'UTC', startOfRound(day, at));
  return opens !== null && opens < endOfDay(day);
}
