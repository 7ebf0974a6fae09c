import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';
import type { RecipientStatus } from '../../../../contract/campaigns.ts';
import { useTexts } from '../../language/texts.tsx';
import { texts, type RecipientWord } from './recipient-texts.ts';

export const GROUPS = {
  waiting: ['pending', 'waiting_window'],
  reached: ['sending', 'sent', 'delivered', 'read'],
  answered: ['replied', 'completed'],
  lost: ['suppressed', 'failed', 'cancelled', 'expired'],
} as const satisfies Record<string, readonly RecipientStatus[]>;
export type Group = keyof typeof GROUPS;
export const GROUP_NAMES = Object.keys(GROUPS) as Group[];

const COLORS: Record<RecipientStatus, string> = {
  pending: 'gray',
  waiting_window: 'gray',
  sending: 'blue',
  sent: 'blue',
  delivered: 'blue',
  read: 'blue',
  replied: 'blue',
  completed: 'gray',
  failed: 'red',
  cancelled: 'gray',
  suppressed: 'orange',
  expired: 'orange',
};

export function RecipientBadge({ status }: { status: RecipientStatus }): ReactNode {
  const say = useTexts(texts);
  return <Badge color={COLORS[status]}>{say(`status_${status}`)}</Badge>;
}

/** Returns the text of a known reason, otherwise the server's code. */
export function useRecipientReason(): (reason: string) => string {
  const say = useTexts(texts);
  return (reason) => (`reason_${reason}` in texts.en ? say(`reason_${reason}` as RecipientWord) : reason);
}
