import { Button, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { common } from '../language/common.ts';
import { useTexts } from '../language/texts.tsx';
import classes from './empty.module.css';

type Props = { icon: ReactNode; title: string; children?: ReactNode; action?: ReactNode };

/** The content of an empty list says what the list will contain, and the next step. */
export function Empty({ icon, title, children, action }: Props): ReactNode {
  return (
    <Stack align="center" gap={6} className={classes.empty}>
      <div className={classes.icon} aria-hidden="true">
        {icon}
      </div>
      <Title order={2}>{title}</Title>
      {children && (
        <Text c="dimmed" size="sm" ta="center" maw={420} component="div">
          {children}
        </Text>
      )}
      {action && <div className={classes.action}>{action}</div>}
    </Stack>
  );
}

/** The content of a list whose rows do not match the filters. */
export function NothingFound({ icon, onClear }: { icon: ReactNode; onClear: () => void }): ReactNode {
  const say = useTexts(common);
  return (
    <Empty
      icon={icon}
      title={say('nothing_found')}
      action={
        <Button variant="default" onClick={onClear}>
          {say('clear_filters')}
        </Button>
      }
    >
      {say('nothing_found_hint')}
    </Empty>
  );
}
