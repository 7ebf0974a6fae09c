import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';
import type { RunStatus } from '../../../../contract/triggers.ts';
import { useWords } from '../../language/words.tsx';
import { words } from './words.ts';

const COLORS: Record<RunStatus, string> = {
  queued: 'gray',
  scheduled: 'gray',
  running: 'blue',
  waiting_for_user: 'blue',
  waiting_for_approval: 'orange',
  handed_off: 'orange',
  completed: 'gray',
  failed: 'red',
  skipped: 'orange',
  cancelled: 'gray',
};

export function RunStatusBadge({ status }: { status: RunStatus }): ReactNode {
  const say = useWords(words);
  return <Badge color={COLORS[status]}>{say(`status_${status}`)}</Badge>;
}

/** The text of a known reason, otherwise the server's code. */
export function useReasonWords(): (reason: string) => string {
  const say = useWords(words);
  return (reason) => (`reason_${reason}` in words.en ? say(`reason_${reason}` as keyof typeof words.en) : reason);
}
