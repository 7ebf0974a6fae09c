import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { AgentSummary } from '../../../../contract/dashboard/agents.ts';
import { useWords } from '../../language/words.tsx';
import { markTried } from '../../preferences.ts';
import { Playground } from '../../parts/playground/playground.tsx';
import { Step } from './step.tsx';
import { words } from './words.ts';

export function TryStep({ done, agent }: { done: boolean; agent: AgentSummary | null }): ReactNode {
  const say = useWords(words);
  return (
    <Step number={2} done={done} title={say('step_try')} hint={say('step_try_hint')}>
      {agent ? (
        <Playground agentId={agent.id} onAnswered={() => markTried(agent.id)} />
      ) : (
        <Text size="sm" c="dimmed">
          {say('needs_agent')}
        </Text>
      )}
    </Step>
  );
}
