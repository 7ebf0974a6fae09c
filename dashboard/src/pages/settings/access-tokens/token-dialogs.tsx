import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { AccessTokenRecord, NewAccessToken } from '../../../../../contract/dashboard/access-tokens.ts';
import { call } from '../../../api/client.ts';
import { useAct } from '../../../api/queries.ts';
import { useTexts } from '../../../language/texts.tsx';
import { ConfirmDialog } from '../../../parts/confirm-dialog.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { notifyDone } from '../../../parts/notify.tsx';
import { AskBeforeClosing, ShownValue, useShownOnce, type ShownOnceGuard } from '../../../parts/shown-once.tsx';
import { useCreateSecret } from '../../../parts/use-create-secret.ts';
import { useOrganization, useSession } from '../../../session/session.ts';
import { CreateTokenForm } from './create-token-form.tsx';
import { texts } from './texts.ts';

/**
 * The dialog has two steps: the form, then the token, which is shown once. After the dialog closes, no part of the page
 * contains the token.
 */
export function CreateTokenDialog({ opened, onClose }: { opened: boolean; onClose: () => void }): ReactNode {
  const say = useTexts(texts);
  const { made, setMade, guard } = useShownOnce<NewAccessToken>(onClose, ['listAccessTokens']);
  return (
    <Dialog
      opened={opened || made !== null}
      onClose={made ? guard.ask : onClose}
      closeOnClickOutside={made !== null}
      title={say(made ? 'ready' : 'create')}
      size={made ? 720 : 940}
    >
      {made ? <Shown made={made} guard={guard} /> : <CreateTokenForm onCancel={onClose} onMade={setMade} />}
    </Dialog>
  );
}

function Shown({ made, guard }: { made: NewAccessToken; guard: ShownOnceGuard }): ReactNode {
  const say = useTexts(texts);
  if (guard.asking) return <AskBeforeClosing guard={guard} say={say} />;
  return (
    <Stack gap="lg">
      <Alert color="orange" icon={<IconAlertTriangle size={18} />}>
        {say('ready_words')}
      </Alert>
      <ShownValue label={say('value')} value={made.value} copyLabel={say('copy_value')} />
      <Text size="sm">{say('use_it')}</Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={guard.leave}>
          {say('saved')}
        </Button>
      </Group>
    </Stack>
  );
}

type ItemProps = { item: AccessTokenRecord | null; onClose: () => void };

export function RevokeTokenDialog({ item, onClose }: ItemProps): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const revoke = useAct('revokeAccessToken', { refresh: ['listAccessTokens', 'listAudit'] });
  const label = `\u2068${item?.label ?? ''}\u2069`;
  return (
    <ConfirmDialog
      opened={item !== null}
      onClose={onClose}
      title={say('revoke_title', { label })}
      act={say('revoke')}
      busy={revoke.isPending}
      problem={revoke.error}
      onAct={() =>
        revoke.mutate(
          { params: { org_id, token_id: item!.id } },
          {
            onSuccess: () => {
              onClose();
              notifyDone(say('revoke_done', { label }));
            },
          },
        )
      }
    >
      <Text size="sm">{say('revoke_words')}</Text>
    </ConfirmDialog>
  );
}

/** Asks for confirmation, then shows the new value once. */
export function ReplaceTokenDialog({ item, onClose }: ItemProps): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const { user } = useSession();
  const { made, setMade, close, guard } = useShownOnce<NewAccessToken>(onClose, ['listAccessTokens']);
  const { busy, problem, make } = useCreateSecret((token_id: string) =>
    call('replaceAccessToken', { params: { org_id, token_id }, body: {} }),
  );
  const replace = async (id: string): Promise<void> => {
    const outcome = await make(id);
    if ('made' in outcome) setMade(outcome.made);
  };
  if (made)
    return (
      <Dialog opened onClose={guard.ask} title={say('ready')} size={720}>
        <Shown made={made} guard={guard} />
      </Dialog>
    );
  return (
    <ConfirmDialog
      opened={item !== null}
      onClose={close}
      title={say('replace_title', { label: `\u2068${item?.label ?? ''}\u2069` })}
      act={say('replace')}
      busy={busy}
      problem={problem}
      onAct={() => void replace(item!.id)}
    >
      <Text size="sm">{say('replace_words')}</Text>
      {item && item.user_id !== user.id && (
        <Text size="sm">
          {say.rich('replace_takes_over', { name: <bdi>{item.user_name ?? say('gone_person')}</bdi> })}
        </Text>
      )}
    </ConfirmDialog>
  );
}
