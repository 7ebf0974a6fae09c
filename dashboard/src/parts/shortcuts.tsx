import { ActionIcon } from '@mantine/core';
import { IconKeyboard } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { useTexts } from '../language/texts.tsx';
import { onceOpened } from './once-opened.tsx';
import { shortcutTexts } from './shortcut-texts.ts';
import { useShortcuts } from './use-shortcuts.ts';

const ShortcutsDialog = onceOpened(
  async () => (await import('./shortcuts-dialog.tsx')).ShortcutsDialog,
  ({ opened }) => opened,
  { opened: false },
);

/**
 * Shows the list of the page's single keys. The list opens with `?` or with this button, which also works if single
 * keys are turned off. A phone has no keyboard, so the page does not show the button on a phone.
 */
export function ShortcutsButton(): ReactNode {
  const say = useTexts(shortcutTexts);
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
      <ShortcutsDialog opened={opened} onClose={() => setOpened(false)} />
    </>
  );
}
