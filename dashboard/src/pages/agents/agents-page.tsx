import { Badge } from '@mantine/core';
import { IconRobot } from '@tabler/icons-react';
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
import { CreateAgentDialog } from './create-agent-dialog.tsx';
import { texts } from './texts.ts';
import classes from '../../parts/page.module.css';

const PAGE = 20;
const LOOK_AGAIN_MS = 10_000;

export function AgentsPage(): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const may = useMay('member');
  const [isCreating, setCreating] = useCreating();
  const list = useListState<{ text?: string }>(['text']);
  const agents = useRead(
    'listAgents',
    { params: { org_id }, query: { ...list.filters, cursor: list.cursor, limit: PAGE } },
    { every: LOOK_AGAIN_MS, keep: true },
  );
  const add = may && <AddButton onClick={() => setCreating(true)}>{say('create')}</AddButton>;
  return (
    <>
      <ListPage
        name="agents"
        title={say('agents')}
        hint={say('hint')}
        list={list}
        read={agents}
        icon={<IconRobot size={26} />}
        placeholder={say('filter_text')}
        add={add}
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
                {agent.changed_tools.length > 0 && (
                  <Badge
                    color="red"
                    renderRoot={(props) => (
                      <Link
                        to="/agents/$agent_id"
                        params={{ agent_id: agent.id }}
                        search={{ tab: 'tools' }}
                        {...props}
                      />
                    )}
                  >
                    {say('changed_tools', { count: agent.changed_tools.length })}
                  </Badge>
                )}
                {agent.unpublished_changes && <Badge color="orange">{say('unpublished')}</Badge>}
              </div>
            ),
          },
          { id: 'provider', label: say('answers_with'), cell: ({ provider }) => say(`provider_${provider}`) },
          { id: 'version', label: say('version'), cell: ({ version }) => version, width: '110px' },
          { id: 'changed', label: say('changed'), cell: (agent) => <Moment at={agent.updated_at} />, width: '170px' },
        ]}
        none={
          <Empty icon={<IconRobot size={26} />} title={say('empty_title')} action={add}>
            {say('empty_words')}
          </Empty>
        }
      />
      <CreateAgentDialog opened={isCreating && may} onClose={() => setCreating(false)} />
    </>
  );
}
