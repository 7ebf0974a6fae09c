import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { PageHeader } from '../parts/page-header.tsx';
import { FilterBar } from './filter-bar.tsx';
import { hasNone, PagedList, type PagedListProps } from './paged-list.tsx';
import type { ListState } from './use-list-state.ts';

type Props<T> = Omit<PagedListProps<T>, 'label' | 'list'> & {
  title: string;
  hint: string;
  list: ListState<{ text?: string }>;
  /** A description of the texts that can be searched. */
  placeholder: string;
  /** The filters next to the search field. */
  filters?: ReactNode;
  /** The button that creates an item. While the list is empty, `none` contains the button instead of the title line. */
  add: ReactNode;
};

/** A page that lists all items of one kind, with text search. */
export function ListPage<T extends { id: string }>(props: Props<T>): ReactNode {
  const { title, hint, placeholder, filters, add, ...rest } = props;
  const { list } = rest;
  const isBare = hasNone(rest);
  return (
    <>
      <PageHeader title={title} hint={hint} actions={!isBare && add} />
      {!isBare && (
        <FilterBar
          text={list.filters.text}
          onText={(text) => list.setFilters({ text })}
          placeholder={placeholder}
          filtered={list.filtered}
          onClear={list.clear}
        >
          {filters}
        </FilterBar>
      )}
      <PagedList label={title} {...rest} />
    </>
  );
}

/**
 * The dialog for a new item is open while the URL contains `create`. A link can open the dialog, and Back closes it.
 */
export function useCreating(): [boolean, (open: boolean) => void] {
  const navigate = useNavigate();
  const { create } = useSearch({ strict: false });
  return [
    create !== undefined,
    (open) =>
      void navigate({
        to: '.',
        search: (before: object) => ({ ...before, create: open ? '' : undefined }),
        replace: !open,
      }),
  ];
}
