import { Checkbox, Radio, Stack, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { WebhookRecord } from '../../../../../../contract/dashboard/webhooks.ts';
import { EVENT_TYPES, type EventType } from '../../../../../../contract/event-types.ts';
import { Problem } from '../../../../api/client.ts';
import { useTexts } from '../../../../language/texts.tsx';
import { DialogForm } from '../../../../parts/dialog-form.tsx';
import { Dialog } from '../../../../parts/dialog.tsx';
import { useCheckedForm } from '../../../../parts/use-checked-form.ts';
import { texts } from './texts.ts';
import deliveryClasses from '../../../../parts/event-deliveries/event-deliveries.module.css';
import classes from './webhooks.module.css';

export type EndpointDraft = { url: string; description: string; types: EventType[] };

type Props = {
  opened: boolean;
  title: string;
  act: string;
  /** The current values. */
  item?: WebhookRecord;
  onClose: () => void;
  /** The promise rejects with a Problem. */
  onSubmit: (draft: EndpointDraft) => Promise<void>;
};

/** The dialog has URL, description and types of an endpoint, for creating or changing it. */
export function WebhookDialog({ opened, title, onClose, ...form }: Props): ReactNode {
  return (
    <Dialog opened={opened} onClose={onClose} title={title} size={620} closeOnClickOutside={false}>
      <Fields {...form} onClose={onClose} />
    </Dialog>
  );
}

function Fields({ act, item, onClose, onSubmit }: Omit<Props, 'opened' | 'title'>): ReactNode {
  const say = useTexts(texts);
  const [types, setTypes] = useState<readonly string[]>(item?.types ?? []);
  const [some, setSome] = useState(types.length > 0);
  const [fault, setFault] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const form = useCheckedForm({ url: item?.url ?? '', description: item?.description ?? '' }, () => ({
    url: (value) => (/^https?:\/\/[^\s/]+/.test(value.trim()) ? null : say('url_wrong')),
  }));
  const send = async ({ url, description }: { url: string; description: string }): Promise<void> => {
    if (some && types.length === 0) return setFault(true);
    setBusy(true);
    setProblem(null);
    try {
      const chosen = EVENT_TYPES.filter((type) => types.includes(type));
      await onSubmit({ url: url.trim(), description: description.trim(), types: some ? chosen : [] });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      form.place(error);
      setProblem(form.unplaced(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <DialogForm
      onSubmit={form.submit((values) => void send(values))}
      act={act}
      busy={busy}
      problem={problem}
      onCancel={onClose}
    >
      <TextInput
        label={say('url')}
        description={say('url_hint')}
        type="url"
        maxLength={2048}
        autoComplete="off"
        spellCheck={false}
        classNames={{ input: 'ltr' }}
        data-autofocus
        {...form.getInputProps('url')}
      />
      <TextInput
        label={say('description')}
        description={say('description_hint')}
        maxLength={200}
        dir="auto"
        {...form.getInputProps('description')}
      />
      <Radio.Group
        label={say('events')}
        value={some ? 'some' : 'all'}
        onChange={(value) => {
          setSome(value === 'some');
          setFault(false);
        }}
      >
        <Stack gap="xs" mt={6}>
          <Radio value="all" label={say('all_events')} description={say('all_events_hint')} />
          <Radio value="some" label={say('chosen_events')} />
        </Stack>
      </Radio.Group>
      {some && (
        <Types
          chosen={types}
          fault={fault}
          onChange={(chosen) => {
            setTypes(chosen);
            setFault(false);
          }}
        />
      )}
    </DialogForm>
  );
}

type TypesProps = { chosen: readonly string[]; fault: boolean; onChange: (chosen: string[]) => void };

function Types({ chosen, fault, onChange }: TypesProps): ReactNode {
  const say = useTexts(texts);
  return (
    <Checkbox.Group aria-label={say('chosen_events')} value={[...chosen]} onChange={onChange}>
      <div className={classes.types}>
        {EVENT_TYPES.map((type) => (
          <Checkbox key={type} value={type} label={<span className={deliveryClasses.code}>{type}</span>} />
        ))}
      </div>
      {fault && (
        <div role="alert" className={classes.fault}>
          {say('choose_one')}
        </div>
      )}
    </Checkbox.Group>
  );
}
