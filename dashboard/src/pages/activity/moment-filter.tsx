import type { ReactNode } from 'react';
import { MomentField } from '../../parts/moment-field.tsx';

type Props = { label: string; at: string | undefined; onChange: (at: string | undefined) => void };

/** In the row of filters, the label is inside the field. */
export function MomentFilter({ label, at, onChange }: Props): ReactNode {
  return (
    <MomentField
      aria-label={label}
      leftSection={<small>{label}</small>}
      leftSectionWidth={48}
      w={236}
      at={at}
      onChange={onChange}
    />
  );
}
