import { Alert, Button, Code, Group, Stack } from '@mantine/core';
import { IconAlertTriangle, IconDownload } from '@tabler/icons-react';
import { useState, type ReactNode, type RefObject } from 'react';
import { useAct } from '../../../api/queries.ts';
import { useTexts } from '../../../language/texts.tsx';
import { Card } from '../../../parts/card.tsx';
import { CopyButton } from '../../../parts/copy-button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { AskBeforeClosing, useShownOnceGuard } from '../../../parts/shown-once.tsx';
import { PasswordForm } from './password-form.tsx';
import { factorTexts } from './factor-texts.ts';
import classes from './sessions.module.css';

/** Shows ten codes, which are shown only once. After the dialog closes, no part of the page contains the codes. */
export function RecoveryCodesDialog({ codes, onClose }: { codes: string[] | null; onClose: () => void }): ReactNode {
  const say = useTexts(factorTexts);
  const guard = useShownOnceGuard(codes !== null, onClose);
  return (
    <Dialog opened={codes !== null} onClose={guard.ask} title={say('codes_title')}>
      {codes !== null &&
        (guard.asking ? <AskBeforeClosing guard={guard} say={say} /> : <Codes codes={codes} onKept={guard.leave} />)}
    </Dialog>
  );
}

function Codes({ codes, onKept }: { codes: string[]; onKept: () => void }): ReactNode {
  const say = useTexts(factorTexts);
  const text = `${codes.join('\n')}\n`;
  return (
    <Stack data-copy-scope>
      <Alert color="orange" icon={<IconAlertTriangle size={18} />}>
        {say('codes_words')}
      </Alert>
      <Code block className={classes.codes} data-copy-source data-shown-once>
        {codes.join('\n')}
      </Code>
      <Group justify="flex-end" gap="xs">
        <CopyButton text={text} full label={say('codes_copy')} />
        <Button variant="default" leftSection={<IconDownload size={16} />} onClick={() => download(text)}>
          {say('codes_download')}
        </Button>
        <Button onClick={onKept}>{say('codes_kept')}</Button>
      </Group>
    </Stack>
  );
}

function download(text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = 'parley-recovery-codes.txt';
  link.click();
  URL.revokeObjectURL(url);
}

type Props = {
  left: number;
  onCodes: (codes: string[]) => void;
  renewRef: RefObject<HTMLButtonElement | null>;
};

export function RecoveryCodesCard({ left, onCodes, renewRef }: Props): ReactNode {
  const say = useTexts(factorTexts);
  const [asking, setAsking] = useState(false);
  const renew = useAct('renewRecoveryCodes', { refresh: ['readSecondFactor'] });
  return (
    <Card
      title={say('codes')}
      description={`${say('codes_hint')} ${say('codes_left', { count: left })}`}
      aside={
        <Button ref={renewRef} variant="default" onClick={() => setAsking(true)}>
          {say('codes_renew')}
        </Button>
      }
    >
      <Dialog opened={asking} onClose={() => setAsking(false)} title={say('codes_renew_title')}>
        <PasswordForm
          words={say('codes_renew_words')}
          act={say('codes_renew')}
          busy={renew.isPending}
          problem={renew.error}
          onCancel={() => setAsking(false)}
          onAct={({ password }, refused) =>
            renew.mutate(
              { body: { password } },
              {
                onSuccess: ({ recovery_codes }) => {
                  setAsking(false);
                  onCodes(recovery_codes);
                },
                onError: refused,
              },
            )
          }
        />
      </Dialog>
    </Card>
  );
}
