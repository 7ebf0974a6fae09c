import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { AgentSummary } from '../../../../../contract/dashboard/agents.ts';
import { useTexts } from '../../../language/texts.tsx';
import { useRead } from '../../../api/queries.ts';
import { markTried } from '../../../preferences.ts';
import { Playground } from '../../../parts/playground/playground.tsx';
import { useOrganization } from '../../../session/session.ts';
import { Step } from './step.tsx';
import { texts } from './texts.ts';

export function TryStep({ done, agent }: { done: boolean; agent: AgentSummary | null }): ReactNode {
  const say = useTexts(texts);
  return (
    <Step number={2} done={done} title={say('step_try')} hint={say('step_try_hint')}>
      {agent ? (
        <Try agentId={agent.id} />
      ) : (
        <Text size="sm" c="dimmed">
          {say('needs_agent')}
        </Text>
      )}
    </Step>
  );
}

function Try({ agentId }: { agentId: string }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const guide = useRead('listDocuments', {
    params: { org_id, agent_id: agentId },
    query: { limit: 1, text: say('guide_name') },
  });
  return (
    <Playground
      agentId={agentId}
      onAnswered={() => markTried(agentId)}
      // The suggestion is only a question that the agent can answer.
      suggestion={guide.data?.data.length ? say('guide_question') : undefined}
    />
  );
}
