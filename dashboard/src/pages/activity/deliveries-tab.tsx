import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useWords } from '../../language/words.tsx';
import { Deliveries } from '../../parts/event-deliveries/event-deliveries.tsx';
import { words } from '../../parts/event-deliveries/words.ts';

/** The deliveries to endpoints. */
export function DeliveriesTab(): ReactNode {
  const say = useWords(words);
  return (
    <>
      <Text size="sm" c="dimmed" mb="sm">
        {say('deliveries_hint')}
      </Text>
      <Deliveries />
    </>
  );
}
