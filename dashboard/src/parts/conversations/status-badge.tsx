import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ConversationSummary } from '../../../../contract/dashboard/conversations.ts';
import { useTexts } from '../../language/texts.tsx';
import { statusTexts } from './status-texts.ts';

type ConversationStatus = ConversationSummary['status'];
const COLORS: Record<ConversationStatus, string> = { open: 'blue', handed_off: 'orange', resolved: 'gray' };

export function ConversationStatusBadge({ status }: { status: ConversationStatus }): ReactNode {
  const say = useTexts(statusTexts);
  return <Badge color={COLORS[status]}>{say(`status_${status}`)}</Badge>;
}
