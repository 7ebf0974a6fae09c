import { Badge, Button } from '@mantine/core';
import { IconPlus, IconRobot } from '@tabler/icons-react';
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
import { CreateAgentDialog } from './create-agent-dialog.tsx';
import type { AgentsSearch } from './search.ts';
import { words } from './words.ts';
import classes from './agents.module.css';

const route = getRouteApi('/inside/agents');
const PAGE = 20;
const LOOK_AGAIN_MS = 10_000;

export function AgentsPage(): ReactNode {
  const say = useWords(words);
  const org_id = useOrganization().id;
  const may = useMay('member');
  const { create } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useListState<{ text?: string }>(['text']);
  const agents = useRead(
    'listAgents',
    { params: { org_id }, query: { ...list.filters, cursor: list.cursor, limit: PAGE } },
    { every: LOOK_AGAIN_MS, keep: true },
  );
  const open = (opened: boolean): void =>
    void navigate({
      to: '.',
      search: (before: AgentsSearch) => ({ ...before, create: opened ? '' : undefined }),
      replace: !opened,
    });
  const createButton = may && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => open(true)}>
      {say('create')}
    </Button>
  );
  const empty = agents.data?.data.length === 0 && !list.filtered && list.cursor === undefined;
  return (
    <>
      <PageHeader title={say('agents')} description={say('hint')} actions={!empty && createButton} />
      {!empty && (
        <FilterBar
          text={list.filters.text}
          onText={(text) => list.setFilters({ text })}
          placeholder={say('filter_text')}
          filtered={list.filtered}
          onClear={list.clear}
        />
      )}
      <DataList
        label={say('agents')}
        read={agents}
        keyOf={({ id }) => id}
        faded={({ enabled }) => !enabled}
        columns={[
          {
            id: 'name',
            label: say('name'),
            cell: (agent) => (
              <div className={classes.nameCell}>
                <Link to="/agents/$agent_id" params={{ agent_id: agent.id }} className={classes.name} dir="auto">
                  {agent.name}
                </Link>
                {!agent.enabled && <Badge color="gray">{say('disabled')}</Badge>}
                {agent.unpublished_changes && <Badge color="orange">{say('unpublished')}</Badge>}
              </div>
            ),
          },
          { id: 'provider', label: say('answers_with'), cell: ({ provider }) => say(`provider_${provider}`) },
          { id: 'version', label: say('version'), cell: ({ version }) => version, width: '110px' },
          { id: 'changed', label: say('changed'), cell: (agent) => <Moment at={agent.updated_at} />, width: '170px' },
        ]}
        empty={
          empty ? (
            <Empty icon={<IconRobot size={26} />} title={say('empty_title')} action={createButton}>
              {say('empty_words')}
            </Empty>
          ) : (
            <NothingFound icon={<IconRobot size={26} />} onClear={list.clear} />
          )
        }
        footer={<Pager list={list} page={agents.data} />}
      />
      <CreateAgentDialog opened={create !== undefined && may} onClose={() => open(false)} />
    </>
  );
}
