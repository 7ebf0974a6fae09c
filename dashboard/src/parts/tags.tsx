import { Badge, Group } from '@mantine/core';
import type { ReactNode } from 'react';

/** With `most`, the tags have the width of a column, and the number of the remaining tags follows. */
export function Tags({ of, most }: { of: readonly string[]; most?: number }): ReactNode {
  const rest = most === undefined ? [] : of.slice(most);
  return (
    <Group gap={4}>
      {of.slice(0, most).map((tag) => (
        <Badge key={tag} color="gray" dir="auto" title={tag} {...(most !== undefined && { miw: 0, maw: 130 })}>
          {tag}
        </Badge>
      ))}
      {rest.length > 0 && (
        <Badge color="gray" variant="outline" title={rest.join(', ')}>
          +{rest.length}
        </Badge>
      )}
    </Group>
  );
}
