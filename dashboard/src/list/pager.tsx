import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { common } from '../language/common.ts';
import { useWords } from '../language/words.tsx';
import type { ListState } from './use-list-state.ts';
import classes from './pager.module.css';

type Props = { list: ListState<never> | ListState<object>; page: { next_cursor: string | null } | undefined };

/** Nothing while there is one page only. */
export function Pager({ list, page }: Props): ReactNode {
  const say = useWords(common);
  const next = page?.next_cursor ?? null;
  if (list.cursor === undefined && next === null) return null;
  return (
    <nav aria-label={say('pages')} className={classes.pager}>
      <Group gap="xs">
        {list.cursor !== undefined && (
          <Button size="xs" variant="default" onClick={list.toFirst}>
            {say('first_page')}
          </Button>
        )}
        {list.toPrevious && (
          <Button size="xs" variant="default" onClick={list.toPrevious}>
            {say('previous_page')}
          </Button>
        )}
      </Group>
      <Button size="xs" variant="default" disabled={next === null} onClick={() => next !== null && list.toNext(next)}>
        {say('next_page')}
      </Button>
    </nav>
  );
}
