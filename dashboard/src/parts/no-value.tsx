import { Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** Shows "None" or "Never" in a list. The word is dimmed, and hidden on a phone, where each value has its own line. */
export function NoValue({ children }: { children: ReactNode }): ReactNode {
  return (
    <Text span inherit c="dimmed" data-nothing>
      {children}
    </Text>
  );
}
