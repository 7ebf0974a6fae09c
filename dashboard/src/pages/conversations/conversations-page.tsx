import { Button, Select, Skeleton, Text, VisuallyHidden } from '@mantine/core';
import { IconMessages } from '@tabler/icons-react';
import { Link, Outlet, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useRead } from '../../api/queries.ts';
import { common } from '../../language/common.ts';
import { useWords } from '../../language/words.tsx';
import { Empty, NothingFound } from '../../list/empty.tsx';
import { FilterBar, TypedFilter } from '../../list/filter-bar.tsx';
import { Pager } from '../../list/pager.tsx';
import { useListState, type ListState } from '../../list/use-list-state.ts';
import { LiveState } from '../../parts/live-state.tsx';
import { ShortcutsButton } from '../../parts/shortcuts.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { useMay, useOrganization } from '../../session/session.ts';
import { AgentFilter } from '../../parts/agents/agent-select.tsx';
import { FilterChips } from './filter-chips.tsx';
import { NotifyButton } from './notify-button.tsx';
import { Rows } from './rows.tsx';
import { STATUSES, type ConversationsSearch } from './search.ts';
import { SavedViews } from './saved-views.tsx';
import { ConversationActs } from './conversation-acts.tsx';
import { type Selection, useSelection } from '../../list/use-selection.ts';
import { useListKeys } from './use-list-keys.ts';
import { Views } from './views.tsx';
import { words } from './words.ts';
import { statusWords } from '../../parts/conversations/status-words.ts';
import classes from './conversations.module.css';

const PAGE = 20;
export const LOOK_AGAIN_MS = 2_000;

type Filtering = Omit<ConversationsSearch, 'cursor'>;

/** The list stays visible while conversations are opened, because it is the frame of both pages. */
export function ConversationsPage(): ReactNode {
  const say = useWords(words);
  const org_id = useOrganization().id;
  const { conversation_id: chosen } = useParams({ strict: false });
  const list = useListState<Filtering>(['view', 'text', 'status', 'agent_id', 'channel_id', 'end_user_id', 'tag']);
  const conversations = useRead(
    'listConversations',
    { params: { org_id }, query: { ...list.filters, cursor: list.cursor, limit: PAGE } },
    { every: LOOK_AGAIN_MS, live: 'conversations', keep: true },
  );
  const ids = conversations.data?.data.map(({ id }) => id) ?? [];
  const selection = useSelection(ids);
  const may = useMay('member');
  useListKeys(ids, may ? selection.toggle : null);
  const empty = conversations.data?.data.length === 0 && !list.filtered && list.cursor === undefined;
  if (empty && !chosen)
    return (
      <>
        <PageHeader title={say('conversations')} />
        <Empty
          icon={<IconMessages size={26} />}
          title={say('empty_title')}
          action={<Button renderRoot={(props) => <Link to="/triggers" {...props} />}>{say('to_triggers')}</Button>}
        >
          {say('empty_words')}
        </Empty>
      </>
    );
  return (
    <div className={classes.page} data-chosen={chosen !== undefined || undefined}>
      <div className={classes.top}>
        {chosen === undefined ? (
          <PageHeader
            title={say('conversations')}
            badge={<LiveState failed={conversations.isError} every={LOOK_AGAIN_MS} />}
            actions={
              <>
                <ShortcutsButton />
                <NotifyButton />
              </>
            }
          />
        ) : (
          <Text component="p">{say('conversations')}</Text>
        )}
      </div>
      <div className={classes.filters}>
        <Views
          view={list.filters.view}
          // The label of a view already contains the state.
          onView={(view) => list.setFilters({ view, ...(view && { status: undefined }) })}
        >
          <SavedViews list={list} />
        </Views>
        <Filters list={list} />
      </div>
      <div className={classes.panes}>
        <List list={list} conversations={conversations} chosen={chosen} selection={may ? selection : null} />
        <Outlet />
      </div>
    </div>
  );
}

type ListProps = {
  list: ListState<Filtering>;
  conversations: ReturnType<typeof useRead<'listConversations'>>;
  chosen: string | undefined;
  selection: Selection | null;
};

function List({ list, conversations, chosen, selection }: ListProps): ReactNode {
  const say = useWords(words);
  return (
    <section className={classes.list} aria-label={say('conversations')}>
      {conversations.isPending ? (
        <Outline />
      ) : !conversations.data ? (
        <ProblemAlert problem={conversations.error} onRetry={() => void conversations.refetch()} />
      ) : conversations.data.data.length === 0 ? (
        <NothingFound icon={<IconMessages size={24} />} onClear={list.clear} />
      ) : (
        <>
          {selection && <ConversationActs selection={selection} many={conversations.data.data.length} />}
          <Rows
            items={conversations.data.data}
            chosen={chosen}
            stale={conversations.isPlaceholderData}
            selection={selection}
          />
        </>
      )}
      <Pager list={list} page={conversations.data} />
    </section>
  );
}

/** Shown while no conversation is selected. */
export function NoConversation(): ReactNode {
  const say = useWords(words);
  return (
    <div className={classes.none}>
      <IconMessages size={34} stroke={1.4} aria-hidden="true" />
      <Text fw={600}>{say('pick')}</Text>
      <Text size="sm" c="dimmed" ta="center" maw={300}>
        {say('pick_words')}
      </Text>
    </div>
  );
}

function Filters({ list }: { list: ListState<Filtering> }): ReactNode {
  const say = useWords(words);
  const sayStatus = useWords(statusWords);
  return (
    <FilterBar
      text={list.filters.text}
      onText={(text) => list.setFilters({ text })}
      placeholder={say('search')}
      filtered={list.filtered}
      onClear={list.clear}
    >
      <Select
        aria-label={say('status')}
        placeholder={say('any_status')}
        clearable
        w={160}
        value={list.filters.status ?? null}
        data={STATUSES.map((value) => ({ value, label: sayStatus(`status_${value}`) }))}
        onChange={(status) => list.setFilters({ status: status ?? undefined, view: undefined })}
      />
      <AgentFilter value={list.filters.agent_id} onChange={(agent_id) => list.setFilters({ agent_id })} />
      <TypedFilter label={say('tag')} value={list.filters.tag} onChange={(tag) => list.setFilters({ tag })} />
      <FilterChips list={list} />
    </FilterBar>
  );
}

const OUTLINE = 6;

function Outline(): ReactNode {
  const say = useWords(common);
  return (
    <div aria-busy="true" className={classes.outline}>
      <VisuallyHidden role="status">{say('loading')}</VisuallyHidden>
      {Array.from({ length: OUTLINE }, (_, index) => (
        <Skeleton key={index} h={44} />
      ))}
    </div>
  );
}
