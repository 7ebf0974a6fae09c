import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../language/texts.tsx';
import { texts } from './texts.ts';
import classes from './shell.module.css';

type Props = { opened: boolean; onClose: () => void; children: ReactNode };

/** The navigation of small screens replaces the sidebar. */
export function PhoneNavigation({ opened, onClose, children }: Props): ReactNode {
  const say = useTexts(texts);
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      size={288}
      padding={0}
      withCloseButton={false}
      attributes={{ content: { 'aria-label': say('main_navigation') } }}
      classNames={{ body: classes.drawer, content: classes.drawerContent }}
    >
      {children}
    </Drawer>
  );
}
