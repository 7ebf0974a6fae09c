import { endOfDay, scheduledStart, weekday } from '../../../contract/schedule-days.ts';
import type { CampaignSettings } from '../../../contract/campaigns.ts';
import { nextOpening } from './quiet-hours.ts';

/**
 * Returns the settings of a campaign that a schedule starts, which are the original's settings from the given time of
 * the given day.
 */
export function scheduledSettings(original: CampaignSettings, at: string, day: string): CampaignSettings {
  const { window, ends_at: end, ...settings } = original;
  const to = window !== undefined && window.to > at ? window.to : '23:59';
  const over = endOfDay(day);
  return {
    ...settings,
    window: { from: at, to, days: [weekday(day)] },
    ends_at: (end && Date.parse(end) < over.getTime() ? new Date(end) : over).toISOString(),
  };
}

/** True if the hours of the campaign leave a time to send. Quiet hours may cover the whole day. */
export function hasAllowedTime(settings: CampaignSettings, at: string, day: string): boolean {
  if (at >= '23:59') return false;
  const { starts_at: _, ends_at: __, ...hours } = scheduledSettings(settings, at, day);
  const opens = nextOpening(hours, 'UTC', scheduledStart(day, at));
  return opens !== null && opens < endOfDay(day);
}
