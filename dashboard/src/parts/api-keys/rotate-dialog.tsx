import { Button, Group, Radio, Stack, Text } from '@mantine/core';
import { useState, type FormEvent, type ReactNode } from 'react';
import type { KeyRecord, NewKey } from '../../../../contract/dashboard/keys.ts';
import { call } from '../../api/client.ts';
import { common } from '../../language/common.ts';
import { useTexts } from '../../language/texts.tsx';
import { Dialog } from '../dialog.tsx';
import { ProblemAlert } from '../problem-alert.tsx';
import { useOrganization } from '../../session/session.ts';
import { useCreateSecret } from '../use-create-secret.ts';
import { useShownOnce } from '../shown-once.tsx';
import { ShownOnce } from './create/shown-once.tsx';
import { texts } from './texts.ts';
import classes from './api-keys.module.css';

const OVERLAPS = ['now', '1h', '24h', '7d'] as const;
type Overlap = (typeof OVERLAPS)[number];

export function RotateDialog({ item, onClose }: { item: KeyRecord | null; onClose: () => void }): ReactNode {
  const say = useTexts(texts);
  const { made, setMade, guard } = useShownOnce<NewKey>(onClose, ['listKeys', 'readKey', 'listAudit']);
  return (
    <Dialog
      opened={item !== null || made !== null}
      onClose={made ? guard.ask : onClose}
      title={made ? say('ready') : item && say('rotate_title', { label: `\u2068${item.label}\u2069` })}
      size={made ? 720 : 'md'}
    >
      {made ? (
        <ShownOnce made={made} guard={guard} />
      ) : (
        item && <Choose item={item} onCancel={onClose} onMade={setMade} />
      )}
    </Dialog>
  );
}

type ChooseProps = { item: KeyRecord; onCancel: () => void; onMade: (made: NewKey) => void };

function Choose({ item, onCancel, onMade }: ChooseProps): ReactNode {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  const org_id = useOrganization().id;
  const [overlap, setOverlap] = useState<Overlap>('24h');
  const { busy, problem, make } = useCreateSecret(() =>
    call('rotateKey', { params: { org_id, key_id: item.id }, body: { overlap } }),
  );
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const outcome = await make();
    if ('made' in outcome) onMade(outcome.made);
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack>
        <Text size="sm">{say('rotate_words')}</Text>
        <Radio.Group label={say('overlap')} value={overlap} onChange={(value) => setOverlap(value)}>
          <div className={classes.choices}>
            {OVERLAPS.map((value) => (
              <div key={value} className={classes.choice}>
                <Radio value={value} label={say(`overlap_${value}`)} description={say(`overlap_${value}_hint`)} />
              </div>
            ))}
          </div>
        </Radio.Group>
        {problem && <ProblemAlert problem={problem} />}
        {problem?.status === 0 && (
          <Text size="sm" className={classes.reason}>
            {say('unknown_outcome')}
          </Text>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel} disabled={busy} data-autofocus>
            {sayCommon('cancel')}
          </Button>
          <Button type="submit" loading={busy}>
            {say('rotate_act')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
