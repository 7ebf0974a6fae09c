import { Button, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { DashboardRouteName } from '../../../contract/dashboard/routes.ts';
import type { Problem } from '../api/client.ts';
import { refetch } from '../api/queries.ts';
import { useTexts } from '../language/texts.tsx';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { notifyDone } from '../parts/notify.tsx';
import { listTexts } from './list-texts.ts';

type Props<T> = {
  /** The selected rows to which the action applies. */
  items: readonly T[];
  /** The text of the button. The text of the dialog, with the number of rows. */
  act: string;
  title: string;
  children: ReactNode;
  run: (item: T) => Promise<unknown>;
  /** The queries that show the rows. */
  refresh: readonly DashboardRouteName[];
  /** False: the action removes nothing, so its button is not red. */
  danger?: boolean;
};

/**
 * Asks once for confirmation, then applies the action to each selected row in order. The loop stops at the first
 * refusal and shows it.
 */
export function BulkAct<T>({ items, act, title, children, run, refresh, danger = true }: Props<T>): ReactNode {
  const say = useTexts(listTexts);
  const client = useQueryClient();
  const [opened, setOpened] = useState(false);
  const [done, setDone] = useState(0);
  const all = useMutation<number, Problem>({
    mutationFn: async () => {
      for (const [before, item] of items.entries()) {
        await run(item);
        setDone(before + 1);
      }
      return items.length;
    },
    onSuccess: (count) => {
      close();
      notifyDone(say('bulk_done', { count }));
    },
    onSettled: async () => {
      await refetch(client, refresh);
      // The bar and the pressed button disappear with the selection, so the focus moves to the page.
      setTimeout(() => document.activeElement === document.body && document.querySelector('main')?.focus(), 0);
    },
  });
  const close = (): void => {
    setOpened(false);
    setDone(0);
    all.reset();
  };
  return (
    <>
      <Button size="compact-sm" variant="default" disabled={items.length === 0} onClick={() => setOpened(true)}>
        {act}
      </Button>
      <ConfirmDialog
        opened={opened}
        onClose={close}
        title={title}
        act={act}
        busy={all.isPending}
        problem={all.error}
        onAct={() => all.mutate()}
        danger={danger}
      >
        <Text size="sm">{children}</Text>
        <Text size="sm" role="status">
          {say('bulk_count', { count: items.length })}
          {all.isPending && ` ${say('bulk_progress', { done })}`}
        </Text>
      </ConfirmDialog>
    </>
  );
}
