import { Select, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import {
  DEFAULT_PAGES_PER_SOURCE,
  MAX_PAGES_PER_SOURCE,
  SOURCE_KINDS,
  SOURCE_SCHEDULES,
} from '../../../../contract/dashboard/document-sources.ts';
import { useAct } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { NumberField } from '../../parts/number-field.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { useCheckedForm } from '../../parts/use-checked-form.ts';
import { useOrganization } from '../../session/session.ts';
import { sourceTexts } from './document-source-texts.ts';

type Props = { agentId: string; opened: boolean; onClose: () => void };

export function AddSiteDialog(props: Props): ReactNode {
  const say = useTexts(sourceTexts);
  return (
    <Dialog opened={props.opened} onClose={props.onClose} closeOnClickOutside={false} title={say('add_site')}>
      <Form {...props} />
    </Dialog>
  );
}

function Form({ agentId, onClose }: Props): ReactNode {
  const say = useTexts(sourceTexts);
  const org_id = useOrganization().id;
  const create = useAct('createSource', { refresh: ['listSources'] });
  const [kind, setKind] = useState<(typeof SOURCE_KINDS)[number]>('site');
  const [schedule, setSchedule] = useState<(typeof SOURCE_SCHEDULES)[number]>('weekly');
  const [maxPages, setMaxPages] = useState<number | undefined>(DEFAULT_PAGES_PER_SOURCE);
  const form = useCheckedForm({ url: '' }, () => ({
    url: (value) => (URL.canParse(whole(value)) ? null : say('url_required')),
  }));
  const submit = form.submit(({ url }) =>
    create.mutate(
      {
        params: { org_id, agent_id: agentId },
        body: { url: whole(url), kind, schedule, ...(maxPages !== undefined && { max_pages: maxPages }) },
      },
      {
        onSuccess: () => {
          onClose();
          notifyDone(say('site_added'));
        },
        onError: form.place,
      },
    ),
  );
  return (
    <DialogForm
      onSubmit={submit}
      act={say('add_site')}
      busy={create.isPending}
      problem={form.unplaced(create.error)}
      onCancel={onClose}
    >
      <TextInput
        label={say('site')}
        description={kind === 'site' ? say('site_hint') : undefined}
        placeholder="https://example.com/help/"
        withAsterisk
        dir="ltr"
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('url')}
      />
      <Select
        label={say('kind')}
        allowDeselect={false}
        value={kind}
        data={SOURCE_KINDS.toReversed().map((value) => ({ value, label: say(`kind_${value}`) }))}
        onChange={(value) => value && setKind(value)}
      />
      <Select
        label={say('schedule')}
        allowDeselect={false}
        value={schedule}
        data={SOURCE_SCHEDULES.map((value) => ({ value, label: say(`schedule_${value}`) }))}
        onChange={(value) => value && setSchedule(value)}
      />
      {kind !== 'page' && (
        <NumberField
          label={say('max_pages')}
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

/** People often type "example.com" without a scheme. */
const whole = (url: string): string => (/^[a-z][a-z0-9+.-]*:/i.test(url.trim()) ? url.trim() : `https://${url.trim()}`);
