import { Button, NativeSelect, Stack, Switch } from '@mantine/core';
import { useEffect, useState, type ReactNode } from 'react';
import { queryClient, useAct, useRead } from '../../api/queries.ts';
import { common } from '../../language/common.ts';
import { useTexts } from '../../language/texts.tsx';
import { TypedFilter } from '../../list/filter-bar.tsx';
import type { ListState } from '../../list/use-list-state.ts';
import { AgentSelect } from '../../parts/agents/agent-select.tsx';
import { statusTexts } from '../../parts/conversations/status-texts.ts';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { sessionOptions, useOrganization, type Organization } from '../../session/session.ts';
import { inboxTexts } from './inbox-texts.ts';
import { ratingTexts } from './rating-texts.ts';
import {
  type ConversationSort,
  type ConversationStatus,
  type ConversationsSearch,
  RATED,
  type RatedFilter,
  SORTS,
  STATUSES,
} from './search.ts';
import { texts } from './texts.ts';

type Props = { list: ListState<Omit<ConversationsSearch, 'cursor'>> };
type Opened = { opened: boolean; onLoaded: () => void };

/**
 * Shows the fields of the menu. `onLoaded`: called when the fields are first visible, because the panel is larger then.
 */
export function FilterFields({ list, opened, onLoaded }: Props & Opened): ReactNode {
  useEffect(() => {
    if (opened) onLoaded();
  }, [opened, onLoaded]);
  const say = useTexts(texts);
  const sayInbox = useTexts(inboxTexts);
  const sayCommon = useTexts(common);
  const sayStatus = useTexts(statusTexts);
  const { status, agent_id, tag } = list.filters;
  return (
    <Stack gap="sm">
      <NativeSelect
        label={say('status')}
        value={status ?? ''}
        data={[
          { value: '', label: say('any_status') },
          ...STATUSES.map((value) => ({ value, label: sayStatus(`status_${value}`) })),
        ]}
        onChange={({ currentTarget: { value } }) =>
          list.setFilters({ status: (value || undefined) as ConversationStatus | undefined, view: undefined })
        }
      />
      {opened && (
        <>
          <AgentSelect
            label={say('agent')}
            placeholder={sayInbox('any_agent')}
            clearable
            // The list of options must be in the top layer, as the panel is.
            comboboxProps={{ withinPortal: false }}
            value={agent_id ?? null}
            onChange={(value) => list.setFilters({ agent_id: value ?? undefined })}
          />
          <ChannelField list={list} />
        </>
      )}
      <TypedFilter label={say('tag')} value={tag} onChange={(next) => list.setFilters({ tag: next })} w="100%" />
      <RatedField list={list} />
      <SortField list={list} />
      <OpenNextSwitch />
      {list.filtered && (
        <Button variant="subtle" color="gray" size="compact-sm" onClick={list.clear}>
          {sayCommon('clear_filters')}
        </Button>
      )}
    </Stack>
  );
}

function RatedField({ list }: Props): ReactNode {
  const say = useTexts(ratingTexts);
  return (
    <NativeSelect
      label={say('rating')}
      value={list.filters.rated ?? ''}
      data={[
        { value: '', label: say('any_rating') },
        ...RATED.map((value) => ({
          value,
          label: value === 'any' ? say('rating_any') : say('rating_score', { score: value }),
        })),
      ]}
      onChange={({ currentTarget: { value } }) =>
        list.setFilters({ rated: (value || undefined) as RatedFilter | undefined })
      }
    />
  );
}

function SortField({ list }: Props): ReactNode {
  const say = useTexts(inboxTexts);
  const { view, sort } = list.filters;
  const usual: ConversationSort = view === 'waiting' ? 'waiting' : 'latest';
  return (
    <NativeSelect
      label={say('sort')}
      value={sort ?? usual}
      data={SORTS.map((value) => ({ value, label: say(`sort_${value}`) }))}
      onChange={({ currentTarget: { value } }) =>
        list.setFilters({ sort: value === usual ? undefined : (value as ConversationSort) })
      }
    />
  );
}

/** This switch is a setting of the member, and is in this menu because it changes how members move through the list. */
function OpenNextSwitch(): ReactNode {
  const say = useTexts(inboxTexts);
  const { id: org_id, opens_next: opensNext } = useOrganization();
  const set = useAct('setInbox', { refresh: ['readSession'] });
  // The switch and the list follow the member immediately. After a failure, the stored choice is shown again.
  const [chosen, setChosen] = useState<boolean | null>(null);
  const choose = (opens_next: boolean): void => {
    setChosen(opens_next);
    const changed = (one: Organization): Organization => (one.id === org_id ? { ...one, opens_next } : one);
    queryClient.setQueryData(
      sessionOptions.queryKey,
      (session) => session && { ...session, organizations: session.organizations.map(changed) },
    );
    set.mutate(
      { params: { org_id }, body: { opens_next } },
      { onError: () => void queryClient.invalidateQueries(sessionOptions), onSettled: () => setChosen(null) },
    );
  };
  return (
    <>
      <Switch
        size="sm"
        label={say('open_next')}
        checked={chosen ?? opensNext}
        onChange={({ currentTarget: { checked } }) => choose(checked)}
      />
      {set.error && <ProblemAlert problem={set.error} />}
    </>
  );
}

/** The maximum number of channels that one call returns. */
const CHANNELS = 100;

function ChannelField({ list }: Props): ReactNode {
  const say = useTexts(texts);
  const sayInbox = useTexts(inboxTexts);
  const org_id = useOrganization().id;
  const read = useRead('listChannels', { params: { org_id }, query: { limit: CHANNELS } }, { staleTime: 30_000 });
  const { channel_id } = list.filters;
  const channels = (read.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }));
  if (channel_id && !channels.some(({ value }) => value === channel_id))
    channels.push({ value: channel_id, label: say('only_channel') });
  return (
    <NativeSelect
      label={say('channel')}
      value={channel_id ?? ''}
      data={[{ value: '', label: sayInbox('any_channel') }, ...channels]}
      onChange={({ currentTarget: { value } }) => list.setFilters({ channel_id: value || undefined })}
    />
  );
}
