import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTexts } from '../../language/texts.tsx';
import { resultTexts } from './result-texts.ts';

/** Downloads results as CSV. */
export function ExportResults({ href }: { href: string }): ReactNode {
  const say = useTexts(resultTexts);
  return (
    <Button variant="default" size="xs" leftSection={<IconDownload size={14} />} component="a" href={href} download>
      {say('export')}
    </Button>
  );
}
