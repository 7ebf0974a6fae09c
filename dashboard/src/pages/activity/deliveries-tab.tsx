import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../../language/texts.tsx';
import { Deliveries } from '../../parts/event-deliveries/event-deliveries.tsx';
import { texts } from '../../parts/event-deliveries/texts.ts';

/** The deliveries to endpoints. */
export function DeliveriesTab(): ReactNode {
  const say = useTexts(texts);
  return (
    <>
      <Text size="sm" c="dimmed" mb="sm">
        {say('deliveries_hint')}
      </Text>
      <Deliveries />
    </>
  );
}
