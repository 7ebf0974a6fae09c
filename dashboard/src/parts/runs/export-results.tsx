import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useWords } from '../../language/words.tsx';
import { resultWords } from './result-words.ts';

/** Downloads results as CSV. */
export function ExportResults({ href }: { href: string }): ReactNode {
  const say = useWords(resultWords);
  return (
    <Button variant="default" size="xs" leftSection={<IconDownload size={14} />} component="a" href={href} download>
      {say('export')}
    </Button>
  );
}
