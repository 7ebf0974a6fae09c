import { useState } from 'react';
import type { LocalizedText } from '../../../../../contract/agents.ts';
import type { HandOffRules } from '../../../../../contract/dashboard/hand-offs.ts';

export type HandOffDraft = {
  goesTo: HandOffRules['goes_to'];
  userId: string | null;
  hasHours: boolean;
  ranges: DayRange[];
  holidays: Holiday[];
  zone: string;
  outside: LocalizedText;
};

export type DayRange = { day: number; from: string; to: string };
export type Holiday = { date: string; name: string };
export type HandOffFault = 'member' | 'hours' | 'time' | 'holiday';

const WEEKDAYS = [1, 2, 3, 4, 5].map((day) => ({ day, from: '09:00', to: '17:00' }));

/** Holds the rules during editing. Values that are turned off stay in the fields until the page closes. */
export function useHandOffDraft(stored: HandOffRules, browserTimeZone: string) {
  const [first] = useState<HandOffDraft>(() => ({
    goesTo: stored.goes_to,
    userId: stored.user_id,
    hasHours: stored.hours !== null,
    ranges: stored.hours?.ranges ?? WEEKDAYS,
    holidays: (stored.hours?.holidays ?? []).map(({ date, name = '' }) => ({ date, name })),
    zone: stored.hours?.time_zone ?? browserTimeZone,
    outside: stored.outside ?? {},
  }));
  const [draft, setDraft] = useState(first);
  const [faults, setFaults] = useState<readonly HandOffFault[]>([]);
  return {
    draft,
    faults,
    edited: JSON.stringify(draft) !== JSON.stringify(first),
    change: (part: Partial<HandOffDraft>): void => {
      setDraft((before) => ({ ...before, ...part }));
      setFaults([]);
    },
    /** The result is null if a value is missing, and the form shows the fault. */
    body: (): HandOffRules | null => {
      const found = faultsOf(draft);
      setFaults(found);
      return found.length > 0 ? null : bodyOf(draft);
    },
  };
}

const faultsOf = ({ goesTo, userId, hasHours, ranges, holidays }: HandOffDraft): HandOffFault[] => [
  ...(goesTo === 'member' && userId === null ? (['member'] as const) : []),
  ...(hasHours && ranges.length === 0 ? (['hours'] as const) : []),
  ...(hasHours && ranges.some(({ from, to }) => from === '' || to === '') ? (['time'] as const) : []),
  ...(hasHours && holidays.some(({ date }) => date === '') ? (['holiday'] as const) : []),
];

function bodyOf({ goesTo, userId, hasHours, ranges, holidays, zone, outside }: HandOffDraft): HandOffRules {
  const texts = Object.entries(outside).filter(([, text]) => text.trim() !== '');
  return {
    goes_to: goesTo,
    user_id: goesTo === 'member' ? userId : null,
    hours: hasHours ? { ranges, holidays: holidays.map(holidayOf), time_zone: zone } : null,
    outside: hasHours && texts.length > 0 ? Object.fromEntries(texts) : null,
  };
}

const holidayOf = ({ date, name }: Holiday) => ({ date, ...(name.trim() !== '' && { name: name.trim() }) });
