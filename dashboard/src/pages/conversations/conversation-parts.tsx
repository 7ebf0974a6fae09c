import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ConversationSummary } from '../../../../contract/dashboard/conversations.ts';
import { useWords } from '../../language/words.tsx';
import type { ConversationStatus } from './search.ts';
import { words } from './words.ts';

const COLORS: Record<ConversationStatus, string> = { open: 'blue', handed_off: 'orange', resolved: 'gray' };

export function ConversationStatusBadge({ status }: { status: ConversationStatus }): ReactNode {
  const say = useWords(words);
  return <Badge color={COLORS[status]}>{say(`status_${status}`)}</Badge>;
}

export function usePersonName(): (person: ConversationSummary['end_user']) => string {
  const say = useWords(words);
  return ({ name, external_id }) => name ?? external_id ?? say('anonymous');
}
