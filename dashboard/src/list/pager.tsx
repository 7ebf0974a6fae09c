import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { common } from '../language/common.ts';
import { useTexts } from '../language/texts.tsx';
import { listTexts } from './list-texts.ts';
import type { ListState } from './use-list-state.ts';
import classes from './pager.module.css';

type Page = { data: readonly unknown[]; next_cursor: string | null };
type Props = {
  list: ListState<never> | ListState<object>;
  page: Page | undefined;
  /** The text at the end of the list. */
  children?: ReactNode;
};

/**
 * Shows the number of rows, and the buttons for other pages. The pager is empty without rows, or if there is neither
 * another page nor an end text.
 */
export function Pager({ list, page, children }: Props): ReactNode {
  if (page === undefined) return null;
  const hasPages = list.cursor !== undefined || page.next_cursor !== null;
  if (!hasPages && (page.data.length === 0 || children === undefined)) return null;
  return (
    <div className={classes.pager}>
      <Total page={page} isFirst={list.cursor === undefined} />
      <Group gap="xs">
        {hasPages && <Ways list={list} next={page.next_cursor} />}
        {children}
      </Group>
    </div>
  );
}

/** Rows after this page are not counted, because the count would take longer than the page. */
function Total({ page: { data, next_cursor }, isFirst }: { page: Page; isFirst: boolean }): ReactNode {
  const say = useTexts(listTexts);
  if (!isFirst) return <span />;
  const words = say(next_cursor === null ? 'total' : 'more', { count: data.length });
  return <span className={classes.total}>{words}</span>;
}

function Ways({ list, next }: { list: Props['list']; next: string | null }): ReactNode {
  const say = useTexts(common);
  return (
    <nav aria-label={say('pages')} className={classes.ways}>
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
      <Button size="xs" variant="default" disabled={next === null} onClick={() => next !== null && list.toNext(next)}>
        {say('next_page')}
      </Button>
    </nav>
  );
}
