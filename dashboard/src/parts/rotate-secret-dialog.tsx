import { Radio, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useTexts } from '../language/texts.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';
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
      <ConfirmDialog
        opened={opened}
        onClose={onClose}
        title={say('rotate_title')}
        act={say('rotate')}
        danger={false}
        busy={busy}
        problem={problem}
        onAct={() => void act()}
      >
        <Text size="sm">{say('rotate_words')}</Text>
        <Radio.Group label={say('overlap')} value={overlap} onChange={(value) => setOverlap(value)}>
          <Stack gap="xs" mt={6}>
            {OVERLAPS.map((value) => (
              <Radio key={value} value={value} label={say(`overlap_${value}`)} />
            ))}
          </Stack>
        </Radio.Group>
      </ConfirmDialog>
      <SecretDialog secret={secret} onClose={() => setSecret(null)} />
    </>
  );
}
