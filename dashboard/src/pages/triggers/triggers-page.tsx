import { Badge, Button } from '@mantine/core';
import { IconBolt, IconRobot } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useRead } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { Empty } from '../../list/empty.tsx';
import { ListPage, useCreating } from '../../list/list-page.tsx';
import { useListState } from '../../list/use-list-state.ts';
import { AddButton } from '../../parts/add-button.tsx';
import { NoValue } from '../../parts/no-value.tsx';
import { Moment } from '../../parts/moment.tsx';
import { useMay, useOrganization } from '../../session/session.ts';
import { texts as agentTexts } from '../../parts/agents/agent-select-texts.ts';
import { AgentFilter, AgentLink } from '../../parts/agents/agent-select.tsx';
import { useAgentNames } from '../../parts/use-record-names.ts';
import { CreateTriggerDialog } from './create-trigger-dialog.tsx';
import { texts } from './texts.ts';
import classes from './triggers.module.css';
import pageClasses from '../../parts/page.module.css';

const PAGE = 20;
const LOOK_AGAIN_MS = 10_000;

export function TriggersPage(): ReactNode {
  const say = useTexts(texts);
  const sayAgent = useTexts(agentTexts);
  const org_id = useOrganization().id;
  const may = useMay('member');
  const [isCreating, setCreating] = useCreating();
  const list = useListState<{ text?: string; agent_id?: string }>(['text', 'agent_id']);
  const triggers = useRead(
    'listTriggers',
    { params: { org_id }, query: { ...list.filters, cursor: list.cursor, limit: PAGE } },
    { every: LOOK_AGAIN_MS, keep: true },
  );
  const agentName = useAgentNames((triggers.data?.data ?? []).map(({ agent_id }) => agent_id));
  const add = may && <AddButton onClick={() => setCreating(true)}>{say('create')}</AddButton>;
  return (
    <>
      <ListPage
        name="triggers"
        title={say('triggers')}
        hint={say('hint')}
        list={list}
        read={triggers}
        icon={<IconBolt size={26} />}
        placeholder={say('filter_text')}
        filters={<AgentFilter value={list.filters.agent_id} onChange={(agent_id) => list.setFilters({ agent_id })} />}
        add={add}
        faded={({ enabled }) => !enabled}
        columns={[
          {
            id: 'name',
            label: say('name'),
            cell: (trigger) => (
              <div className={pageClasses.nameCell}>
                <Link
                  to="/triggers/$trigger_id"
                  params={{ trigger_id: trigger.id }}
                  className={pageClasses.name}
                  dir="auto"
                >
                  {trigger.name}
                </Link>
                {!trigger.enabled && <Badge color="gray">{say('disabled')}</Badge>}
              </div>
            ),
          },
          {
            id: 'agent',
            label: sayAgent('agent'),
            cell: ({ agent_id }) => <AgentLink id={agent_id} nameOf={agentName} />,
          },
          {
            id: 'variables',
            label: say('variables'),
            cell: ({ variables }) =>
              variables.length === 0 ? (
                <NoValue>{say('none')}</NoValue>
              ) : (
                <span className={classes.names}>
                  {variables.slice(0, 3).map(({ name }) => (
                    <code key={name}>{name}</code>
                  ))}
                  {variables.length > 3 && <span className={pageClasses.soft}>+{variables.length - 3}</span>}
                </span>
              ),
          },
          { id: 'changed', label: say('changed'), cell: (item) => <Moment at={item.updated_at} />, width: '160px' },
        ]}
        none={<NothingYet action={add} />}
      />
      <CreateTriggerDialog
        opened={isCreating && may}
        agentId={list.filters.agent_id ?? null}
        onClose={() => setCreating(false)}
      />
    </>
  );
}

/** If the organization has no agent, the next step is to create one. */
function NothingYet({ action }: { action: ReactNode }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const may = useMay('member');
  const agents = useRead('listAgents', { params: { org_id }, query: { limit: 1 } }, {});
  if (agents.data?.data.length === 0)
    return (
      <Empty
        icon={<IconRobot size={26} />}
        title={say('needs_agent_title')}
        action={
          may && (
            <Button renderRoot={(props) => <Link to="/agents" search={{ create: '' }} {...props} />}>
              {say('to_agents')}
            </Button>
          )
        }
      >
        {say('needs_agent')}
      </Empty>
    );
  return (
    <Empty icon={<IconBolt size={26} />} title={say('empty_title')} action={action}>
      {say('empty_words')}
    </Empty>
  );
}
