import { Badge, Group } from '@mantine/core';
import type { ReactNode } from 'react';

export function Tags({ of }: { of: readonly string[] }): ReactNode {
  return (
    <Group gap={4}>
      {of.map((tag) => (
        <Badge key={tag} color="gray" dir="auto">
          {tag}
        </Badge>
      ))}
    </Group>
  );
}
