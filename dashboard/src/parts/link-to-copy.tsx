import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { common } from '../language/common.ts';
import { useTexts } from '../language/texts.tsx';
import { CopyButton } from './copy-button.tsx';

type Props = { label: string; url: string; hint: string; copyLabel: string; onClose: () => void };

/** Shows the last step of a dialog that created a link for another person. */
export function LinkToCopy({ label, url, hint, copyLabel, onClose }: Props): ReactNode {
  const say = useTexts(common);
  return (
    <Stack data-copy-scope>
      <TextInput
        label={label}
        value={url}
        readOnly
        classNames={{ input: 'ltr' }}
        onFocus={(event) => event.currentTarget.select()}
        data-copy-source
        data-autofocus
      />
      <Text size="sm" c="dimmed">
        {hint}
      </Text>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          {say('close')}
        </Button>
        <CopyButton text={url} full variant="filled" label={copyLabel} />
      </Group>
    </Stack>
  );
}
