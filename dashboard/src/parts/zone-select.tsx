import { Select, type SelectProps } from '@mantine/core';
import type { ReactNode } from 'react';

/** The browser names no zone for those who have none. */
export const ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];
/** More would be slow to draw; typing narrows it. */
const SHOWN = 60;

type Props = Omit<SelectProps, 'data' | 'onChange'> & { value: string; onChange: (zone: string) => void };

/** Time zones of the tz database, and whichever other one is chosen already. */
export function ZoneSelect({ value, onChange, ...rest }: Props): ReactNode {
  return (
    <Select
      searchable
      allowDeselect={false}
      limit={SHOWN}
      classNames={{ wrapper: 'ltr', option: 'ltr' }}
      data={ZONES.includes(value) ? ZONES : [value, ...ZONES]}
      value={value}
      onChange={(zone) => onChange(zone ?? 'UTC')}
      {...rest}
    />
  );
}
