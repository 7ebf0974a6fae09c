import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { useRef, useState, type ReactNode } from 'react';
import type { DashboardRouteName } from '../../../contract/dashboard/routes.ts';
import { refetch } from '../api/queries.ts';
import { CopyButton } from './copy-button.tsx';
import { useSecretShown } from './secret-shown.ts';
import classes from './shown-once.module.css';

export type ShownOnceGuard = { asking: boolean; ask: () => void; stay: () => void; leave: () => void };

/**
 * While a secret is visible, the dialog cannot be closed by accident: Esc, a click outside and leaving the page ask for
 * confirmation (`ask`). The browser asks before it closes or reloads the page.
 */
export function useShownOnceGuard(shown: boolean, close: () => void): ShownOnceGuard {
  useSecretShown(shown);
  const [asking, setAsking] = useState(false);
  const done = useRef(false);
  const blocker = useBlocker({
    disabled: !shown,
    enableBeforeUnload: () => shown,
    withResolver: true,
    shouldBlockFn: ({ current, next }) => !done.current && current.pathname !== next.pathname,
  });
  const leave = (): void => {
    setAsking(false);
    done.current = true;
    if (blocker.status === 'blocked') blocker.proceed();
    close();
    // The next secret gets the same protection.
    setTimeout(() => (done.current = false));
  };
  return {
    asking: asking || blocker.status === 'blocked',
    ask: () => setAsking(true),
    stay: () => {
      setAsking(false);
      if (blocker.status === 'blocked') blocker.reset();
    },
    leave,
  };
}

/**
 * Holds the value of a dialog that creates a secret and then shows it once. The field `made` is null before the secret
 * is created and after the dialog closes. When the dialog closes, the value is removed and `refresh` is read again.
 */
export function useShownOnce<Made>(onClose: () => void, refresh: readonly DashboardRouteName[]) {
  const client = useQueryClient();
  const [made, setMade] = useState<Made | null>(null);
  const close = (): void => {
    setMade(null);
    onClose();
    void refetch(client, refresh);
  };
  return { made, setMade, close, guard: useShownOnceGuard(made !== null, close) };
}

type Ask = {
  guard: ShownOnceGuard;
  say: (key: 'not_saved' | 'not_saved_words' | 'close_anyway' | 'keep_open') => string;
};

/** The question is shown instead of the secret until the person has decided. */
export function AskBeforeClosing({ guard, say }: Ask): ReactNode {
  return (
    <Stack role="alertdialog" aria-label={say('not_saved')}>
      <Text fw={600}>{say('not_saved')}</Text>
      <Text size="sm">{say('not_saved_words')}</Text>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={guard.leave}>
          {say('close_anyway')}
        </Button>
        <Button onClick={guard.stay} autoFocus>
          {say('keep_open')}
        </Button>
      </Group>
    </Stack>
  );
}

type Shown = { label: string; value: string; copyLabel: string };

export function ShownValue({ label, value, copyLabel }: Shown): ReactNode {
  return (
    <div className={classes.value} data-copy-scope>
      <TextInput
        label={label}
        value={value}
        readOnly
        spellCheck={false}
        autoComplete="off"
        classNames={{ input: 'ltr' }}
        onFocus={(event) => event.currentTarget.select()}
        data-copy-source
        data-autofocus
        data-shown-once
      />
      <CopyButton text={value} full variant="filled" label={copyLabel} />
    </div>
  );
}
