import { Button, Group, Stack } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { common } from '../language/common.ts';
import { useTexts } from '../language/texts.tsx';
import { Dialog } from './dialog.tsx';
import { ProblemAlert } from './problem-alert.tsx';

type Props = {
  opened: boolean;
  onClose: () => void;
  title: string;
  children: ReactNode;
  /** The text of the button that acts. */
  act: string;
  onAct: () => void;
  busy?: boolean;
  /** False while a required value is missing, such as a label to type. */
  ready?: boolean;
  problem?: unknown;
  danger?: boolean;
  size?: 'lg' | undefined;
};

/** Asks for confirmation before a permanent action. The focus starts on Cancel and returns to the opener. */
export function ConfirmDialog(props: Props): ReactNode {
  const {
    opened,
    onClose,
    title,
    children,
    act,
    onAct,
    busy = false,
    ready = true,
    problem,
    danger = true,
    size,
  } = props;
  const say = useTexts(common);
  // A failure from before the dialog opened belongs to an earlier attempt.
  const [earlier, setEarlier] = useState({ opened, problem });
  if (earlier.opened !== opened) setEarlier({ opened, problem });
  return (
    <Dialog opened={opened} onClose={onClose} title={title} size={size}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (ready && !busy) onAct();
        }}
      >
        <Stack gap="md">
          {children}
          {problem && problem !== earlier.problem ? <ProblemAlert problem={problem} /> : null}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose} disabled={busy} data-autofocus>
              {say('cancel')}
            </Button>
            <Button type="submit" color={danger ? 'red.8' : undefined} loading={busy} disabled={!ready}>
              {act}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
