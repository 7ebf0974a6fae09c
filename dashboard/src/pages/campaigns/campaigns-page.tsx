import { IconSpeakerphone } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useRead } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { Empty } from '../../list/empty.tsx';
import { ListPage, useCreating } from '../../list/list-page.tsx';
import { useListState } from '../../list/use-list-state.ts';
import { AddButton } from '../../parts/add-button.tsx';
import { Moment } from '../../parts/moment.tsx';
import { useMay, useOrganization } from '../../session/session.ts';
import { texts as agentTexts } from '../../parts/agents/agent-select-texts.ts';
import { AgentFilter, AgentLink } from '../../parts/agents/agent-select.tsx';
import pageClasses from '../../parts/page.module.css';
import { useAgentNames } from '../../parts/use-record-names.ts';
import { CampaignStateBadge } from './campaign-state.tsx';
import { CreateCampaignDialog } from './create-campaign-dialog.tsx';
import { texts } from './texts.ts';

const PAGE = 20;
const LOOK_AGAIN_MS = 5_000;

export function CampaignsPage(): ReactNode {
  const say = useTexts(texts);
  const sayAgent = useTexts(agentTexts);
  const org_id = useOrganization().id;
  const may = useMay('member');
  const [isCreating, setCreating] = useCreating();
  const list = useListState<{ text?: string; agent_id?: string }>(['text', 'agent_id']);
  const campaigns = useRead(
    'listCampaigns',
    { params: { org_id }, query: { ...list.filters, cursor: list.cursor, limit: PAGE } },
    { every: LOOK_AGAIN_MS, keep: true },
  );
  const agentName = useAgentNames((campaigns.data?.data ?? []).map(({ agent_id }) => agent_id));
  const add = may && <AddButton onClick={() => setCreating(true)}>{say('create')}</AddButton>;
  return (
    <>
      <ListPage
        name="campaigns"
        title={say('campaigns')}
        hint={say('hint')}
        list={list}
        read={campaigns}
        icon={<IconSpeakerphone size={26} />}
        placeholder={say('search')}
        filters={<AgentFilter value={list.filters.agent_id} onChange={(agent_id) => list.setFilters({ agent_id })} />}
        add={add}
        faded={({ state }) => state === 'ended'}
        columns={[
          {
            id: 'name',
            label: say('name'),
            cell: ({ id, name }) => (
              <Link to="/campaigns/$campaign_id" params={{ campaign_id: id }} className={pageClasses.name} dir="auto">
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
        none={
          <Empty icon={<IconSpeakerphone size={26} />} title={say('empty_title')} action={add}>
            {say('empty_words')}
          </Empty>
        }
      />
      <CreateCampaignDialog
        opened={isCreating && may}
        agentId={list.filters.agent_id ?? null}
        onClose={() => setCreating(false)}
      />
    </>
  );
}
