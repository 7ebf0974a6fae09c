import { Button, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { ChannelRecord } from '../../../../contract/dashboard/channels.ts';
import { useAct, useRead } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { Card } from '../../parts/card.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { useLeaveDeleted } from '../../parts/use-leave-deleted.ts';
import { useOrganization } from '../../session/session.ts';
import { texts } from './texts.ts';
import classes from './channels.module.css';

/** Disconnects a channel permanently. The agent's own sandbox can only be deleted with the agent. */
export function DisconnectCard({ item }: { item: ChannelRecord }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const leave = useLeaveDeleted();
  const [opened, setOpened] = useState(false);
  const agent = useRead('readAgent', { params: { org_id, agent_id: item.agent_id } }, {});
  const remove = useAct('disconnectChannel', { refresh: ['listChannels', 'readOverview'] });
  const isOwn = agent.data?.sandbox_channel_id === item.id;
  const name = `\u2068${item.name}\u2069`;
  return (
    <div className={classes.section}>
      <Card
        title={say('disconnect')}
        description={say(isOwn ? 'own_sandbox' : 'disconnect_hint')}
        aside={
          !isOwn && (
            <Button variant="default" c="var(--mantine-color-error)" onClick={() => setOpened(true)}>
              {say('disconnect')}
            </Button>
          )
        }
      />
      <ConfirmDialog
        opened={opened}
        onClose={() => setOpened(false)}
        title={say('disconnect_title', { name })}
        act={say('disconnect')}
        busy={remove.isPending}
        problem={remove.error}
        onAct={() =>
          leave(
            remove.mutateAsync({ params: { org_id, channel_id: item.id } }),
            '/channels',
            say('disconnected', { name }),
          )
        }
      >
        <Text size="sm">{say('disconnect_words')}</Text>
      </ConfirmDialog>
    </div>
  );
}
