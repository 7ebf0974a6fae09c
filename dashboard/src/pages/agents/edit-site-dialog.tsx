import { Select } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import {
  MAX_PAGES_PER_SOURCE,
  SOURCE_SCHEDULES,
  type SourceRecord,
} from '../../../../contract/dashboard/document-sources.ts';
import { useAct } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { NumberField } from '../../parts/number-field.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { useOrganization } from '../../session/session.ts';
import { sourceTexts } from './document-source-texts.ts';

type Props = { agentId: string; item: SourceRecord | null; onClose: () => void };

/**
 * Sets the time at which a site is read again, and its number of pages. The URL cannot be changed, because another URL is another site.
 */
export function EditSiteDialog({ agentId, item, onClose }: Props): ReactNode {
  const say = useTexts(sourceTexts);
  return (
    <Dialog opened={item !== null} onClose={onClose} closeOnClickOutside={false} title={say('edit_title')}>
      {item && <Form agentId={agentId} item={item} onClose={onClose} />}
    </Dialog>
  );
}

function Form({ agentId, item, onClose }: Props & { item: SourceRecord }): ReactNode {
  const say = useTexts(sourceTexts);
  const org_id = useOrganization().id;
  const update = useAct('updateSource', { refresh: ['listSources'] });
  const [schedule, setSchedule] = useState(item.schedule);
  const [maxPages, setMaxPages] = useState<number | undefined>(item.max_pages);
  const onSuccess = (): void => {
    onClose();
    notifyDone(say('edited'));
  };
  const save = (): void => {
    // Another member may have changed the other field.
    const body = {
      ...(schedule !== item.schedule && { schedule }),
      ...(maxPages !== undefined && maxPages !== item.max_pages && { max_pages: maxPages }),
    };
    if (Object.keys(body).length === 0) return onSuccess();
    update.mutate({ params: { org_id, agent_id: agentId, source_id: item.id }, body }, { onSuccess });
  };
  return (
    <DialogForm
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
      act={say('edit_save')}
      busy={update.isPending}
      problem={update.error}
      onCancel={onClose}
    >
      <Select
        label={say('schedule')}
        allowDeselect={false}
        value={schedule}
        data={SOURCE_SCHEDULES.map((value) => ({ value, label: say(`schedule_${value}`) }))}
        onChange={(value) => value && setSchedule(value)}
        data-autofocus
      />
      {item.kind !== 'page' && (
        <NumberField
          label={say('max_pages')}
          description={say('edit_limit_hint')}
          min={1}
          max={MAX_PAGES_PER_SOURCE}
          allowDecimal={false}
          value={maxPages}
          onChange={setMaxPages}
        />
      )}
    </DialogForm>
  );
}
