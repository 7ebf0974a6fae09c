import { Button } from '@mantine/core';
import type { LinkProps } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { Problem } from '../api/client.ts';
import type { Say } from '../language/texts.tsx';
import { Card } from './card.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { useLeaveDeleted } from './use-leave-deleted.ts';

type Props = {
  /** The text that the user must type before the deletion. */
  name: string;
  say: Say<'delete' | 'delete_hint' | 'delete_title' | 'delete_words' | 'deleted'>;
  remove: { isPending: boolean; error: Problem | null };
  onDelete: () => Promise<unknown>;
  /** The list to which the page returns. */
  leadsTo: LinkProps['to'];
};

/** The card is the last part of a page, where its subject can be deleted permanently. */
export function DeleteCard({ name, say, remove, onDelete, leadsTo }: Props): ReactNode {
  const leave = useLeaveDeleted();
  const [opened, setOpened] = useState(false);
  const named = { name: `\u2068${name}\u2069` };
  return (
    <>
      <Card
        title={say('delete')}
        description={say('delete_hint')}
        aside={
          <Button variant="default" c="var(--mantine-color-error)" onClick={() => setOpened(true)}>
            {say('delete')}
          </Button>
        }
      />
      <DeleteDialog
        opened={opened}
        onClose={() => setOpened(false)}
        title={say('delete_title', named)}
        name={name}
        act={say('delete')}
        busy={remove.isPending}
        problem={remove.error}
        onAct={() => leave(onDelete(), leadsTo, say('deleted', named))}
      >
        {say('delete_words')}
      </DeleteDialog>
    </>
  );
}
