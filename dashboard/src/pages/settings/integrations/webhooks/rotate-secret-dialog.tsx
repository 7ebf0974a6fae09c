import { Button, Group, Modal, Radio, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Problem } from '../../../../api/client.ts';
import { common } from '../../../../language/common.ts';
import { useWords } from '../../../../language/words.tsx';
import { ProblemAlert } from '../../../../parts/problem-alert.tsx';
import { SecretDialog } from './secret-dialog.tsx';
import { words } from './words.ts';

const OVERLAPS = ['now', '1h', '24h', '7d'] as const;
type Overlap = (typeof OVERLAPS)[number];

/** `rotate` resolves to the new secret, which is then shown once. */
type Props = { opened: boolean; onClose: () => void; rotate: (overlap: Overlap) => Promise<string> };

/** Replaces a signing secret, with an overlap. */
export function RotateSecretDialog({ opened, onClose, rotate }: Props): ReactNode {
  const say = useWords(words);
  const sayCommon = useWords(common);
  const [overlap, setOverlap] = useState<Overlap>('24h');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const act = async (): Promise<void> => {
    setBusy(true);
    setProblem(null);
    try {
      // Not a mutation of TanStack Query: its cache would hold the secret for minutes.
      const made = await rotate(overlap);
      onClose();
      setSecret(made);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Modal opened={opened} onClose={onClose} title={say('rotate_title')}>
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
      </Modal>
      <SecretDialog secret={secret} onClose={() => setSecret(null)} />
    </>
  );
}
