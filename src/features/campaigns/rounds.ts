import type { CampaignSettings } from '../../../contract/campaigns.ts';

/** The rounds of a campaign that repeats: when a day begins anywhere, and what its campaign is set to. */
export type Rounds = { days: readonly number[]; at: string };
export type Round = { day: string; at: Date };

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** The first people whose clocks show a time are 14 hours before UTC, the last 12 hours behind it. */
const FIRST_ZONE = 14 * HOUR;
const LAST_ZONE = 12 * HOUR;

/** The next rounds whose day begins after a moment. A round is due when its time has come for the first people. */
export function nextRounds({ days, at }: Rounds, after: Date, count: number): Round[] {
  const [hours, minutes] = at.split(':').map(Number) as [number, number];
  const rounds: Round[] = [];
  // A day of the week is at most a week away.
  for (let day = Math.floor(after.getTime() / DAY) * DAY; rounds.length < count; day += DAY) {
    const due = new Date(day + hours * HOUR + minutes * 60_000 - FIRST_ZONE);
    if (due > after && days.includes(weekday(day))) rounds.push({ day: dayOf(day), at: due });
  }
  return rounds;
}

/** When a day is over everywhere. */
export const endOfDay = (day: string): Date => new Date(Date.parse(day) + DAY + LAST_ZONE);

/** The settings of a round: those of the campaign, at this time of this day where each person is. */
export function roundSettings(original: CampaignSettings, at: string, day: string): CampaignSettings {
  const { window, starts_at: _, ...settings } = original;
  const to = window !== undefined && window.to > at ? window.to : '23:59';
  return {
    ...settings,
    window: { from: at, to, days: [weekday(Date.parse(day))] },
    ends_at: endOfDay(day).toISOString(),
  };
}

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
/** 1 is Monday. */
const weekday = (time: number): number => ((new Date(time).getUTCDay() + 6) % 7) + 1;
