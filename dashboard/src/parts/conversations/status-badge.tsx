import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ConversationSummary } from '../../../../contract/dashboard/conversations.ts';
import { useWords } from '../../language/words.tsx';
import { statusWords } from './status-words.ts';

type ConversationStatus = ConversationSummary['status'];
const COLORS: Record<ConversationStatus, string> = { open: 'blue', handed_off: 'orange', resolved: 'gray' };

export function ConversationStatusBadge({ status }: { status: ConversationStatus }): ReactNode {
  const say = useWords(statusWords);
  return <Badge color={COLORS[status]}>{say(`status_${status}`)}</Badge>;
}
