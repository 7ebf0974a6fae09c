import { ActionIcon, Kbd, Modal, Stack, Switch, Table, Text } from '@mantine/core';
import { IconKeyboard } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { useWords } from '../language/words.tsx';
import { setPreferences, usePreferences } from '../preferences.ts';
import { shortcutWords } from './shortcut-words.ts';
import { shownShortcuts, useShortcuts } from './use-shortcuts.ts';

/**
 * The list of the page's single keys. It opens with `?` or with this button, which also works if single keys are turned
 * off. A phone has no keyboard, so it has no button.
 */
export function ShortcutsButton(): ReactNode {
  const say = useWords(shortcutWords);
  const [opened, setOpened] = useState(false);
  const open = (): void => setOpened(true);
  useShortcuts([{ key: '?', label: say('show_shortcuts'), act: open }]);
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={24}
        visibleFrom="sm"
        aria-label={say('shortcuts')}
        aria-haspopup="dialog"
        onClick={open}
      >
        <IconKeyboard size={18} />
      </ActionIcon>
      <Modal opened={opened} onClose={() => setOpened(false)} title={say('shortcuts')}>
        <ShortcutList />
      </Modal>
    </>
  );
}

function ShortcutList(): ReactNode {
  const say = useWords(shortcutWords);
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
