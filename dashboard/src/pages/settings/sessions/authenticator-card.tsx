import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { AnswerOf } from '../../../../../contract/dashboard/routes.ts';
import { useAct } from '../../../api/queries.ts';
import { useTexts } from '../../../language/texts.tsx';
import { Card } from '../../../parts/card.tsx';
import { DialogForm } from '../../../parts/dialog-form.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { CopyFact } from '../../../parts/fact.tsx';
import { Moment } from '../../../parts/moment.tsx';
import { notifyDone } from '../../../parts/notify.tsx';
import { latinDigits } from '../../../parts/latin-digits.ts';
import { useCheckedForm } from '../../../parts/use-checked-form.ts';
import { PasswordForm } from './password-form.tsx';
import { factorTexts } from './factor-texts.ts';
import { QrCode } from './qr-code.tsx';

type Props = { confirmedAt: string | null; onCodes: (codes: string[]) => void };

export function AuthenticatorCard({ confirmedAt, onCodes }: Props): ReactNode {
  const say = useTexts(factorTexts);
  const [open, setOpen] = useState<'set_up' | 'remove' | null>(null);
  const close = (): void => setOpen(null);
  return (
    <Card
      title={say('app')}
      description={
        <>
          {say('app_hint')} {confirmedAt ? say.rich('app_on', { when: <Moment at={confirmedAt} /> }) : say('app_off')}
        </>
      }
      aside={
        <Button variant={confirmedAt ? 'default' : 'filled'} onClick={() => setOpen(confirmedAt ? 'remove' : 'set_up')}>
          {say(confirmedAt ? 'app_remove' : 'app_set_up')}
        </Button>
      }
    >
      <Dialog opened={open === 'set_up'} onClose={close} title={say('app_title')}>
        <SetUp
          onCancel={close}
          onCodes={(codes) => {
            close();
            if (codes.length > 0) onCodes(codes);
          }}
        />
      </Dialog>
      <Dialog opened={open === 'remove'} onClose={close} title={say('app_remove_title')}>
        <Remove onClose={close} />
      </Dialog>
    </Card>
  );
}

type SetUpProps = { onCancel: () => void; onCodes: (codes: string[]) => void };

function SetUp({ onCancel, onCodes }: SetUpProps): ReactNode {
  const say = useTexts(factorTexts);
  const [made, setMade] = useState<AnswerOf<'startAuthenticator'> | null>(null);
  const start = useAct('startAuthenticator', { refresh: [] });
  if (made) return <Confirm made={made} onCancel={onCancel} onCodes={onCodes} />;
  return (
    <PasswordForm
      words={say('app_password_words')}
      act={say('next')}
      busy={start.isPending}
      problem={start.error}
      onCancel={onCancel}
      onAct={({ password }, refused) => start.mutate({ body: { password } }, { onSuccess: setMade, onError: refused })}
    />
  );
}

function Confirm({ made, onCancel, onCodes }: SetUpProps & { made: AnswerOf<'startAuthenticator'> }): ReactNode {
  const say = useTexts(factorTexts);
  const confirm = useAct('confirmAuthenticator', { refresh: ['readSecondFactor', 'listSessions', 'readSession'] });
  const form = useCheckedForm({ code: '' }, (common) => ({
    code: (value) => (value.trim() === '' ? common('required') : null),
  }));
  const submit = form.submit(({ code }) =>
    confirm.mutate(
      { body: { code: latinDigits(code.trim()) } },
      { onSuccess: ({ recovery_codes }) => onCodes(recovery_codes), onError: () => form.focus('code') },
    ),
  );
  return (
    <DialogForm
      onSubmit={submit}
      act={say('confirm')}
      busy={confirm.isPending}
      problem={confirm.error}
      onCancel={onCancel}
    >
      <Stack>
        <Text size="sm">{say('app_scan')}</Text>
        <Group justify="center">
          <QrCode text={made.uri} label={say('app_qr')} />
        </Group>
        <CopyFact label={say('app_key')} value={made.secret} copyLabel={say('app_copy_key')} />
        <TextInput
          label={say('code')}
          autoComplete="one-time-code"
          inputMode="numeric"
          classNames={{ input: 'ltr' }}
          maxLength={16}
          data-autofocus
          {...form.getInputProps('code')}
        />
      </Stack>
    </DialogForm>
  );
}

function Remove({ onClose }: { onClose: () => void }): ReactNode {
  const say = useTexts(factorTexts);
  const remove = useAct('removeAuthenticator', { refresh: ['readSecondFactor', 'readSession'] });
  return (
    <PasswordForm
      words={say('app_remove_words')}
      act={say('app_remove')}
      also="code"
      busy={remove.isPending}
      problem={remove.error}
      onCancel={onClose}
      onAct={({ password, code }, refused) =>
        remove.mutate(
          { body: { password, code } },
          {
            onSuccess: () => {
              onClose();
              notifyDone(say('app_removed'));
            },
            onError: refused,
          },
        )
      }
    />
  );
}
