import { Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** "None" or "Never" in a list: soft, and left out on a phone, where each value is a line. */
export function NoValue({ children }: { children: ReactNode }): ReactNode {
  return (
    <Text span inherit c="dimmed" data-nothing>
      {children}
    </Text>
  );
}
