import { Button, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { DashboardRouteName } from '../../../contract/dashboard/routes.ts';
import type { Problem } from '../api/client.ts';
import { readAnew } from '../api/queries.ts';
import { useWords } from '../language/words.tsx';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { notifyDone } from '../parts/notify.tsx';
import { listWords } from './list-words.ts';

type Props<T> = {
  /** The selected ones for which it can be done. */
  items: readonly T[];
  /** On the button; the dialog says how many. */
  act: string;
  title: string;
  children: ReactNode;
  run: (item: T) => Promise<unknown>;
  /** What shows it. */
  refresh: readonly DashboardRouteName[];
  /** False: it takes nothing away. */
  danger?: boolean;
};

/** Asks once, then does the same to each selected row, one after another. The first refusal stops it, and is shown. */
export function BulkAct<T>({ items, act, title, children, run, refresh, danger = true }: Props<T>): ReactNode {
  const say = useWords(listWords);
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
      await readAnew(client, refresh);
      // The bar goes with the rows, and the button that was pressed with it.
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
