import { ActionIcon, VisuallyHidden } from '@mantine/core';
import { IconAdjustmentsHorizontal } from '@tabler/icons-react';
import { useCallback, useId, useRef, useState, type ReactNode, type ToggleEvent } from 'react';
import { useTexts } from '../../language/texts.tsx';
import type { ListState } from '../../list/use-list-state.ts';
import { onceOpened } from '../../parts/once-opened.tsx';
import { placeBeside } from '../../parts/place-beside.ts';
import { inboxTexts } from './inbox-texts.ts';
import type { ConversationsSearch } from './search.ts';
import classes from './list-head.module.css';

type Filtering = Omit<ConversationsSearch, 'cursor'>;
type Props = { list: ListState<Filtering> };

const FilterFields = onceOpened(
  async () => (await import('./filter-fields.tsx')).FilterFields,
  ({ opened }) => opened,
  { opened: false },
);

/** One button opens all filters. The chips below the button show the active filters. */
export function FilterMenu({ list }: Props): ReactNode {
  const say = useTexts(inboxTexts);
  const id = useId();
  const opener = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const [opened, setOpened] = useState(false);
  const { status, agent_id, channel_id, tag, rated, sort } = list.filters;
  const many = [status, agent_id, channel_id, tag, rated, sort].filter((value) => value !== undefined).length;
  const place = useCallback(() => placeBeside(opener.current!, panel.current!, 'start'), []);
  const toggled = ({ newState }: ToggleEvent): void => {
    setOpened(newState === 'open');
    if (newState === 'open') place();
  };
  return (
    <>
      <ActionIcon
        ref={opener}
        size={30}
        variant={many > 0 ? 'light' : 'default'}
        className={classes.opener}
        aria-haspopup="dialog"
        aria-expanded={opened}
        popoverTarget={id}
        style={{ overflow: 'visible' }}
      >
        <IconAdjustmentsHorizontal size={16} aria-hidden="true" />
        <VisuallyHidden>{say('filters')}</VisuallyHidden>
        {many > 0 && <span className={classes.many}>{many}</span>}
      </ActionIcon>
      <div
        ref={panel}
        id={id}
        popover="auto"
        role="dialog"
        aria-label={say('filters')}
        className={classes.panel}
        onToggle={toggled}
      >
        <FilterFields list={list} opened={opened} onLoaded={place} />
      </div>
    </>
  );
}
