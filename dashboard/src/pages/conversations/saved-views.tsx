import { Button, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { IconUsers } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import type { ConversationView } from '../../../../contract/dashboard/conversation-views.ts';
import { useRead } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import type { ListState } from '../../list/use-list-state.ts';
import { onceOpened } from '../../parts/once-opened.tsx';
import { useMay, useOrganization } from '../../session/session.ts';
import type { ConversationsSearch } from './search.ts';
import { viewTexts } from './view-texts.ts';
import classes from './inbox.module.css';

type Filtering = Omit<ConversationsSearch, 'cursor'>;
type Filters = ConversationView['filters'];

const SaveViewDialog = onceOpened(
  async () => (await import('./view-dialogs.tsx')).SaveViewDialog,
  ({ opened }) => opened,
  { opened: false },
);
const RemoveViewDialog = onceOpened(
  async () => (await import('./view-dialogs.tsx')).RemoveViewDialog,
  ({ item }) => item !== null,
  { item: null },
);

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

/**
 * Shows the saved views of members. The filters in the URL can be saved as a view, and the selected view can be
 * deleted.
 */
export function SavedViews({ list }: { list: ListState<Filtering> }): ReactNode {
  const say = useTexts(viewTexts);
  const org_id = useOrganization().id;
  const may = useMay('member');
  const views = useRead('listConversationViews', { params: { org_id } }, { staleTime: 30_000 }).data?.data ?? [];
  const [naming, setNaming] = useState(false);
  const [removing, setRemoving] = useState<ConversationView | null>(null);
  const current = views.find(({ filters }) => isSame(filters, list.filters));
  // Two kinds of filters cannot be saved as a view: a built-in view without other filters, and a filter for one person
  // or one period.
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
      <SaveViewDialog opened={naming} filters={whole(list.filters)} onClose={() => setNaming(false)} />
      <RemoveViewDialog item={removing} onClose={() => setRemoving(null)} onGone={list.clear} />
    </>
  );
}

/** Returns the filters without empty filters. */
const whole = ({ end_user_id: _person, ...filters }: Filtering): Filters =>
  Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
