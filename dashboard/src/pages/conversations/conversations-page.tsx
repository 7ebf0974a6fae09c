import { Button, Skeleton, Text, VisuallyHidden } from '@mantine/core';
import { IconMessages } from '@tabler/icons-react';
import { Link, Outlet, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, type ReactNode } from 'react';
import { useRead } from '../../api/queries.ts';
import { common } from '../../language/common.ts';
import { useTexts } from '../../language/texts.tsx';
import { Empty, NothingFound } from '../../list/empty.tsx';
import { Pager } from '../../list/pager.tsx';
import { useListState, type ListState } from '../../list/use-list-state.ts';
import { whenIdle } from '../../parts/once-opened.tsx';
import { LiveState } from '../../parts/live-state.tsx';
import { ShortcutsButton } from '../../parts/shortcuts.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { useTabTitle } from '../../parts/tab-title.ts';
import { useMay, useOrganization } from '../../session/session.ts';
import { ListHead } from './list-head.tsx';
import { OpenNextOf } from './open-next.tsx';
import { Rows } from './rows.tsx';
import { type ConversationsSearch, LOOK_AGAIN_MS } from './search.ts';
import { type Selection, useSelection } from '../../list/use-selection.ts';
import { useListKeys } from './use-list-keys.ts';
import { texts } from './texts.ts';
import classes from './conversations.module.css';

const ConversationActs = lazy(async () => ({ default: (await import('./conversation-acts.tsx')).ConversationActs }));

const PAGE = 20;

type Filtering = Omit<ConversationsSearch, 'cursor'>;

/** The list stays visible while conversations are opened, because it is the frame of both pages. */
const FILTERS = [
  'view',
  'text',
  'status',
  'agent_id',
  'channel_id',
  'end_user_id',
  'tag',
  'since',
  'until',
  'handed_off',
  'outcome',
  'without',
  'version',
  'member_id',
  'trigger_id',
  'campaign_id',
  'rated',
  'sort',
] as const satisfies (keyof Filtering)[];

export function ConversationsPage(): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const { conversation_id: chosen } = useParams({ strict: false });
  const list = useListState<Filtering>(FILTERS);
  const conversations = useRead(
    'listConversations',
    { params: { org_id }, query: { ...list.filters, cursor: list.cursor, limit: PAGE } },
    { every: LOOK_AGAIN_MS, live: 'conversations', keep: true },
  );
  const ids = conversations.data?.data.map(({ id }) => id) ?? [];
  const selection = useSelection(ids);
  const may = useMay('member');
  useListKeys(ids, may ? selection.toggle : null);
  // The reader probably opens a conversation next, so its code is loaded in advance.
  useEffect(() => whenIdle(() => void import('./conversation-page.tsx').catch(() => {})), []);
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
      {chosen === undefined && <Heading />}
      <List list={list} conversations={conversations} chosen={chosen} selection={may ? selection : null} />
      <OpenNextOf ids={ids} opened={chosen}>
        <Outlet />
      </OpenNextOf>
    </div>
  );
}

/**
 * The heading is for the tab and for screen readers, because the navigation shows the name of the page. The page of an
 * open conversation has a separate heading.
 */
function Heading(): ReactNode {
  const say = useTexts(texts);
  useTabTitle(`${say('conversations')} · Parley`);
  return (
    <VisuallyHidden>
      <h1 tabIndex={-1}>{say('conversations')}</h1>
    </VisuallyHidden>
  );
}

type ListProps = {
  list: ListState<Filtering>;
  conversations: ReturnType<typeof useRead<'listConversations'>>;
  chosen: string | undefined;
  selection: Selection | null;
};

function List({ list, conversations, chosen, selection }: ListProps): ReactNode {
  const say = useTexts(texts);
  return (
    <section className={classes.list} aria-label={say('conversations')}>
      <ListHead list={list} />
      <div className={classes.scroll}>
        {conversations.isPending ? (
          <Outline />
        ) : !conversations.data ? (
          <ProblemAlert problem={conversations.error} onRetry={() => void conversations.refetch()} />
        ) : conversations.data.data.length === 0 ? (
          <NothingFound icon={<IconMessages size={24} />} onClear={list.clear} />
        ) : (
          <>
            <Rows
              items={conversations.data.data}
              chosen={chosen}
              stale={conversations.isPlaceholderData}
              selection={selection}
              shown={list.filters}
            />
            {selection && selection.chosen.length > 0 && (
              <Suspense fallback={null}>
                <ConversationActs selection={selection} many={conversations.data.data.length} />
              </Suspense>
            )}
          </>
        )}
      </div>
      <Pager list={list} page={conversations.data}>
        {/* The state of the live connection is also shown while a conversation is open. */}
        {chosen === undefined && <LiveState failed={conversations.isError} every={LOOK_AGAIN_MS} />}
      </Pager>
    </section>
  );
}

/** The text is shown while no conversation is selected. */
export function NoConversation(): ReactNode {
  const say = useTexts(texts);
  return (
    <div className={classes.none}>
      <IconMessages size={34} stroke={1.4} aria-hidden="true" />
      <Text fw={600}>{say('pick')}</Text>
      <Text size="sm" c="dimmed" ta="center" maw={300}>
        {say('pick_words')}
      </Text>
      <ShortcutsButton />
    </div>
  );
}

const OUTLINE = 6;

function Outline(): ReactNode {
  const say = useTexts(common);
  return (
    <div aria-busy="true" className={classes.outline}>
      <VisuallyHidden role="status">{say('loading')}</VisuallyHidden>
      {Array.from({ length: OUTLINE }, (_, index) => (
        <Skeleton key={index} h={44} />
      ))}
    </div>
  );
}
