import { Alert, Button, Group, Text } from '@mantine/core';
import { useRef, useState, type ReactNode } from 'react';
import type { PasskeyRecord, SecondFactorView } from '../../../../../contract/dashboard/second-factor.ts';
import { Problem } from '../../../api/client.ts';
import { useAct } from '../../../api/queries.ts';
import { useTexts } from '../../../language/texts.tsx';
import { Card } from '../../../parts/card.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { Moment } from '../../../parts/moment.tsx';
import { NameDialog } from '../../../parts/name-dialog.tsx';
import { notifyDone } from '../../../parts/notify.tsx';
import { hasPasskeys, isOnDevice, makePasskey } from '../../../parts/passkey.ts';
import { useFocus } from '../../../parts/use-focus.ts';
import { PasswordForm } from './password-form.tsx';
import { factorTexts } from './factor-texts.ts';
import classes from './sessions.module.css';

type Props = Pick<SecondFactorView, 'passkeys' | 'passkeys_at'> & { onCodes: (codes: string[]) => void };
type Open = { what: 'add' } | { what: 'rename' | 'remove'; passkey: PasskeyRecord };

export function PasskeysCard({ passkeys, passkeys_at, onCodes }: Props): ReactNode {
  const say = useTexts(factorTexts);
  const [open, setOpen] = useState<Open | null>(null);
  const add = useRef<HTMLButtonElement>(null);
  const focusOn = useFocus();
  const close = (): void => setOpen(null);
  const removed = (): void => {
    close();
    // The button that opened the dialog no longer exists, so the focus moves.
    focusOn(() => add.current);
    notifyDone(say('passkey_removed'));
  };
  const missing =
    passkeys_at === null
      ? 'passkeys_unavailable'
      : passkeys_at !== location.origin
        ? 'passkeys_elsewhere'
        : hasPasskeys()
          ? null
          : 'passkeys_no_browser';
  return (
    <Card
      title={say('passkeys')}
      description={say('passkeys_hint')}
      aside={
        missing === null && (
          <Button ref={add} variant="default" onClick={() => setOpen({ what: 'add' })}>
            {say('passkey_add')}
          </Button>
        )
      }
    >
      {missing !== null && (
        <Text size="sm">
          {say.rich(missing, { address: <a href={`${passkeys_at}/settings/sessions`}>{passkeys_at}</a> })}
        </Text>
      )}
      {missing === null && passkeys.length === 0 && <Text size="sm">{say('passkeys_none')}</Text>}
      <ul className={classes.passkeys} aria-label={say('passkeys')}>
        {passkeys.map((passkey) => (
          <Passkey key={passkey.id} passkey={passkey} onOpen={setOpen} />
        ))}
      </ul>
      <Dialog opened={open?.what === 'add'} onClose={close} title={say('passkey_add')}>
        <Add onClose={close} onCodes={onCodes} />
      </Dialog>
      <Rename passkey={open?.what === 'rename' ? open.passkey : null} onClose={close} />
      <Dialog
        opened={open?.what === 'remove'}
        onClose={close}
        title={open?.what === 'remove' ? say('passkey_remove_title', { name: open.passkey.name }) : ''}
      >
        {open?.what === 'remove' && <Remove passkey={open.passkey} onClose={close} onRemoved={removed} />}
      </Dialog>
    </Card>
  );
}

function Passkey({ passkey, onOpen }: { passkey: PasskeyRecord; onOpen: (open: Open) => void }): ReactNode {
  const say = useTexts(factorTexts);
  const { name, created_at, last_used_at } = passkey;
  return (
    <li>
      <div>
        <Text size="sm" fw={550} dir="auto">
          {name}
        </Text>
        <Text size="xs" c="dimmed" component="div">
          {say('passkey_made')}: <Moment at={created_at} /> · {say('passkey_used')}:{' '}
          {last_used_at ? <Moment at={last_used_at} /> : say('passkey_never')}
        </Text>
      </div>
      <Group gap={4}>
        <Button size="compact-sm" variant="subtle" color="gray" onClick={() => onOpen({ what: 'rename', passkey })}>
          {say('passkey_rename')}
        </Button>
        <Button size="compact-sm" variant="subtle" color="red" onClick={() => onOpen({ what: 'remove', passkey })}>
          {say('passkey_remove')}
        </Button>
      </Group>
    </li>
  );
}

function Add({ onClose, onCodes }: { onClose: () => void; onCodes: (codes: string[]) => void }): ReactNode {
  const say = useTexts(factorTexts);
  const start = useAct('startPasskey', { refresh: [] });
  const add = useAct('addPasskey', { refresh: ['readSecondFactor', 'listSessions', 'readSession'] });
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<unknown>(null);

  const act = async (name: string, password: string, refused: (problem: Problem) => void): Promise<void> => {
    setBusy(true);
    setFault(null);
    try {
      const credential = await makePasskey(await start.mutateAsync({ body: { password } }));
      const { recovery_codes } = await add.mutateAsync({ body: { name, credential } });
      onClose();
      notifyDone(say('passkey_added'));
      if (recovery_codes) onCodes(recovery_codes);
    } catch (error) {
      setFault(error);
      if (error instanceof Problem) refused(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      {fault !== null && !(fault instanceof Problem) && (
        <Alert color="gray" role="alert" mb="md">
          {say(isOnDevice(fault) ? 'passkey_here' : 'passkey_not_made')}
        </Alert>
      )}
      <PasswordForm
        words={say('passkey_add_words')}
        act={say('passkey_add')}
        also="name"
        busy={busy}
        problem={fault instanceof Problem ? fault : null}
        onCancel={onClose}
        onAct={({ name, password }, refused) => void act(name, password, refused)}
      />
    </>
  );
}

type RenameProps = { passkey: PasskeyRecord | null; onClose: () => void };

function Rename({ passkey, onClose }: RenameProps): ReactNode {
  const say = useTexts(factorTexts);
  const rename = useAct('renamePasskey', { refresh: ['readSecondFactor'] });
  return (
    <NameDialog
      name={passkey?.name ?? null}
      onClose={onClose}
      title={say('passkey_rename')}
      label={say('passkey_name')}
      maxLength={100}
      save={(name) => rename.mutateAsync({ params: { passkey_id: passkey!.id }, body: { name } })}
      onSaved={() => {
        onClose();
        notifyDone(say('passkey_renamed'));
      }}
    />
  );
}

type RemoveProps = { passkey: PasskeyRecord; onClose: () => void; onRemoved: () => void };

function Remove({ passkey, onClose, onRemoved }: RemoveProps): ReactNode {
  const say = useTexts(factorTexts);
  const remove = useAct('removePasskey', { refresh: ['readSecondFactor', 'readSession'] });
  return (
    <PasswordForm
      words={say('passkey_remove_words')}
      act={say('passkey_remove')}
      busy={remove.isPending}
      problem={remove.error}
      onCancel={onClose}
      onAct={({ password }, refused) =>
        remove.mutate(
          { params: { passkey_id: passkey.id }, body: { password } },
          { onSuccess: onRemoved, onError: refused },
        )
      }
    />
  );
}
