import { Button, Group, Radio, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { common } from '../language/common.ts';
import { useTexts } from '../language/texts.tsx';
import { Dialog } from './dialog.tsx';
import { ProblemAlert } from './problem-alert.tsx';
import { SecretDialog } from './secret-dialog.tsx';
import { secretTexts } from './secret-texts.ts';
import { useCreateSecret } from './use-create-secret.ts';

const OVERLAPS = ['now', '1h', '24h', '7d'] as const;
type Overlap = (typeof OVERLAPS)[number];

/** `rotate`: resolves with the new secret, which is then shown once. */
type Props = { opened: boolean; onClose: () => void; rotate: (overlap: Overlap) => Promise<string> };

/** Replaces a signing secret, with an overlap. */
export function RotateSecretDialog({ opened, onClose, rotate }: Props): ReactNode {
  const say = useTexts(secretTexts);
  const sayCommon = useTexts(common);
  const [overlap, setOverlap] = useState<Overlap>('24h');
  const [secret, setSecret] = useState<string | null>(null);
  const { busy, problem, make } = useCreateSecret(rotate);
  const act = async (): Promise<void> => {
    const outcome = await make(overlap);
    if ('refused' in outcome) return;
    onClose();
    setSecret(outcome.made);
  };
  return (
    <>
      <Dialog opened={opened} onClose={onClose} title={say('rotate_title')}>
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
            <Button onClick={() => void act()} loading={busy}>
              {say('rotate')}
            </Button>
          </Group>
        </Stack>
      </Dialog>
      <SecretDialog secret={secret} onClose={() => setSecret(null)} />
    </>
  );
}
