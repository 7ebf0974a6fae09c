import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';
import type { EventDelivery } from '../../../../contract/dashboard/webhooks.ts';
import { useTexts } from '../../language/texts.tsx';
import { texts } from './texts.ts';

const COLORS = { pending: 'orange', delivered: 'gray', failed: 'red', cancelled: 'gray' } as const;

export function DeliveryState({ state }: { state: EventDelivery['state'] }): ReactNode {
  const say = useTexts(texts);
  return <Badge color={COLORS[state]}>{say(`state_${state}`)}</Badge>;
}
