import { useState } from 'react';
import type { LocalizedText } from '../../../../../contract/agents.ts';
import type { HandOffRules } from '../../../../../contract/dashboard/hand-offs.ts';

export type HandOffDraft = {
  goesTo: HandOffRules['goes_to'];
  userId: string | null;
  hasHours: boolean;
  days: number[];
  from: string;
  to: string;
  zone: string;
  outside: LocalizedText;
};

export type HandOffFault = 'member' | 'days' | 'from' | 'to';

/** The rules during editing. Values that are turned off stay in the fields until the page closes. */
export function useHandOffDraft(stored: HandOffRules) {
  const [first] = useState<HandOffDraft>(() => ({
    goesTo: stored.goes_to,
    userId: stored.user_id,
    hasHours: stored.hours !== null,
    days: stored.hours?.days ?? [1, 2, 3, 4, 5],
    from: stored.hours?.from ?? '09:00',
    to: stored.hours?.to ?? '17:00',
    zone: stored.hours?.time_zone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone,
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
    /** Null if a value is missing, which is then shown. */
    body: (): HandOffRules | null => {
      const found = faultsOf(draft);
      setFaults(found);
      return found.length > 0 ? null : bodyOf(draft);
    },
  };
}

const faultsOf = ({ goesTo, userId, hasHours, days, from, to }: HandOffDraft): HandOffFault[] => [
  ...(goesTo === 'member' && userId === null ? (['member'] as const) : []),
  ...(hasHours && days.length === 0 ? (['days'] as const) : []),
  ...(hasHours && from === '' ? (['from'] as const) : []),
  ...(hasHours && to === '' ? (['to'] as const) : []),
];

function bodyOf({ goesTo, userId, hasHours, days, from, to, zone, outside }: HandOffDraft): HandOffRules {
  const said = Object.entries(outside).filter(([, text]) => text.trim() !== '');
  return {
    goes_to: goesTo,
    user_id: goesTo === 'member' ? userId : null,
    hours: hasHours ? { days: days.toSorted((a, b) => a - b), from, to, time_zone: zone } : null,
    outside: hasHours && said.length > 0 ? Object.fromEntries(said) : null,
  };
}
