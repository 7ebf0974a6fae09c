import { Button, Checkbox, Modal, Text, TextInput, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { IconUsers } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import type { ConversationView } from '../../../../contract/dashboard/conversation-views.ts';
import { MAX_NAME_CHARACTERS } from '../../../../contract/limits.ts';
import { useAct, useRead } from '../../api/queries.ts';
import { common } from '../../language/common.ts';
import { useWords } from '../../language/words.tsx';
import type { ListState } from '../../list/use-list-state.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { useCheckedForm } from '../../parts/use-checked-form.ts';
import { useMay, useOrganization } from '../../session/session.ts';
import type { ConversationsSearch } from './search.ts';
import { viewWords } from './view-words.ts';
import classes from './inbox.module.css';

type Filtering = Omit<ConversationsSearch, 'cursor'>;
type Filters = ConversationView['filters'];

const NONE: Filtering = {
  view: undefined,
  text: undefined,
  status: undefined,
  agent_id: undefined,
  channel_id: undefined,
  end_user_id: undefined,
  tag: undefined,
  rated: undefined,
  sort: undefined,
};
const isSame = (a: Filtering, b: Filtering): boolean =>
  (Object.keys(NONE) as (keyof Filtering)[]).every((name) => a[name] === b[name]);

/** Saved views of members. The filters in the URL can be saved as a view, and the selected view can be deleted. */
export function SavedViews({ list }: { list: ListState<Filtering> }): ReactNode {
  const say = useWords(viewWords);
  const org_id = useOrganization().id;
  const may = useMay('member');
  const views = useRead('listConversationViews', { params: { org_id } }, { staleTime: 30_000 }).data?.data ?? [];
  const [naming, setNaming] = useState(false);
  const [removing, setRemoving] = useState<ConversationView | null>(null);
  const current = views.find(({ filters }) => isSame(filters, list.filters));
  // A built-in view without other filters cannot be saved, and neither can a filter for one person or one period.
  const set = Object.entries(list.filters).flatMap(([name, value]) => (value === undefined ? [] : name));
  const isNew =
    !current && set.some((name) => name !== 'view') && set.every((name) => name in NONE && name !== 'end_user_id');
  return (
    <>
      {views.map((one) => (
        <UnstyledButton
          key={one.id}
          className={classes.view}
          aria-pressed={one === current}
          onClick={() => list.setFilters({ ...NONE, ...one.filters })}
        >
          {one.shared && <IconUsers size={14} aria-hidden="true" />}
          <bdi>{one.name}</bdi>
          {one.shared && <VisuallyHidden>{say('shared')}</VisuallyHidden>}
        </UnstyledButton>
      ))}
      {may && isNew && (
        <Button size="compact-sm" variant="subtle" color="gray" onClick={() => setNaming(true)}>
          {say('save')}
        </Button>
      )}
      {may && current && (
        <Button size="compact-sm" variant="subtle" color="gray" onClick={() => setRemoving(current)}>
          {say('remove')}
        </Button>
      )}
      <Modal opened={naming} onClose={() => setNaming(false)} title={say('save_title')}>
        <Naming filters={whole(list.filters)} onClose={() => setNaming(false)} />
      </Modal>
      <Removing item={removing} onClose={() => setRemoving(null)} onGone={list.clear} />
    </>
  );
}

/** The filters without empty ones. */
const whole = ({ end_user_id: _person, ...filters }: Filtering): Filters =>
  Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));

function Naming({ filters, onClose }: { filters: Filters; onClose: () => void }): ReactNode {
  const say = useWords(viewWords);
  const sayCommon = useWords(common);
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
    <DialogForm onSubmit={submit} act={sayCommon('save')} busy={create.isPending} problem={problem} onCancel={onClose}>
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

type RemovingProps = { item: ConversationView | null; onClose: () => void; onGone: () => void };

function Removing({ item, onClose, onGone }: RemovingProps): ReactNode {
  const say = useWords(viewWords);
  const org_id = useOrganization().id;
  const remove = useAct('deleteConversationView', { refresh: ['listConversationViews'] });
  const done = (): void => {
    onClose();
    onGone();
    notifyDone(say('removed'));
  };
  return (
    <ConfirmDialog
      opened={item !== null}
      onClose={onClose}
      title={say('remove_title')}
      act={say('remove_act')}
      busy={remove.isPending}
      problem={remove.error}
      onAct={() => remove.mutate({ params: { org_id, view_id: item!.id } }, { onSuccess: done })}
    >
      <Text size="sm">
        {say.rich(item?.shared ? 'remove_shared' : 'remove_own', { name: <bdi>{item?.name}</bdi> })}
      </Text>
    </ConfirmDialog>
  );
}
