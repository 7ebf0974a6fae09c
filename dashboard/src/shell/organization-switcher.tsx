import { Badge, Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconCheck, IconPlus, IconSelector } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { common } from '../language/common.ts';
import { useTexts } from '../language/texts.tsx';
import { Menu, MenuItem, MenuLine, MenuPart } from '../parts/menu.tsx';
import { useOrganization, useSession } from '../session/session.ts';
import { onceOpened } from '../parts/once-opened.tsx';
import { initials } from '../parts/avatar.tsx';
import { texts } from './texts.ts';
import { useSwitchOrganization } from './use-switch-organization.ts';
import classes from './shell.module.css';

const NewOrganizationDialog = onceOpened(
  async () => (await import('./new-organization-dialog.tsx')).NewOrganizationDialog,
  ({ opened }) => opened,
  { opened: false },
);

export function OrganizationSwitcher(): ReactNode {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  const { organizations, only_organization } = useSession();
  const organization = useOrganization();
  const choose = useSwitchOrganization();
  const [making, { open, close }] = useDisclosure(false);

  return (
    <>
      <Menu
        label={say('organizations')}
        button={(opener) => (
          <UnstyledButton className={classes.organization} {...opener}>
            <VisuallyHidden>{say('switch_organization')}</VisuallyHidden>
            <span className={classes.organizationMark} aria-hidden="true">
              {initials(organization.name)}
            </span>
            <span className={classes.personWords}>
              <Text size="sm" fw={600} truncate>
                <bdi>{organization.name}</bdi>
              </Text>
              <Text size="xs" c="dimmed">
                {sayCommon(`plan_${organization.plan}`)}
              </Text>
            </span>
            <IconSelector size={16} className={classes.soft} aria-hidden="true" />
          </UnstyledButton>
        )}
      >
        <MenuPart>{say('organizations')}</MenuPart>
        {organizations.map(({ id, name, plan }) => (
          <MenuItem
            key={id}
            icon={id === organization.id && <IconCheck size={16} />}
            current={id === organization.id}
            onClick={() => choose(id)}
            end={<Badge color="gray">{sayCommon(`plan_${plan}`)}</Badge>}
          >
            <bdi>{name}</bdi>
          </MenuItem>
        ))}
        {only_organization === null && (
          <>
            <MenuLine />
            <MenuItem icon={<IconPlus size={16} />} onClick={open}>
              {say('new_organization')}
            </MenuItem>
          </>
        )}
      </Menu>
      <NewOrganizationDialog opened={making} onClose={close} />
    </>
  );
}
