import { describe, expect, test, vi } from 'vitest';
import { nextOpening, rememberOpenings } from './quiet-hours.ts';

const at = (text: string) => new Date(text);
const next = (hours: Parameters<typeof nextOpening>[0], zone: string, moment: string) =>
  nextOpening(hours, zone, at(moment))?.toISOString() ?? null;

describe('quiet hours', () => {
  const night = { quiet_hours: { from: '21:00', to: '08:00' } };
  test.each([
    ['Asia/Qatar', '2026-11-21T12:00:00.000Z', '2026-11-21T12:00:00.000Z'],
    ['Asia/Qatar', '2026-11-21T18:00:00.000Z', '2026-11-22T05:00:00.000Z'],
    ['Asia/Qatar', '2026-11-22T04:59:00.000Z', '2026-11-22T05:00:00.000Z'],
    ['Asia/Qatar', '2026-11-22T05:00:00.000Z', '2026-11-22T05:00:00.000Z'],
    ['America/New_York', '2026-11-22T02:00:00.000Z', '2026-11-22T13:00:00.000Z'],
    ['Asia/Kolkata', '2026-11-21T20:00:00.000Z', '2026-11-22T02:30:00.000Z'],
  ])('in %s, the next allowed time after %s is %s', (zone, moment, expected) =>
    expect(next(night, zone, moment)).toBe(expected),
  );

  test.each([
    // Europe/Berlin: clocks go forward on 29 March 2026 and back on 25 October 2026.
    ['the night clocks go forward is an hour shorter', '2026-03-28T20:00:00.000Z', '2026-03-29T06:00:00.000Z'],
    ['the night clocks go back is an hour longer', '2026-10-24T19:00:00.000Z', '2026-10-25T07:00:00.000Z'],
    ['the night before is neither', '2026-03-27T20:00:00.000Z', '2026-03-28T07:00:00.000Z'],
  ])('%s', (_, moment, expected) => expect(next(night, 'Europe/Berlin', moment)).toBe(expected));

  test('quiet hours that would end in an hour that the clock skips end at the start of that hour', () => {
    const night = { quiet_hours: { from: '22:00', to: '02:30' } };
    expect(next(night, 'America/New_York', '2027-03-14T05:00:00.000Z')).toBe('2027-03-14T07:00:00.000Z');
    // On Lord Howe, the clock skips half an hour.
    const island = { quiet_hours: { from: '22:00', to: '02:10' } };
    expect(next(island, 'Australia/Lord_Howe', '2026-10-03T14:00:00.000Z')).toBe('2026-10-03T15:30:00.000Z');
    const hours = { quiet_hours: { from: '22:00', to: '02:30' } };
    expect(next(hours, 'Europe/Berlin', '2026-03-28T23:00:00.000Z')).toBe('2026-03-29T01:00:00.000Z');
  });

  test.each([
    // New York: 01:00 to 02:00 comes twice on 7 November 2027; on Lord Howe 01:30 to 02:00 does on 4 April 2027.
    ['the first time', 'America/New_York', '01:30', '2027-11-07T05:10:00.000Z', '2027-11-07T05:30:00.000Z'],
    ['the second time', 'America/New_York', '01:30', '2027-11-07T06:10:00.000Z', '2027-11-07T06:30:00.000Z'],
    ['the first half hour', 'Australia/Lord_Howe', '01:45', '2027-04-03T14:35:00.000Z', '2027-04-03T14:45:00.000Z'],
    ['the second half hour', 'Australia/Lord_Howe', '01:45', '2027-04-03T15:05:00.000Z', '2027-04-03T15:15:00.000Z'],
  ])('quiet hours end twice if the clock repeats their end: %s', (_, zone, to, moment, expected) =>
    expect(next({ quiet_hours: { from: '22:00', to } }, zone, moment)).toBe(expected),
  );
});

test.each(['UTC', 'America/New_York', 'Europe/Warsaw'])(
  'the night on which clocks go back has one end, in a process whose time zone is %s',
  (timeZone) => {
    vi.stubEnv('TZ', timeZone);
    const nightUntil = (to: string) => ({ quiet_hours: { from: '21:00', to } });
    const moment = '2026-10-25T00:00:00.000Z';
    expect(next(nightUntil('02:30'), 'Atlantic/Azores', moment)).toBe('2026-10-25T03:30:00.000Z');
    expect(next(nightUntil('00:30'), 'America/Nuuk', moment)).toBe('2026-10-25T02:30:00.000Z');
  },
);

describe('a window', () => {
  const office = { window: { from: '09:00', to: '17:00', days: [1, 2, 3, 4, 5] } };
  test.each([
    ['a Friday at noon', '2026-11-20T09:00:00.000Z', '2026-11-20T09:00:00.000Z'],
    ['a Friday evening waits for Monday', '2026-11-20T14:00:00.000Z', '2026-11-23T06:00:00.000Z'],
    ['a Sunday waits for Monday', '2026-11-22T09:00:00.000Z', '2026-11-23T06:00:00.000Z'],
    ['an early Monday waits for nine', '2026-11-23T03:00:00.000Z', '2026-11-23T06:00:00.000Z'],
  ])('%s', (_, moment, expected) => expect(next(office, 'Asia/Qatar', moment)).toBe(expected));

  test('a window that crosses midnight belongs to the day on which it begins', () => {
    const late = { window: { from: '22:00', to: '02:00', days: [5] } };
    expect(next(late, 'UTC', '2026-11-21T01:00:00.000Z')).toBe('2026-11-21T01:00:00.000Z');
    expect(next(late, 'UTC', '2026-11-21T02:00:00.000Z')).toBe('2026-11-27T22:00:00.000Z');
    expect(next(late, 'UTC', '2026-11-20T01:00:00.000Z')).toBe('2026-11-20T22:00:00.000Z');
  });

  test('a weekly window that has just closed opens again a week later', () => {
    const monday = { window: { from: '09:00', to: '10:00', days: [1] } };
    expect(next(monday, 'UTC', '2026-11-23T10:00:00.000Z')).toBe('2026-11-30T09:00:00.000Z');
  });

  test('if a clock change skips the hours of a weekly window, the window opens a week later', () => {
    const sunday = { window: { from: '02:00', to: '03:00', days: [7] } };
    expect(next(sunday, 'America/New_York', '2027-03-08T15:00:00.000Z')).toBe('2027-03-21T06:00:00.000Z');
    const midnight = { window: { from: '00:00', to: '00:30', days: [5] } };
    expect(next(midnight, 'Africa/Cairo', '2027-04-23T12:00:00.000Z')).toBe('2027-05-06T21:00:00.000Z');
  });

  test('a window inside the quiet hours never opens', () => {
    const never = { window: { from: '22:00', to: '23:00' }, quiet_hours: { from: '21:00', to: '08:00' } };
    expect(next(never, 'UTC', '2026-11-21T12:00:00.000Z')).toBeNull();
  });

  test('a window with equal start and end is the whole day', () => {
    expect(next({ window: { from: '00:00', to: '00:00', days: [7] } }, 'UTC', '2026-11-21T12:00:00.000Z')).toBe(
      '2026-11-22T00:00:00.000Z',
    );
  });
});

test('a campaign without hours may send at any time', () => {
  expect(next({}, 'UTC', '2026-11-21T03:00:00.000Z')).toBe('2026-11-21T03:00:00.000Z');
});

describe('with a memory', () => {
  test('the cache does not change the results, for random hours, zones and increasing times', () => {
    let seed = 20_261_123;
    const chance = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
    const clock = () => `${String(chance(24)).padStart(2, '0')}:${['00', '15', '30'][chance(3)]}`;
    const zones = ['Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Apia', 'UTC'];
    for (let round = 0; round < 25; round++) {
      const days = [1, 2, 3, 4, 5, 6, 7].filter(() => chance(3) > 0);
      const hours = {
        ...(chance(4) > 0 && { window: { from: clock(), to: clock(), ...(days.length > 0 && { days }) } }),
        ...(chance(2) > 0 && { quiet_hours: { from: clock(), to: clock() } }),
      };
      const remembered = rememberOpenings(hours);
      // Days around both clock changes of Berlin, New York and Lord Howe.
      let time = at(['2026-03-05T00:00:00Z', '2026-10-01T00:00:00Z'][chance(2)]!).getTime();
      for (let step = 0; step < 40; step++) {
        time += [1_000, 59_000, 600_000, 3_600_000, 40_000_000, 400_000_000][chance(6)]! + chance(1_000);
        const zone = zones[chance(2) === 0 ? 0 : chance(zones.length)]!;
        const moment = new Date(time);
        expect(remembered(zone, moment), `${JSON.stringify(hours)} ${zone} ${moment.toISOString()}`).toEqual(
          nextOpening(hours, zone, moment),
        );
      }
    }
  });
});
