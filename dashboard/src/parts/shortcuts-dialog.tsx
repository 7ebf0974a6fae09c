import { Kbd, Stack, Switch, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../language/texts.tsx';
import { setPreferences, usePreferences } from '../preferences.ts';
import { Dialog } from './dialog.tsx';
import { shortcutTexts } from './shortcut-texts.ts';
import { shownShortcuts } from './use-shortcuts.ts';

export function ShortcutsDialog({ opened, onClose }: { opened: boolean; onClose: () => void }): ReactNode {
  const say = useTexts(shortcutTexts);
  return (
    <Dialog opened={opened} onClose={onClose} title={say('shortcuts')}>
      <ShortcutList />
    </Dialog>
  );
}

function ShortcutList(): ReactNode {
  const say = useTexts(shortcutTexts);
  const isOn = usePreferences().single_keys !== false;
  return (
    <Stack>
      <Table aria-label={say('shortcuts')} verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{say('shortcut_key')}</Table.Th>
            <Table.Th>{say('shortcut')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {shownShortcuts().map(({ key, label }) => (
            <Table.Tr key={key}>
              <Table.Td>
                <Kbd>{key}</Kbd>
              </Table.Td>
              <Table.Td>
                <Text size="sm" c={isOn ? undefined : 'dimmed'}>
                  {label}
                </Text>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Switch
        label={say('single_keys')}
        description={say('single_keys_words')}
        checked={isOn}
        onChange={(event) => setPreferences({ single_keys: event.currentTarget.checked })}
      />
    </Stack>
  );
}
