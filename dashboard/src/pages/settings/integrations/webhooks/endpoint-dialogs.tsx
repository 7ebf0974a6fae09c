import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { WebhookRecord } from '../../../../../../contract/dashboard/webhooks.ts';
import { call } from '../../../../api/client.ts';
import { refetch, useAct } from '../../../../api/queries.ts';
import { common } from '../../../../language/common.ts';
import { useTexts } from '../../../../language/texts.tsx';
import { ConfirmDialog } from '../../../../parts/confirm-dialog.tsx';
import { notifyDone } from '../../../../parts/notify.tsx';
import { useLeaveDeleted } from '../../../../parts/use-leave-deleted.ts';
import { useOrganization } from '../../../../session/session.ts';
import { RotateSecretDialog } from '../../../../parts/rotate-secret-dialog.tsx';
import { RecoverDialog } from './recover-dialog.tsx';
import { WebhookDialog } from './webhook-form.tsx';
import { texts } from './texts.ts';

export type EndpointDialog = 'recover' | 'edit' | 'switch' | 'delete' | 'rotate' | null;
type Props = { item: WebhookRecord; dialog: EndpointDialog; onClose: () => void };

/** Each action on an endpoint has a dialog. */
export function EndpointDialogs(props: Props): ReactNode {
  return (
    <>
      <EditDialog {...props} />
      <SwitchDialog {...props} />
      <DeleteDialog {...props} />
      <RotateDialog {...props} />
      <RecoverDialog endpointId={props.item.id} opened={props.dialog === 'recover'} onClose={props.onClose} />
    </>
  );
}

function EditDialog({ item, dialog, onClose }: Props): ReactNode {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
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
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const update = useAct('updateWebhook', { refresh: ['readWebhook', 'listWebhooks', 'listEventDeliveries'] });
  const [shown, setShown] = useState(item.enabled);
  const [before, setBefore] = useState<EndpointDialog>(null);
  // The question is fixed when the dialog opens and does not change while it closes.
  if (before !== dialog) {
    setBefore(dialog);
    if (dialog === 'switch') setShown(item.enabled);
  }
  return (
    <ConfirmDialog
      opened={dialog === 'switch'}
      onClose={onClose}
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
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const leave = useLeaveDeleted();
  const remove = useAct('deleteWebhook', { refresh: ['listWebhooks'] });
  return (
    <ConfirmDialog
      opened={dialog === 'delete'}
      onClose={onClose}
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

function RotateDialog({ item, dialog, onClose }: Props): ReactNode {
  const org_id = useOrganization().id;
  const client = useQueryClient();
  return (
    <RotateSecretDialog
      opened={dialog === 'rotate'}
      onClose={onClose}
      rotate={async (overlap) => {
        const made = await call('rotateWebhookSecret', { params: { org_id, endpoint_id: item.id }, body: { overlap } });
        void refetch(client, ['readWebhook']);
        return made.secret;
      }}
    />
  );
}
