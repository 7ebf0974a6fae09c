import { Select, type SelectProps } from '@mantine/core';
import type { ReactNode } from 'react';

/** The browser's list of time zones lacks UTC. */
export const ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];
/** A longer list would be slow to draw, and typing filters the list. */
const SHOWN = 60;

type Props = Omit<SelectProps, 'data' | 'onChange'> & { value: string; onChange: (zone: string) => void };

/** Lists the time zones of the tz database, and the currently selected zone. */
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
