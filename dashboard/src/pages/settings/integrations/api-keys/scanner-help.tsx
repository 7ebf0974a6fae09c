import { Anchor, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { KEY_PATTERN } from '../../../../../../contract/key-pattern.ts';
import { useTexts } from '../../../../language/texts.tsx';
import { CopyFact } from '../../../../parts/fact.tsx';
import { texts } from '../../../../parts/api-keys/texts.ts';
import classes from '../../../../parts/api-keys/api-keys.module.css';

/** Shows the data that a secret scanner needs to find and report keys. */
export function ScannerHelp(): ReactNode {
  const say = useTexts(texts);
  return (
    <details className={`${classes.optional} ${classes.scanners}`}>
      <summary>{say('scanners')}</summary>
      <Stack gap="xs">
        <Text size="sm">{say('scanners_words')}</Text>
        <CopyFact label={say('scanners_pattern')} value={KEY_PATTERN} copyLabel={say('copy_pattern')} />
        <Anchor href="/docs#reportLeakedKeys" target="_blank" rel="noreferrer" size="sm">
          {say('scanners_guide')}
        </Anchor>
      </Stack>
    </details>
  );
}
