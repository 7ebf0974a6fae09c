import { Button } from '@mantine/core';
import { IconPlus, IconSpeakerphone } from '@tabler/icons-react';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useRead } from '../../api/queries.ts';
import { useWords } from '../../language/words.tsx';
import { DataList } from '../../list/data-list.tsx';
import { Empty, NothingFound } from '../../list/empty.tsx';
import { FilterBar } from '../../list/filter-bar.tsx';
import { Pager } from '../../list/pager.tsx';
import { useListState } from '../../list/use-list-state.ts';
import { Moment } from '../../parts/moment.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { useMay, useOrganization } from '../../session/session.ts';
import { words as agentWords } from '../agents/agent-select-words.ts';
import { AgentFilter, AgentLink } from '../agents/agent-select.tsx';
import agentClasses from '../agents/agents.module.css';
import { useAgentNames } from '../settings/integrations/api-keys/names.ts';
import { CampaignStateBadge } from './campaign-state.tsx';
import { CreateCampaignDialog } from './create-campaign-dialog.tsx';
import type { CampaignsSearch } from './search.ts';
import { words } from './words.ts';

const route = getRouteApi('/inside/campaigns');
const PAGE = 20;
const LOOK_AGAIN_MS = 5_000;

export function CampaignsPage(): ReactNode {
  const say = useWords(words);
  const sayAgent = useWords(agentWords);
  const org_id = useOrganization().id;
  const may = useMay('member');
  const { create } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useListState<{ text?: string; agent_id?: string }>(['text', 'agent_id']);
  const campaigns = useRead(
    'listCampaigns',
    { params: { org_id }, query: { ...list.filters, cursor: list.cursor, limit: PAGE } },
    { every: LOOK_AGAIN_MS, keep: true },
  );
  const agentName = useAgentNames((campaigns.data?.data ?? []).map(({ agent_id }) => agent_id));
  const open = (opened: boolean): void =>
    void navigate({
      to: '.',
      search: (before: CampaignsSearch) => ({ ...before, create: opened ? '' : undefined }),
      replace: !opened,
    });
  const createButton = may && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => open(true)}>
      {say('create')}
    </Button>
  );
  const empty = campaigns.data?.data.length === 0 && !list.filtered && list.cursor === undefined;
  return (
    <>
      <PageHeader title={say('campaigns')} description={say('hint')} actions={!empty && createButton} />
      {!empty && (
        <FilterBar
          text={list.filters.text}
          onText={(text) => list.setFilters({ text })}
          placeholder={say('search')}
          filtered={list.filtered}
          onClear={list.clear}
        >
          <AgentFilter value={list.filters.agent_id} onChange={(agent_id) => list.setFilters({ agent_id })} />
        </FilterBar>
      )}
      <DataList
        label={say('campaigns')}
        read={campaigns}
        keyOf={({ id }) => id}
        faded={({ state }) => state === 'ended'}
        columns={[
          {
            id: 'name',
            label: say('name'),
            cell: ({ id, name }) => (
              <Link to="/campaigns/$campaign_id" params={{ campaign_id: id }} className={agentClasses.name} dir="auto">
                {name}
              </Link>
            ),
          },
          { id: 'state', label: say('state'), cell: ({ state }) => <CampaignStateBadge state={state} /> },
          {
            id: 'agent',
            label: sayAgent('agent'),
            cell: ({ agent_id }) => <AgentLink id={agent_id} nameOf={agentName} />,
          },
          { id: 'changed', label: say('changed'), cell: (item) => <Moment at={item.updated_at} />, width: '160px' },
        ]}
        empty={
          empty ? (
            <Empty icon={<IconSpeakerphone size={26} />} title={say('empty_title')} action={createButton}>
              {say('empty_words')}
            </Empty>
          ) : (
            <NothingFound icon={<IconSpeakerphone size={26} />} onClear={list.clear} />
          )
        }
        footer={<Pager list={list} page={campaigns.data} />}
      />
      <CreateCampaignDialog
        opened={create !== undefined && may}
        agentId={list.filters.agent_id ?? null}
        onClose={() => open(false)}
      />
    </>
  );
}
