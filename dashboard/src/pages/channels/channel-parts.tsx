import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ChannelRecord } from '../../../../contract/dashboard/channels.ts';
import { useWords } from '../../language/words.tsx';
import { isKnownKind } from './kinds.ts';
import { words } from './words.ts';

export function ChannelState({ item }: { item: ChannelRecord }): ReactNode {
  const say = useWords(words);
  if (!item.enabled) return <Badge color="gray">{say('disabled')}</Badge>;
  return <Badge color={item.status === 'broken' ? 'red' : 'jade'}>{say(item.status)}</Badge>;
}

export function KindName({ kind }: { kind: string }): ReactNode {
  const say = useWords(words);
  return isKnownKind(kind) ? say(`kind_${kind}`) : <code>{kind}</code>;
}
