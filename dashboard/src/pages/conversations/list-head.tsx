import { IconSearch } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { common } from '../../language/common.ts';
import { useTexts } from '../../language/texts.tsx';
import { type ListState, useTypedFilter } from '../../list/use-list-state.ts';
import { FilterChips } from './filter-chips.tsx';
import { FilterMenu } from './filter-menu.tsx';
import { NotifyButton } from './notify-button.tsx';
import { SavedViews } from './saved-views.tsx';
import type { ConversationsSearch } from './search.ts';
import { Views } from './views.tsx';
import { texts } from './texts.ts';
import classes from './list-head.module.css';

type Filtering = Omit<ConversationsSearch, 'cursor'>;

/** Shows the search, the filters and the views above the rows. */
export function ListHead({ list }: { list: ListState<Filtering> }): ReactNode {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  const field = useTypedFilter(list.filters.text, (text) => list.setFilters({ text }));
  return (
    <div className={classes.head}>
      <div role="search" className={classes.search}>
        <div className={classes.line}>
          {/* Mantine's search field is much larger, and no other part of the first view needs its code. */}
          <div className={classes.field}>
            <IconSearch size={15} aria-hidden="true" />
            <input
              type="search"
              aria-label={sayCommon('search')}
              placeholder={say('search')}
              value={field.value}
              maxLength={100}
              onChange={(event) => field.onChange(event.currentTarget.value)}
            />
          </div>
          <FilterMenu list={list} />
          <NotifyButton />
        </div>
        <FilterChips list={list} />
      </div>
      <Views
        view={list.filters.view}
        // The selected view determines the state of the conversations.
        onView={(view) => list.setFilters({ view, ...(view && { status: undefined }) })}
      >
        <SavedViews list={list} />
      </Views>
    </div>
  );
}
