import { describe, expect, it } from 'vitest';
import { nextOpening } from './quiet-hours.ts';
import { endOfDay, nextStarts } from '../../../contract/schedule-days.ts';
import { hasAllowedTime, scheduledSettings } from './scheduled-settings.ts';

const MONDAYS_AND_FRIDAYS = { days: [1, 5], at: '09:00' };

describe('the days and settings of a schedule', () => {
  it('a scheduled day is due when its time is reached in the easternmost time zone, and days are due in order', () => {
    // 2026-11-23 is a Monday.
    expect(nextStarts(MONDAYS_AND_FRIDAYS, new Date('2026-11-20T12:00:00Z'), 3)).toEqual([
      { day: '2026-11-23', at: new Date('2026-11-22T19:00:00Z') },
      { day: '2026-11-27', at: new Date('2026-11-26T19:00:00Z') },
      { day: '2026-11-30', at: new Date('2026-11-29T19:00:00Z') },
    ]);
  });

  it('a scheduled day is no longer offered after its time is reached in the easternmost time zone', () => {
    const [first] = nextStarts(MONDAYS_AND_FRIDAYS, new Date('2026-11-22T18:59:59.999Z'), 1);
    const [second] = nextStarts(MONDAYS_AND_FRIDAYS, new Date('2026-11-22T19:00:00Z'), 1);
    expect([first!.day, second!.day]).toEqual(['2026-11-23', '2026-11-27']);
  });

  it('a day is due at the right time, also at an early or late hour, when UTC shows another day', () => {
    const late = { days: [3], at: '23:30' };
    expect(nextStarts(late, new Date('2026-11-24T00:00:00Z'), 1)).toEqual([
      { day: '2026-11-25', at: new Date('2026-11-25T09:30:00Z') },
    ]);
    const early = { days: [3], at: '00:00' };
    expect(nextStarts(early, new Date('2026-11-23T00:00:00Z'), 1)).toEqual([
      { day: '2026-11-25', at: new Date('2026-11-24T10:00:00Z') },
    ]);
  });

  it.each(['Pacific/Kiritimati', 'Asia/Qatar', 'UTC', 'America/New_York', 'Pacific/Pago_Pago'])(
    'people in %s get their message at the scheduled local time',
    (zone) => {
      const [first] = nextStarts(MONDAYS_AND_FRIDAYS, new Date('2026-11-20T12:00:00Z'), 1);
      const settings = scheduledSettings({ time_zone: 'UTC' }, '09:00', first!.day);
      const opens = nextOpening(settings, zone, first!.at)!;
      const localTime = new Intl.DateTimeFormat('sv', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
      expect(localTime.format(opens)).toBe('2026-11-23 09:00');
      expect(opens < endOfDay(first!.day)).toBe(true);
    },
  );

  it('the scheduled time changes only the start of the hours, and their end if it would be earlier', () => {
    const settings = {
      opening: { text: { default: 'Hi' } },
      per_minute: 10,
      starts_at: '2026-01-01T00:00:00Z',
      window: { from: '08:00', to: '20:00', days: [7] },
    };
    expect(scheduledSettings(settings, '09:00', '2026-11-23')).toEqual({
      opening: { text: { default: 'Hi' } },
      per_minute: 10,
      starts_at: '2026-01-01T00:00:00Z',
      window: { from: '09:00', to: '20:00', days: [1] },
      ends_at: '2026-11-24T12:00:00.000Z',
    });
    const ends_at = '2026-11-23T18:00:00.000Z';
    expect(scheduledSettings({ ends_at }, '09:00', '2026-11-23').ends_at).toBe(ends_at);
    expect(scheduledSettings(settings, '21:00', '2026-11-23').window).toEqual({
      from: '21:00',
      to: '23:59',
      days: [1],
    });
  });

  it('monthly starts are on one day of each month, or on its last day, also in February', () => {
    const days = (monthDay: number, from: string, count: number): string[] =>
      nextStarts({ days: [], monthDay, at: '09:00' }, new Date(from), count).map(({ day }) => day);
    expect(days(31, '2027-01-15T00:00:00Z', 4)).toEqual(['2027-01-31', '2027-02-28', '2027-03-31', '2027-04-30']);
    expect(days(30, '2028-02-01T00:00:00Z', 2)).toEqual(['2028-02-29', '2028-03-30']);
    expect(days(1, '2026-11-30T00:00:00Z', 2)).toEqual(['2026-12-01', '2027-01-01']);
    // It has begun where the day begins first.
    expect(days(1, '2026-11-30T20:00:00Z', 1)).toEqual(['2027-01-01']);
  });

  it('only one campaign starts on a day, even if the scheduled time of day changes', () => {
    const daily = { days: [1, 2, 3, 4, 5, 6, 7], at: '23:00' };
    const [next] = nextStarts(daily, new Date('2026-11-23T00:00:00Z'), 1, '2026-11-23');
    expect(next!.day).toBe('2026-11-24');
  });

  it('a scheduled campaign needs an allowed time outside the quiet hours', () => {
    const quiet_hours = { from: '21:00', to: '08:00' };
    expect(hasAllowedTime({ quiet_hours }, '20:00', '2026-11-23')).toBe(true);
    expect(hasAllowedTime({ quiet_hours }, '22:00', '2026-11-23')).toBe(false);
    expect(hasAllowedTime({}, '23:59', '2026-11-23')).toBe(false);
    expect(hasAllowedTime({}, '23:58', '2026-11-23')).toBe(true);
  });
});
