import { expect, test } from 'vitest';
import { isWithin } from './working-hours.ts';

const at = (iso: string) => new Date(iso);

test('hours follow the time zone before and after a clock change', () => {
  const hours = {
    ranges: [1, 2, 3, 4, 5].map((day) => ({ day, from: '09:00', to: '17:00' })),
    time_zone: 'Europe/Berlin',
  };
  // Summer: 07:00 UTC is 09:00. Winter: 08:00 UTC is.
  expect(isWithin(hours, at('2026-10-23T06:59:00Z'))).toBe(false);
  expect(isWithin(hours, at('2026-10-23T07:00:00Z'))).toBe(true);
  expect(isWithin(hours, at('2026-10-26T07:30:00Z'))).toBe(false);
  expect(isWithin(hours, at('2026-10-26T08:00:00Z'))).toBe(true);
  expect(isWithin(hours, at('2026-10-26T16:00:00Z'))).toBe(false);
  // A Saturday.
  expect(isWithin(hours, at('2026-10-24T10:00:00Z'))).toBe(false);
});

test('hours over midnight belong to the day on which they begin', () => {
  const friday = { day: 5, from: '22:00', to: '06:00' };
  const hours = { ranges: [friday], time_zone: 'UTC' };
  expect(isWithin(hours, at('2026-10-23T21:59:00Z'))).toBe(false);
  expect(isWithin(hours, at('2026-10-23T22:00:00Z'))).toBe(true);
  expect(isWithin(hours, at('2026-10-24T05:59:00Z'))).toBe(true);
  expect(isWithin(hours, at('2026-10-24T06:00:00Z'))).toBe(false);
  expect(isWithin(hours, at('2026-10-23T05:00:00Z'))).toBe(false);
  expect(isWithin({ ...hours, ranges: [{ ...friday, day: 7 }] }, at('2026-10-26T01:00:00Z'))).toBe(true);
});

test('hours with equal start and end cover the whole day', () => {
  const hours = { ranges: [{ day: 1, from: '00:00', to: '00:00' }], time_zone: 'UTC' };
  expect(isWithin(hours, at('2026-10-26T00:00:00Z'))).toBe(true);
  expect(isWithin(hours, at('2026-10-26T23:59:00Z'))).toBe(true);
  expect(isWithin(hours, at('2026-10-27T00:00:00Z'))).toBe(false);
});

test('each day has its own hours, several a day, and none on a holiday', () => {
  const ranges = [
    { day: 1, from: '09:00', to: '12:00' },
    { day: 1, from: '14:00', to: '18:00' },
    { day: 2, from: '22:00', to: '02:00' },
  ];
  const hours = { ranges, time_zone: 'Asia/Qatar' };
  // Qatar is three hours ahead. 26 October 2026 is a Monday.
  expect(isWithin(hours, at('2026-10-26T06:00:00Z'))).toBe(true);
  expect(isWithin(hours, at('2026-10-26T09:30:00Z'))).toBe(false);
  expect(isWithin(hours, at('2026-10-26T11:00:00Z'))).toBe(true);
  expect(isWithin(hours, at('2026-10-27T06:00:00Z'))).toBe(false);
  expect(isWithin(hours, at('2026-10-27T20:00:00Z'))).toBe(true);
  const closed = { ...hours, holidays: [{ date: '2026-10-27' }] };
  expect(isWithin(closed, at('2026-10-26T11:00:00Z'))).toBe(true);
  expect(isWithin(closed, at('2026-10-27T20:00:00Z'))).toBe(false);
  // Wednesday at 01:00 in Qatar still belongs to the holiday on Tuesday.
  expect(isWithin(closed, at('2026-10-27T22:00:00Z'))).toBe(false);
  expect(isWithin(hours, at('2026-10-27T22:00:00Z'))).toBe(true);
});
