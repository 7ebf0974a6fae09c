import { Badge, List, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ChannelKindName } from '../../../../contract/channel-kinds.ts';
import type { ChannelRecord } from '../../../../contract/dashboard/channels.ts';
import type { Problem } from '../../api/client.ts';
import { useWords } from '../../language/words.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { kindWords } from '../../parts/channels/kind-words.ts';
import { words } from './words.ts';

export function ChannelState({ item }: { item: ChannelRecord }): ReactNode {
  const say = useWords(words);
  if (!item.enabled) return <Badge color="gray">{say('disabled')}</Badge>;
  return <Badge color={item.status === 'broken' ? 'red' : 'blue'}>{say(item.status)}</Badge>;
}

/** The steps at the provider, with the provider's names of its buttons. */
export function AtTheProvider({ kind }: { kind: ChannelKindName }): ReactNode {
  const say = useWords(words);
  const sayKind = useWords(kindWords);
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

/** The provider's message, which is the same in every language. Faults of fields are shown at the fields. */
export function ChannelProblem({ problem }: { problem: Problem | null }): ReactNode {
  const say = useWords(words);
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
