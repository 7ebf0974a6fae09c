import { Checkbox, NativeSelect, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { AgentSummary } from '../../../../../contract/dashboard/agents.ts';
import { MAX_NAME_CHARACTERS } from '../../../../../contract/limits.ts';
import { useAct } from '../../../api/queries.ts';
import { useTexts } from '../../../language/texts.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { useOrganization } from '../../../session/session.ts';
import { NameForm } from './name-form.tsx';
import { ForMembers, Step } from './step.tsx';
import { texts } from './texts.ts';

type Props = {
  done: boolean;
  agents: readonly AgentSummary[];
  agent: AgentSummary | null;
  onChoose: (id: string) => void;
};

export function AgentStep({ done, agents, agent, onChoose }: Props): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const create = useAct('createAgent', { refresh: ['listAgents', 'readOverview'] });
  const teach = useAct('createDocument', { refresh: ['listDocuments'] });
  const [withGuide, setWithGuide] = useState(true);
  const make = (name: string): void =>
    create.mutate(
      { params: { org_id }, body: { name } },
      {
        onSuccess: ({ id }) => {
          if (!withGuide) return;
          const body = { name: say('guide_name'), text: say('guide_text') };
          teach.mutate({ params: { org_id, agent_id: id }, body });
        },
      },
    );
  return (
    <Step number={1} done={done} title={say('step_agent')} hint={say('step_agent_hint')}>
      {agent === null ? (
        <ForMembers>
          <NameForm
            label={say('agent_name')}
            initial={say('agent_name_example')}
            maxLength={MAX_NAME_CHARACTERS}
            act={say('agent_create')}
            busy={create.isPending}
            onSubmit={make}
          >
            <Checkbox
              w="100%"
              size="sm"
              label={say('guide')}
              checked={withGuide}
              onChange={(event) => setWithGuide(event.currentTarget.checked)}
            />
          </NameForm>
        </ForMembers>
      ) : agents.length === 1 ? (
        <Text size="sm">{say.rich('agent_done', { agent: <b dir="auto">{agent.name}</b> })}</Text>
      ) : (
        <NativeSelect
          label={say('agent_which')}
          maw={320}
          value={agent.id}
          data={agents.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(event) => onChoose(event.currentTarget.value)}
        />
      )}
      {create.error && <ProblemAlert problem={create.error} />}
      {teach.error && <ProblemAlert problem={teach.error} />}
    </Step>
  );
}
