import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';
import type { RunStatus } from '../../../../contract/triggers.ts';
import { useTexts } from '../../language/texts.tsx';
import { texts } from './texts.ts';

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
  const say = useTexts(texts);
  return <Badge color={COLORS[status]}>{say(`status_${status}`)}</Badge>;
}

/** Returns the text of a known reason, otherwise the server's code. */
export function useReasonText(): (reason: string) => string {
  const say = useTexts(texts);
  return (reason) => (`reason_${reason}` in texts.en ? say(`reason_${reason}` as keyof typeof texts.en) : reason);
}
