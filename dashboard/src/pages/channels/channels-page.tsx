import { IconPlugConnected } from '@tabler/icons-react';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useRead } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { Empty } from '../../list/empty.tsx';
import { ListPage } from '../../list/list-page.tsx';
import { useListState } from '../../list/use-list-state.ts';
import { AddButton } from '../../parts/add-button.tsx';
import { Moment } from '../../parts/moment.tsx';
import { useMay, useOrganization } from '../../session/session.ts';
import { texts as agentTexts } from '../../parts/agents/agent-select-texts.ts';
import { AgentFilter, AgentLink } from '../../parts/agents/agent-select.tsx';
import pageClasses from '../../parts/page.module.css';
import { useAgentNames } from '../../parts/use-record-names.ts';
import { KindName } from '../../parts/channels/kind-name.tsx';
import { ChannelState } from './channel-parts.tsx';
import { ConnectDialog } from './connect-dialog.tsx';
import type { ChannelsSearch } from './search.ts';
import { texts } from './texts.ts';

const route = getRouteApi('/inside/channels');
const PAGE = 20;
const LOOK_AGAIN_MS = 5_000;

export function ChannelsPage(): ReactNode {
  const say = useTexts(texts);
  const sayAgent = useTexts(agentTexts);
  const org_id = useOrganization().id;
  const may = useMay('member');
  const { connect } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useListState<{ text?: string; agent_id?: string }>(['text', 'agent_id']);
  const channels = useRead(
    'listChannels',
    { params: { org_id }, query: { ...list.filters, cursor: list.cursor, limit: PAGE } },
    { every: LOOK_AGAIN_MS, keep: true },
  );
  const agentName = useAgentNames((channels.data?.data ?? []).map(({ agent_id }) => agent_id));
  const open = (chosen: string | undefined): void =>
    void navigate({
      to: '.',
      search: (before: ChannelsSearch) => ({ ...before, connect: chosen }),
      replace: chosen === undefined,
    });
  const add = may && <AddButton onClick={() => open('')}>{say('connect')}</AddButton>;
  return (
    <>
      <ListPage
        name="channels"
        title={say('channels')}
        hint={say('hint')}
        list={list}
        read={channels}
        icon={<IconPlugConnected size={26} />}
        placeholder={say('search')}
        filters={<AgentFilter value={list.filters.agent_id} onChange={(agent_id) => list.setFilters({ agent_id })} />}
        add={add}
        faded={({ enabled }) => !enabled}
        columns={[
          {
            id: 'name',
            label: say('name'),
            cell: ({ id, name }) => (
              <Link to="/channels/$channel_id" params={{ channel_id: id }} className={pageClasses.name} dir="auto">
                {name}
              </Link>
            ),
          },
          { id: 'kind', label: say('kind'), cell: ({ kind }) => <KindName kind={kind} /> },
          {
            id: 'agent',
            label: sayAgent('agent'),
            cell: ({ agent_id }) => <AgentLink id={agent_id} nameOf={agentName} />,
          },
          { id: 'state', label: say('state'), cell: (item) => <ChannelState item={item} /> },
          { id: 'created', label: say('created'), cell: (item) => <Moment at={item.created_at} />, width: '160px' },
        ]}
        none={
          <Empty icon={<IconPlugConnected size={26} />} title={say('empty_title')} action={add}>
            {say('empty_words')}
          </Empty>
        }
      />
      <ConnectDialog
        chosen={may ? connect : undefined}
        agentId={list.filters.agent_id ?? null}
        onChoose={open}
        onClose={() => open(undefined)}
      />
    </>
  );
}
