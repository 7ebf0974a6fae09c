import { Badge, Menu, Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconCheck, IconPlus, IconSelector } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { common } from '../language/common.ts';
import { useWords } from '../language/words.tsx';
import { chooseOrganization, useOrganization, useSession } from '../session/session.ts';
import { NewOrganizationDialog } from './new-organization-dialog.tsx';
import { initials } from './user-menu.tsx';
import { words } from './words.ts';
import classes from './shell.module.css';

export function OrganizationSwitcher(): ReactNode {
  const say = useWords(words);
  const sayCommon = useWords(common);
  const { organizations } = useSession();
  const organization = useOrganization();
  const navigate = useNavigate();
  const [making, { open, close }] = useDisclosure(false);

  const choose = (id: string): void => {
    chooseOrganization(id);
    // What the address names belongs to the other organization.
    void navigate({ to: '/' });
  };
  return (
    <>
      <Menu position="bottom-start" width={268}>
        <Menu.Target>
          <UnstyledButton className={classes.organization}>
            <VisuallyHidden>{say('switch_organization')}</VisuallyHidden>
            <span className={classes.organizationMark} aria-hidden="true">
              {initials(organization.name)}
            </span>
            <span className={classes.personWords}>
              <Text size="sm" fw={600} truncate dir="auto" ta="start">
                {organization.name}
              </Text>
              <Text size="xs" c="dimmed">
                {sayCommon(`plan_${organization.plan}`)}
              </Text>
            </span>
            <IconSelector size={16} className={classes.soft} aria-hidden="true" />
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{say('organizations')}</Menu.Label>
          {organizations.map(({ id, name, plan }) => (
            <Menu.Item
              key={id}
              onClick={() => choose(id)}
              leftSection={<IconCheck size={16} visibility={id === organization.id ? undefined : 'hidden'} />}
              rightSection={<Badge color="gray">{sayCommon(`plan_${plan}`)}</Badge>}
              aria-current={id === organization.id || undefined}
            >
              <Text size="sm" truncate dir="auto" ta="start">
                {name}
              </Text>
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item leftSection={<IconPlus size={16} />} onClick={open}>
            {say('new_organization')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <NewOrganizationDialog opened={making} onClose={close} />
    </>
  );
}
