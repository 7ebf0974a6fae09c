import { Button, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { ToolSecretRecord } from '../../../../../contract/dashboard/tools.ts';
import { useAct } from '../../../api/queries.ts';
import { useTexts } from '../../../language/texts.tsx';
import { ConfirmDialog } from '../../../parts/confirm-dialog.tsx';
import { notifyDone } from '../../../parts/notify.tsx';
import { useOrganization } from '../../../session/session.ts';
import { toolTexts } from './tool-texts.ts';

/** The button that removes a secret, and its confirmation. */
export function RemoveSecret({ stored }: { stored: ToolSecretRecord }): ReactNode {
  const say = useTexts(toolTexts);
  const org_id = useOrganization().id;
  const [opened, setOpened] = useState(false);
  const remove = useAct('deleteToolSecret', { refresh: ['listToolSecrets'] });
  const params = { org_id, agent_id: stored.agent_id, tool_secret_id: stored.id };
  const onRemoved = (): void => {
    setOpened(false);
    notifyDone(say('removed'));
  };
  return (
    <>
      <Button
        variant="subtle"
        color="red.8"
        size="xs"
        aria-label={`${say('remove')}: ${stored.tool}`}
        onClick={() => setOpened(true)}
      >
        {say('remove')}
      </Button>
      <ConfirmDialog
        opened={opened}
        onClose={() => setOpened(false)}
        title={say('remove_title')}
        act={say('remove')}
        busy={remove.isPending}
        problem={remove.error}
        onAct={() => remove.mutate({ params }, { onSuccess: onRemoved })}
      >
        <Text size="sm">{say.rich('remove_words', { origin: <bdi className="ltr">{stored.origin}</bdi> })}</Text>
      </ConfirmDialog>
    </>
  );
}
