import { Checkbox } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Problem } from '../api/client.ts';
import { DataList, type Column } from './data-list.tsx';
import { NothingFound } from './empty.tsx';
import { useTexts } from '../language/texts.tsx';
import { listTexts } from './list-texts.ts';
import { Pager } from './pager.tsx';
import { SelectionBar } from './selection-bar.tsx';
import type { ListState } from './use-list-state.ts';
import { useSelection } from './use-selection.ts';
import { useShownColumns, ViewMenu } from './view-menu.tsx';

export type PagedListProps<T> = {
  /** The stable name under which the selected columns are stored. */
  name: string;
  label: string;
  list: ListState<object>;
  read: UseQueryResult<{ data: T[]; next_cursor: string | null }, Problem>;
  columns: readonly Column<T>[];
  /** The function is required if rows have no `id`. */
  keyOf?: (item: T) => string;
  faded?: (item: T) => boolean;
  icon: ReactNode;
  /** The content if the list has no rows at all. If filters hide all rows, every list shows the same text. */
  none: ReactNode;
  /** Makes rows selectable. `label` is the name of a row, and `acts` are the actions on selected rows. */
  selecting?: { label: (item: T) => string; acts: (chosen: readonly T[]) => ReactNode } | undefined;
};

const idOf = (item: unknown): string => (item as { id: string }).id;

const isNarrowed = ({ filtered, cursor }: ListState<object>): boolean => filtered || cursor !== undefined;

/** True if the list has no rows, regardless of the filters. */
export const hasNone = ({ list, read }: Pick<PagedListProps<unknown>, 'list' | 'read'>): boolean =>
  read.data?.data.length === 0 && !isNarrowed(list);

/** A paged list with filters. The URL contains the filters and the page of the list. */
export function PagedList<T>(props: PagedListProps<T>): ReactNode {
  const { name, list, icon, none, selecting, keyOf = idOf, ...rest } = props;
  const columns = useShownColumns(name, rest.columns);
  const say = useTexts(listTexts);
  const rows = rest.read.data?.data ?? [];
  const selection = useSelection(rows.map(keyOf));
  const choice = (item: T): ReactNode => (
    <Checkbox
      size="sm"
      aria-label={say('select', { name: selecting!.label(item) })}
      checked={selection.has(keyOf(item))}
      onChange={() => selection.toggle(keyOf(item))}
    />
  );
  return (
    <>
      <DataList
        {...rest}
        columns={columns}
        keyOf={keyOf}
        empty={isNarrowed(list) ? <NothingFound icon={icon} onClear={list.clear} /> : none}
        {...(selecting && { choice })}
        footer={
          <Pager list={list} page={rest.read.data}>
            <ViewMenu list={name} columns={rest.columns} />
          </Pager>
        }
      />
      {selecting && (
        <SelectionBar selection={selection} many={rows.length}>
          {selecting.acts(rows.filter((item) => selection.has(keyOf(item))))}
        </SelectionBar>
      )}
    </>
  );
}
