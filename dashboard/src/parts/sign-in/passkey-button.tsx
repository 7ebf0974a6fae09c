import { Alert, Button } from '@mantine/core';
import { IconFingerprint } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import type { SessionView } from '../../../../contract/dashboard/sign-in.ts';
import { Problem } from '../../api/client.ts';
import { useAct } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { hasPasskeys, showPasskey } from '../passkey.ts';
import { ProblemAlert } from '../problem-alert.tsx';
import { texts } from './texts.ts';

type Props = {
  onEntered: (session: SessionView) => void;
  /** The other way to sign in on the same page. */
  other: 'password' | 'code';
};

/** Signs in with any passkey of this site on the device. The sign-in requires no e-mail address. */
export function PasskeyButton({ onEntered, other }: Props): ReactNode {
  const say = useTexts(texts);
  const start = useAct('startPasskeySignIn', { refresh: [] });
  const signIn = useAct('signInWithPasskey', { refresh: [] });
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<unknown>(null);
  if (!hasPasskeys()) return null;

  const act = async (): Promise<void> => {
    setBusy(true);
    setFault(null);
    try {
      const body = await showPasskey(await start.mutateAsync({}));
      onEntered(await signIn.mutateAsync({ body }));
    } catch (error) {
      setFault(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      {fault instanceof Problem && <ProblemAlert problem={fault} />}
      {fault !== null && !(fault instanceof Problem) && (
        <Alert color="gray" role="alert">
          {say(other === 'code' ? 'passkey_or_code' : 'passkey_not_used')}
        </Alert>
      )}
      <Button
        variant="default"
        size="md"
        fullWidth
        leftSection={<IconFingerprint size={18} />}
        loading={busy}
        onClick={() => void act()}
      >
        {say('with_passkey')}
      </Button>
    </>
  );
}
