import { Badge, List, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ChannelKindName } from '../../../../contract/channel-kinds.ts';
import type { ChannelRecord } from '../../../../contract/dashboard/channels.ts';
import type { Problem } from '../../api/client.ts';
import { useTexts } from '../../language/texts.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { kindTexts } from '../../parts/channels/kind-texts.ts';
import { texts } from './texts.ts';

export function ChannelState({ item }: { item: ChannelRecord }): ReactNode {
  const say = useTexts(texts);
  if (!item.enabled) return <Badge color="gray">{say('disabled')}</Badge>;
  return <Badge color={item.status === 'broken' ? 'red' : 'blue'}>{say(item.status)}</Badge>;
}

/** Shows the steps at the provider, with the provider's names of its buttons. */
export function AtTheProvider({ kind }: { kind: ChannelKindName }): ReactNode {
  const say = useTexts(texts);
  const sayKind = useTexts(kindTexts);
  const steps = sayKind(`after_${kind}`);
  if (steps === '') return null;
  return (
    <div>
      <Text size="sm" fw={570} mb={6}>
        {say('at_the_provider')}
      </Text>
      <List type="ordered" size="sm" spacing={4}>
        {steps.split('\n').map((step) => (
          <List.Item key={step}>{step}</List.Item>
        ))}
      </List>
    </div>
  );
}

/** Shows the provider's message, which is the same in every language. Faults of fields are shown at the fields. */
export function ChannelProblem({ problem }: { problem: Problem | null }): ReactNode {
  const say = useTexts(texts);
  const isSaid = problem?.code === 'channel_check_failed';
  if (!problem || (problem.faults.length > 0 && !isSaid)) return null;
  return (
    <>
      <ProblemAlert problem={problem} />
      {isSaid && say.language !== 'en' && (
        <Text size="sm" dir="auto" c="red">
          {problem.message}
        </Text>
      )}
    </>
  );
}
