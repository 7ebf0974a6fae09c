import { Chip, Group, Input } from '@mantine/core';
import type { ReactNode } from 'react';
import { useLanguage } from '../language/texts.tsx';

export const WEEK = [1, 2, 3, 4, 5, 6, 7];

type Props = {
  label: string;
  days: readonly number[];
  onChange: (days: number[]) => void;
  readOnly?: boolean;
  error?: ReactNode;
};

/** Selects days of the week. 1 is Monday. */
export function DayChips({ label, days, onChange, readOnly = false, error }: Props): ReactNode {
  const language = useLanguage();
  return (
    <Input.Wrapper label={label} labelElement="div" error={error}>
      <Chip.Group multiple value={days.map(String)} onChange={(chosen) => onChange(chosen.map(Number))}>
        <Group gap={6} mt={4} role="group" aria-label={label}>
          {WEEK.map((day) => (
            <Chip key={day} value={String(day)} size="sm" disabled={readOnly}>
              {weekday(language, day, 'short')}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
    </Input.Wrapper>
  );
}

/** The date 1 January 2024 is a Monday. */
export const weekday = (language: string, day: number, form: 'short' | 'long' = 'long'): string =>
  new Intl.DateTimeFormat(language, { weekday: form, timeZone: 'UTC' }).format(new Date(Date.UTC(2024, 0, day)));
