import { Alert, Button, Group, Progress, Radio, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useAct, useRead } from '../../../../api/queries.ts';
import { common } from '../../../../language/common.ts';
import { useTexts } from '../../../../language/texts.tsx';
import { DialogForm } from '../../../../parts/dialog-form.tsx';
import { Dialog } from '../../../../parts/dialog.tsx';
import { MomentField } from '../../../../parts/moment-field.tsx';
import { useOrganization } from '../../../../session/session.ts';
import { texts } from './texts.ts';

type Props = { endpointId: string; opened: boolean; onClose: () => void };

/** The number of hours since the start of the outage. Events are stored for 30 days. */
const SINCE = { hour: 1, day: 24, week: 7 * 24, month: 30 * 24 } as const;
type Since = keyof typeof SINCE | 'other';
const HOUR_MS = 3_600_000;
const LOOK_AGAIN_MS = 2_000;
const MOST_COUNTED = 100;

/** Sends the events again that an endpoint did not accept. */
export function RecoverDialog({ endpointId, opened, onClose }: Props): ReactNode {
  const say = useTexts(texts);
  return (
    <Dialog opened={opened} onClose={onClose} title={say('recover_title')}>
      <Recover endpointId={endpointId} onClose={onClose} />
    </Dialog>
  );
}

/** The component is the only child of the dialog, so that it is reset each time the dialog opens. */
function Recover({ endpointId, onClose }: Omit<Props, 'opened'>): ReactNode {
  const org_id = useOrganization().id;
  const recover = useAct('recoverWebhook', { refresh: ['listEventDeliveries'] });
  if (recover.data) return <Outcome endpointId={endpointId} recovered={recover.data.recovered} onClose={onClose} />;
  return (
    <Choose
      busy={recover.isPending}
      problem={recover.error}
      onCancel={onClose}
      onChoose={(since) => recover.mutate({ params: { org_id, endpoint_id: endpointId }, body: { since } })}
    />
  );
}

type ChooseProps = {
  busy: boolean;
  problem: ReturnType<typeof useAct<'recoverWebhook'>>['error'];
  onCancel: () => void;
  onChoose: (since: string) => void;
};

function Choose({ onChoose, ...form }: ChooseProps): ReactNode {
  const say = useTexts(texts);
  const [since, setSince] = useState<Since>('day');
  const [other, setOther] = useState<string | undefined>();
  const [isMissing, setMissing] = useState(false);
  const send = (): void => {
    const at = since === 'other' ? other : new Date(Date.now() - SINCE[since] * HOUR_MS).toISOString();
    setMissing(at === undefined);
    if (at !== undefined) onChoose(at);
  };
  return (
    <DialogForm
      {...form}
      act={say('recover')}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Text size="sm">{say('recover_words')}</Text>
      <Radio.Group label={say('since')} value={since} onChange={setSince}>
        <Stack gap="xs" mt={6}>
          {([...Object.keys(SINCE), 'other'] as Since[]).map((value) => (
            <Radio key={value} value={value} label={say(`since_${value}`)} />
          ))}
        </Stack>
      </Radio.Group>
      {since === 'other' && (
        <MomentField
          label={say('since_when')}
          at={other}
          onChange={setOther}
          error={isMissing ? say('since_missing') : undefined}
        />
      )}
    </DialogForm>
  );
}

type OutcomeProps = { endpointId: string; recovered: number; onClose: () => void };

/** Other events of the endpoint may wait too, so the bar never shows more than all events as sent. */
function Outcome({ endpointId, recovered, onClose }: OutcomeProps): ReactNode {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  const org_id = useOrganization().id;
  const read = useRead(
    'listEventDeliveries',
    { params: { org_id }, query: { endpoint_id: endpointId, state: 'pending', limit: MOST_COUNTED } },
    { every: LOOK_AGAIN_MS, enabled: recovered > 0 },
  );
  const waiting = read.data?.data.length;
  const isMany = read.data?.has_more === true;
  const sent = isMany || waiting === undefined ? 0 : Math.max(0, recovered - waiting);
  return (
    <Stack>
      <Alert color={recovered > 0 ? 'teal' : 'gray'}>
        {recovered > 0 ? say('recovering', { count: recovered }) : say('nothing_to_recover')}
      </Alert>
      {recovered > 0 && waiting !== undefined && (
        <div aria-live="polite">
          <Progress value={(100 * sent) / recovered} aria-label={say('recover_progress')} />
          <Text size="sm" mt={6}>
            {isMany ? say('many_wait') : waiting === 0 ? say('none_wait') : say('wait', { count: waiting })}
          </Text>
        </div>
      )}
      <Group justify="flex-end">
        <Button onClick={onClose} data-autofocus>
          {sayCommon('close')}
        </Button>
      </Group>
    </Stack>
  );
}
