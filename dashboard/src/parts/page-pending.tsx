import { Skeleton, Stack, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { common } from '../language/common.ts';
import { useTexts } from '../language/texts.tsx';

/** The placeholder has the shape of the page that is loading, so that nothing jumps. */
export function PagePending(): ReactNode {
  const say = useTexts(common);
  return (
    <div aria-busy="true">
      <VisuallyHidden role="status">{say('loading')}</VisuallyHidden>
      <Skeleton h={32} w={240} mb={10} />
      <Skeleton h={16} w="60%" mb={28} />
      <Stack gap="sm">
        <Skeleton h={112} radius="lg" />
        <Skeleton h={220} radius="lg" />
      </Stack>
    </div>
  );
}
