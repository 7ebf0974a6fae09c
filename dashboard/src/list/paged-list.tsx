import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Problem } from '../api/client.ts';
import { DataList, type Column } from './data-list.tsx';
import { NothingFound } from './empty.tsx';
import { Pager } from './pager.tsx';
import type { ListState } from './use-list-state.ts';

export type PagedListProps<T> = {
  label: string;
  list: ListState<object>;
  read: UseQueryResult<{ data: T[]; next_cursor: string | null }, Problem>;
  columns: readonly Column<T>[];
  faded?: (item: T) => boolean;
  icon: ReactNode;
  /** Shown while nothing exists. What the filters hide is told in the same words everywhere. */
  none: ReactNode;
};

const isNarrowed = ({ filtered, cursor }: ListState<object>): boolean => filtered || cursor !== undefined;

/** There is nothing, whatever the filters say. */
export const hasNone = ({ list, read }: Pick<PagedListProps<unknown>, 'list' | 'read'>): boolean =>
  read.data?.data.length === 0 && !isNarrowed(list);

/** A list that comes in pages and can be filtered, its filters and page in the address. */
export function PagedList<T extends { id: string }>(props: PagedListProps<T>): ReactNode {
  const { list, icon, none, ...rest } = props;
  return (
    <DataList
      {...rest}
      keyOf={({ id }) => id}
      empty={isNarrowed(list) ? <NothingFound icon={icon} onClear={list.clear} /> : none}
      footer={<Pager list={list} page={rest.read.data} />}
    />
  );
}
