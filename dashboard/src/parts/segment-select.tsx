import { Select } from '@mantine/core';
import type { ReactNode } from 'react';
import type { SegmentRecord } from '../../../contract/dashboard/segments.ts';
import { useRead } from '../api/queries.ts';
import { useTexts } from '../language/texts.tsx';
import { useOrganization } from '../session/session.ts';
import { segmentTexts } from './segment-texts.ts';

type Filters = SegmentRecord['filters'];
type Props = {
  /** The current filters. If the current filters equal those of a segment, this segment is shown as selected. */
  filters: Filters;
  onChoose: (filters: Filters) => void;
  label?: string;
  disabled?: boolean;
};

/** Applies the filters of a segment. Renders nothing if the organization has no segments. */
export function SegmentSelect({ filters, onChoose, label, disabled }: Props): ReactNode {
  const say = useTexts(segmentTexts);
  const segments = useSegments();
  if (segments === undefined || segments.length === 0) return null;
  return (
    <Select
      {...(label === undefined ? { 'aria-label': say('segment') } : { label })}
      placeholder={say('choose')}
      w={label === undefined ? 190 : undefined}
      clearable
      searchable
      disabled={disabled}
      data={segments.map(({ id, name }) => ({ value: id, label: name }))}
      value={segmentOf(segments, filters)?.id ?? null}
      onChange={(id) => onChoose(segments.find((one) => one.id === id)?.filters ?? {})}
    />
  );
}

/** The result is undefined before the segments are read. */
export function useSegments(): SegmentRecord[] | undefined {
  const org_id = useOrganization().id;
  return useRead('listSegments', { params: { org_id } }).data?.data;
}

export const segmentOf = (segments: readonly SegmentRecord[], filters: Filters): SegmentRecord | undefined =>
  segments.find((one) => textOf(one.filters) === textOf(filters));

const textOf = ({ text, tag, attribute, blocked }: Filters): string =>
  JSON.stringify([text ?? '', tag ?? '', attribute ?? '', blocked ?? false]);
