import { Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { IconBook, IconLogout, IconSelector, IconUserCircle } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAct } from '../api/queries.ts';
import { useTexts } from '../language/texts.tsx';
import { Avatar } from '../parts/avatar.tsx';
import { Menu, MenuChoice, MenuItem, MenuLine } from '../parts/menu.tsx';
import { forgetSession, forgetWritten, useMay, useSession } from '../session/session.ts';
import { LanguageChoice, ThemeChoice } from './preference-controls.tsx';
import { useAway } from './use-away.ts';
import { texts } from './texts.ts';
import classes from './shell.module.css';

export function UserMenu(): ReactNode {
  const say = useTexts(texts);
  const { user, only_organization } = useSession();
  const navigate = useNavigate();
  const { away } = useAway();
  const signOut = useAct('signOut', { refresh: [] });

  const leave = (): void => {
    // Even if the server was not reached, no data of this person stays on the screen.
    forgetWritten();
    signOut.mutate({}, { onSettled: () => void forgetSession().then(() => location.assign('/sign-in')) });
  };
  return (
    <Menu
      label={user.name}
      button={(opener) => (
        <UnstyledButton className={classes.person} {...opener}>
          <VisuallyHidden>{say('your_menu')}</VisuallyHidden>
          <Avatar name={user.name} id={user.id} />
          <span className={classes.personWords}>
            <Text size="sm" fw={550} truncate>
              <bdi>{user.name}</bdi>
            </Text>
            <Text size="xs" c="dimmed" truncate>
              {away ? say('away') : <bdi dir="ltr">{user.email}</bdi>}
            </Text>
          </span>
          <IconSelector size={16} className={classes.soft} aria-hidden="true" />
        </UnstyledButton>
      )}
    >
      {only_organization === null && (
        <MenuItem icon={<IconUserCircle size={16} />} onClick={() => void navigate({ to: '/settings/sessions' })}>
          {say('account')}
        </MenuItem>
      )}
      <MenuItem icon={<IconBook size={16} />} href="/docs">
        {say('reference')}
      </MenuItem>
      <MenuLine />
      <AwayChoice />
      <ThemeChoice />
      <LanguageChoice />
      <MenuLine />
      <MenuItem icon={<IconLogout size={16} className="mirror" />} onClick={leave}>
        {say('sign_out')}
      </MenuItem>
    </Menu>
  );
}

/** An away member gets no hand-offs until the member is present again. */
function AwayChoice(): ReactNode {
  const say = useTexts(texts);
  const { away, setAway } = useAway();
  if (!useMay('member')) return null;
  return (
    <MenuChoice
      label={say('attendance')}
      value={away ? 'away' : 'present'}
      options={[
        { value: 'present', label: say('present') },
        { value: 'away', label: say('away') },
      ]}
      onChoose={(value) => setAway(value === 'away')}
    />
  );
}
