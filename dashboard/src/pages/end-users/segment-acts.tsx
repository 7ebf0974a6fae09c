import { Button, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { SegmentRecord } from '../../../../contract/dashboard/segments.ts';
import { MAX_NAME_CHARACTERS } from '../../../../contract/limits.ts';
import { useAct } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { NameDialog } from '../../parts/name-dialog.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { RemoveDialog } from '../../parts/remove-dialog.tsx';
import { segmentOf, useSegments } from '../../parts/segment-select.tsx';
import { segmentTexts } from '../../parts/segment-texts.ts';
import { useMay, useOrganization } from '../../session/session.ts';

type Filters = SegmentRecord['filters'];

/** Saves the current filters as a segment, or deletes the selected segment. */
export function SegmentActs({ filters, onGone }: { filters: Filters; onGone: () => void }): ReactNode {
  const say = useTexts(segmentTexts);
  const may = useMay('member');
  const current = segmentOf(useSegments() ?? [], filters);
  const [naming, setNaming] = useState(false);
  const [removing, setRemoving] = useState<SegmentRecord | null>(null);
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  if (!may) return null;
  return (
    <>
      {isFiltered && !current && (
        <Button size="compact-sm" variant="default" onClick={() => setNaming(true)}>
          {say('save')}
        </Button>
      )}
      {current && (
        <Button size="compact-sm" variant="subtle" color="gray" onClick={() => setRemoving(current)}>
          {say('remove', { name: `\u2068${current.name}\u2069` })}
        </Button>
      )}
      <Naming filters={filters} opened={naming} onClose={() => setNaming(false)} />
      <Removing item={removing} onClose={() => setRemoving(null)} onGone={onGone} />
    </>
  );
}

type NamingProps = { filters: Filters; opened: boolean; onClose: () => void };

function Naming({ filters, opened, onClose }: NamingProps): ReactNode {
  const say = useTexts(segmentTexts);
  const org_id = useOrganization().id;
  const create = useAct('createSegment', { refresh: ['listSegments'] });
  return (
    <NameDialog
      name={opened ? '' : null}
      onClose={onClose}
      title={say('save_title')}
      label={say('name')}
      maxLength={MAX_NAME_CHARACTERS}
      save={(name) => create.mutateAsync({ params: { org_id }, body: { name, filters: whole(filters) } })}
      onSaved={() => {
        onClose();
        notifyDone(say('saved'));
      }}
    />
  );
}

/** Returns the filters without empty filters. */
const whole = (filters: Filters): Filters =>
  Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));

type RemovingProps = { item: SegmentRecord | null; onClose: () => void; onGone: () => void };

function Removing({ item, onClose, onGone }: RemovingProps): ReactNode {
  const say = useTexts(segmentTexts);
  const org_id = useOrganization().id;
  return (
    <RemoveDialog
      input={item && { params: { org_id, segment_id: item.id } }}
      remove={useAct('deleteSegment', { refresh: ['listSegments'] })}
      title={say('remove_title')}
      act={say('remove_act')}
      removed={say('removed')}
      onClose={onClose}
      onRemoved={onGone}
    >
      <Text size="sm">{say.rich('remove_words', { name: <bdi>{item?.name}</bdi> })}</Text>
    </RemoveDialog>
  );
}
