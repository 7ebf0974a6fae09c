import { Checkbox, Text, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { ConversationView } from '../../../../contract/dashboard/conversation-views.ts';
import { MAX_NAME_CHARACTERS } from '../../../../contract/limits.ts';
import { useAct } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { RemoveDialog } from '../../parts/remove-dialog.tsx';
import { useCheckedForm } from '../../parts/use-checked-form.ts';
import { useOrganization } from '../../session/session.ts';
import { viewTexts } from './view-texts.ts';

type Filters = ConversationView['filters'];

type SaveProps = { opened: boolean; filters: Filters; onClose: () => void };

/** Saves the filters in the URL as a view. */
export function SaveViewDialog({ opened, filters, onClose }: SaveProps): ReactNode {
  const say = useTexts(viewTexts);
  return (
    <Dialog opened={opened} onClose={onClose} title={say('save_title')}>
      <Naming filters={filters} onClose={onClose} />
    </Dialog>
  );
}

function Naming({ filters, onClose }: { filters: Filters; onClose: () => void }): ReactNode {
  const say = useTexts(viewTexts);
  const org_id = useOrganization().id;
  const [shared, setShared] = useState(false);
  const create = useAct('createConversationView', { refresh: ['listConversationViews'] });
  const form = useCheckedForm({ name: '' }, (required) => ({
    name: (name) => (name.trim() === '' ? required('required') : null),
  }));
  const submit = form.submit(({ name }) =>
    create.mutate(
      { params: { org_id }, body: { name: name.trim(), shared, filters } },
      {
        onSuccess: () => {
          onClose();
          notifyDone(say('saved'));
        },
        onError: form.place,
      },
    ),
  );
  const problem = form.unplaced(create.error);
  return (
    <DialogForm onSubmit={submit} act={say('save')} busy={create.isPending} problem={problem} onCancel={onClose}>
      <TextInput
        label={say('name')}
        maxLength={MAX_NAME_CHARACTERS}
        dir="auto"
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('name')}
      />
      <Checkbox
        label={say('share')}
        checked={shared}
        onChange={({ currentTarget: { checked } }) => setShared(checked)}
      />
    </DialogForm>
  );
}

type RemoveProps = { item: ConversationView | null; onClose: () => void; onGone: () => void };

export function RemoveViewDialog({ item, onClose, onGone }: RemoveProps): ReactNode {
  const say = useTexts(viewTexts);
  const org_id = useOrganization().id;
  return (
    <RemoveDialog
      input={item && { params: { org_id, view_id: item.id } }}
      remove={useAct('deleteConversationView', { refresh: ['listConversationViews'] })}
      title={say('remove_title')}
      act={say('remove_act')}
      removed={say('removed')}
      onClose={onClose}
      onRemoved={onGone}
    >
      <Text size="sm">
        {say.rich(item?.shared ? 'remove_shared' : 'remove_own', { name: <bdi>{item?.name}</bdi> })}
      </Text>
    </RemoveDialog>
  );
}
