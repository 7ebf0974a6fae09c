import { Skeleton, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { AgentSummary } from '../../../../../contract/dashboard/agents.ts';
import type { TriggerRecord } from '../../../../../contract/dashboard/triggers.ts';
import { MAX_LABEL_CHARACTERS } from '../../../../../contract/limits.ts';
import { useAct } from '../../../api/queries.ts';
import { useTexts } from '../../../language/texts.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { useOrganization } from '../../../session/session.ts';
import { NameForm } from './name-form.tsx';
import { ForMembers, Step } from './step.tsx';
import { texts } from './texts.ts';
import classes from './first-steps.module.css';

type Props = { done: boolean; agent: AgentSummary | null; trigger: TriggerRecord | null | undefined };

export function TriggerStep({ done, agent, trigger }: Props): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const create = useAct('createTrigger', { refresh: ['listTriggers', 'readOverview'] });
  return (
    <Step number={3} done={done} title={say('step_trigger')} hint={say('step_trigger_hint')}>
      {!agent ? (
        <Text size="sm" c="dimmed">
          {say('needs_agent')}
        </Text>
      ) : trigger === undefined ? (
        <Skeleton h={44} radius="md" />
      ) : trigger ? (
        <>
          <Text size="sm">{say.rich('trigger_done', { trigger: <b dir="auto">{trigger.name}</b> })}</Text>
          <code className={classes.path}>POST {trigger.path}</code>
        </>
      ) : (
        <ForMembers>
          <NameForm
            label={say('trigger_name')}
            initial={say('trigger_name_example')}
            maxLength={MAX_LABEL_CHARACTERS}
            act={say('trigger_create')}
            busy={create.isPending}
            onSubmit={(name) => create.mutate({ params: { org_id }, body: { agent_id: agent.id, name } })}
          />
        </ForMembers>
      )}
      {create.error && <ProblemAlert problem={create.error} />}
    </Step>
  );
}
