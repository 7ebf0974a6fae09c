import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';

export function StatusBadge({ status }: { status: number }): ReactNode {
  return <Badge color={status < 400 ? 'gray' : status < 500 ? 'orange' : 'red'}>{status}</Badge>;
}
