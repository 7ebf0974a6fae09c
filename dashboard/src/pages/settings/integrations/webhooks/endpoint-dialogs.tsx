import { Button, Group, Modal, Radio, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { WebhookRecord } from '../../../../../../contract/dashboard/webhooks.ts';
import { call, Problem } from '../../../../api/client.ts';
import { readAnew, useAct } from '../../../../api/queries.ts';
import { common } from '../../../../language/common.ts';
import { useWords } from '../../../../language/words.tsx';
import { ConfirmDialog } from '../../../../parts/confirm-dialog.tsx';
import { notifyDone } from '../../../../parts/notify.tsx';
import { ProblemAlert } from '../../../../parts/problem-alert.tsx';
import { useLeaveDeleted } from '../../../../parts/use-leave-deleted.ts';
import { useOrganization } from '../../../../session/session.ts';
import { SecretDialog } from './secret-dialog.tsx';
import { WebhookDialog } from './webhook-form.tsx';
import { words } from './words.ts';

export type EndpointDialog = 'edit' | 'switch' | 'delete' | 'rotate' | null;
type Props = { item: WebhookRecord; dialog: EndpointDialog; onClose: () => void };

/** What can be done to an endpoint, a dialog each. */
export function EndpointDialogs(props: Props): ReactNode {
  return (
    <>
      <EditDialog {...props} />
      <SwitchDialog {...props} />
      <DeleteDialog {...props} />
      <RotateDialog {...props} />
    </>
  );
}

function EditDialog({ item, dialog, onClose }: Props): ReactNode {
  const say = useWords(words);
  const sayCommon = useWords(common);
  const org_id = useOrganization().id;
  const update = useAct('updateWebhook', { refresh: ['readWebhook', 'listWebhooks'] });
  return (
    <WebhookDialog
      opened={dialog === 'edit'}
      onClose={onClose}
      title={say('edit_title')}
      act={sayCommon('save')}
      item={item}
      onSubmit={async (body) => {
        await update.mutateAsync({ params: { org_id, endpoint_id: item.id }, body });
        onClose();
        notifyDone(say('saved_done'));
      }}
    />
  );
}

function SwitchDialog({ item, dialog, onClose }: Props): ReactNode {
  const say = useWords(words);
  const org_id = useOrganization().id;
  const update = useAct('updateWebhook', { refresh: ['readWebhook', 'listWebhooks', 'listEventDeliveries'] });
  const [shown, setShown] = useState(item.enabled);
  const [before, setBefore] = useState<EndpointDialog>(null);
  // What it asks is settled when it opens, and stays the same while it closes.
  if (before !== dialog) {
    setBefore(dialog);
    if (dialog === 'switch') setShown(item.enabled);
  }
  return (
    <ConfirmDialog
      opened={dialog === 'switch'}
      onClose={() => {
        update.reset();
        onClose();
      }}
      title={shown ? say('disable_title') : say('enable')}
      act={say(shown ? 'disable' : 'enable')}
      danger={shown}
      busy={update.isPending}
      problem={update.error}
      onAct={() =>
        update.mutate(
          { params: { org_id, endpoint_id: item.id }, body: { enabled: !shown } },
          {
            onSuccess: () => {
              onClose();
              notifyDone(say(shown ? 'disabled_done' : 'enabled_done'));
            },
          },
        )
      }
    >
      <Text size="sm" className={shown ? undefined : 'ltr'}>
        {shown ? say('disable_words') : item.url}
      </Text>
    </ConfirmDialog>
  );
}

function DeleteDialog({ item, dialog, onClose }: Props): ReactNode {
  const say = useWords(words);
  const org_id = useOrganization().id;
  const leave = useLeaveDeleted();
  const remove = useAct('deleteWebhook', { refresh: ['listWebhooks'] });
  return (
    <ConfirmDialog
      opened={dialog === 'delete'}
      onClose={() => {
        remove.reset();
        onClose();
      }}
      title={say('delete_title')}
      act={say('delete')}
      busy={remove.isPending}
      problem={remove.error}
      onAct={() =>
        leave(
          remove.mutateAsync({ params: { org_id, endpoint_id: item.id } }),
          '/settings/integrations/webhooks',
          say('deleted_done'),
        )
      }
    >
      <Text size="sm">{say.rich('delete_words', { url: <bdi className="ltr">{item.url}</bdi> })}</Text>
    </ConfirmDialog>
  );
}

const OVERLAPS = ['now', '1h', '24h', '7d'] as const;
type Overlap = (typeof OVERLAPS)[number];

function RotateDialog({ item, dialog, onClose }: Props): ReactNode {
  const say = useWords(words);
  const sayCommon = useWords(common);
  const org_id = useOrganization().id;
  const client = useQueryClient();
  const [overlap, setOverlap] = useState<Overlap>('24h');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const rotate = async (): Promise<void> => {
    setBusy(true);
    setProblem(null);
    try {
      // Not a mutation of TanStack Query: its cache would hold the secret for minutes.
      const made = await call('rotateWebhookSecret', { params: { org_id, endpoint_id: item.id }, body: { overlap } });
      onClose();
      setSecret(made.secret);
      void readAnew(client, ['readWebhook']);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Modal opened={dialog === 'rotate'} onClose={onClose} title={say('rotate_title')}>
        <Stack>
          <Text size="sm">{say('rotate_words')}</Text>
          <Radio.Group label={say('overlap')} value={overlap} onChange={(value) => setOverlap(value)}>
            <Stack gap="xs" mt={6}>
              {OVERLAPS.map((value) => (
                <Radio key={value} value={value} label={say(`overlap_${value}`)} />
              ))}
            </Stack>
          </Radio.Group>
          {problem && <ProblemAlert problem={problem} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose} disabled={busy} data-autofocus>
              {sayCommon('cancel')}
            </Button>
            <Button onClick={() => void rotate()} loading={busy}>
              {say('rotate')}
            </Button>
          </Group>
        </Stack>
      </Modal>
      <SecretDialog secret={secret} onClose={() => setSecret(null)} />
    </>
  );
}
