import { expect, test, vi } from 'vitest';
import { momentOf } from './local-moment.ts';

const MOMENTS: [string, string, string][] = [
  ['Asia/Kathmandu', '2026-11-27T00:00', '2026-11-26T18:15:00.000Z'],
  // On the first three days, the clock goes back over midnight. On the other days, midnight does not exist.
  ['Atlantic/Azores', '2026-10-25T00:00', '2026-10-25T00:00:00.000Z'],
  ['America/Nuuk', '2026-10-25T00:00', '2026-10-25T02:00:00.000Z'],
  ['America/Havana', '2026-11-01T00:00', '2026-11-01T04:00:00.000Z'],
  ['Asia/Beirut', '2026-03-29T00:00', '2026-03-28T22:00:00.000Z'],
  ['Pacific/Apia', '2011-12-30T00:00', '2011-12-30T10:00:00.000Z'],
  ['Europe/Berlin', '2026-10-25T02:30', '2026-10-25T00:30:00.000Z'],
  ['Europe/Berlin', '2026-03-29T02:30', '2026-03-29T01:30:00.000Z'],
  ['Australia/Lord_Howe', '2026-04-05T01:45', '2026-04-04T14:45:00.000Z'],
];

test.each(['UTC', 'Atlantic/Azores', 'America/New_York', 'Asia/Beirut'])(
  'a local time is the same moment in a process whose time zone is %s',
  (timeZone) => {
    vi.stubEnv('TZ', timeZone);
    expect(new Intl.DateTimeFormat().resolvedOptions().timeZone).toBe(timeZone);
    for (const [zone, local, moment] of MOMENTS)
      expect(new Date(momentOf(Date.parse(`${local}Z`), zone)).toISOString(), `${zone} ${local}`).toBe(moment);
  },
);
