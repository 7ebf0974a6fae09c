import { ActionIcon } from '@mantine/core';
import { IconBell, IconBellOff } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { useTexts } from '../../language/texts.tsx';
import { Tip } from '../../parts/tip.tsx';
import { setPreferences, usePreferences } from '../../preferences.ts';
import { inboxTexts } from './inbox-texts.ts';

const isAble = (): boolean => 'Notification' in window;

/** The button requests the browser's permission for notifications only when it is pressed. */
export function NotifyButton(): ReactNode {
  const say = useTexts(inboxTexts);
  const { notify = false } = usePreferences();
  const [refused, setRefused] = useState(false);
  if (!isAble()) return null;
  const on = notify && Notification.permission === 'granted';
  const change = async (): Promise<void> => {
    if (on) return setPreferences({ notify: false });
    const granted = (await Notification.requestPermission()) === 'granted';
    setRefused(!granted);
    setPreferences({ notify: granted });
  };
  return (
    <Tip label={say(refused ? 'notify_refused' : 'notify_hint')}>
      {(anchor) => (
        <ActionIcon
          {...anchor}
          variant={on ? 'light' : 'default'}
          size={30}
          aria-label={say(refused ? 'notify_off' : 'notify')}
          aria-pressed={on}
          onClick={() => void change()}
        >
          {refused ? <IconBellOff size={16} /> : <IconBell size={16} />}
        </ActionIcon>
      )}
    </Tip>
  );
}
