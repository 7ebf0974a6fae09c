import { expect, test, vi } from 'vitest';
import { daysOfPeriod } from './days-of-period.ts';

test.each(['UTC', 'Europe/Warsaw', 'America/New_York'])(
  'in a process whose time zone is %s, each day begins with the first moment of its date',
  (timeZone) => {
    vi.stubEnv('TZ', timeZone);
    for (const zone of ['Atlantic/Azores', 'America/Nuuk', 'Asia/Beirut', 'America/Santiago']) {
      const date = new Intl.DateTimeFormat('en-CA', { timeZone: zone });
      const { days, before } = daysOfPeriod({ since: '2026-09-01', until: '2026-11-30' }, zone, Date.now());
      for (const { day, from } of [...before, ...days])
        expect([date.format(from), date.format(from - 1) < day], `${zone} ${day}`).toEqual([day, true]);
    }
  },
);
