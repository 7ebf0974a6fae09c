import { Button, Drawer, Group, Stack, Text, Title } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { DeliveryAttempt, EventDeliveryDetail } from '../../../../contract/dashboard/webhooks.ts';
import { useAct, useRead } from '../../api/queries.ts';
import { number } from '../../language/format.ts';
import { useTexts } from '../../language/texts.tsx';
import { CodeBlock } from '../code-tabs.tsx';
import { CopyFact, Fact, Facts } from '../fact.tsx';
import { Moment, Until, useNow } from '../moment.tsx';
import { notifyDone } from '../notify.tsx';
import { PagePending } from '../page-pending.tsx';
import { ProblemAlert } from '../problem-alert.tsx';
import { useMay, useOrganization } from '../../session/session.ts';
import { DeliveryState } from './delivery-state.tsx';
import { texts, type DeliveryWord } from './texts.ts';
import classes from './event-deliveries.module.css';

/** While the delivery is in progress, the next attempt appears live. */
const WATCH_MS = 1_000;
/** An attempt that is due this soon appears live. */
const SOON_MS = 10_000;

export function DeliveryDrawer({ place, onClose }: { place: string | undefined; onClose: () => void }): ReactNode {
  const say = useTexts(texts);
  return (
    <Drawer opened={place !== undefined} onClose={onClose} position="right" size={600} title={say('delivery')}>
      {place !== undefined && <Read place={place} />}
    </Drawer>
  );
}

function Read({ place }: { place: string }): ReactNode {
  const org_id = useOrganization().id;
  const [event_id, endpoint_id] = place.split('.') as [string, string];
  const read = useRead('readEventDelivery', { params: { org_id, event_id, endpoint_id } }, { every: WATCH_MS });
  if (read.isPending) return <PagePending />;
  if (!read.data) return <ProblemAlert problem={read.error} onRetry={() => void read.refetch()} />;
  return <Detail item={read.data} />;
}

function Detail({ item }: { item: EventDeliveryDetail }): ReactNode {
  const say = useTexts(texts);
  const now = useNow();
  const isWaiting =
    item.state === 'pending' && item.attempts > 0 && Date.parse(item.next_attempt_at ?? '') > now + SOON_MS;
  return (
    <Stack gap="lg">
      <Group justify="space-between">
        <span className={classes.name}>{item.type}</span>
        <DeliveryState state={item.state} />
      </Group>
      <Facts>
        <CopyFact label={say('event_id')} value={item.event_id} copyLabel={say('copy_event_id')} />
        <Fact label={say('to')}>
          <span className={classes.code}>{item.endpoint_url}</span>
        </Fact>
        <Fact label={say('when')}>
          <Moment at={item.created_at} />
        </Fact>
      </Facts>
      {isWaiting && <Text size="sm">{say.rich('next_attempt', { when: <Until at={item.next_attempt_at!} /> })}</Text>}
      <Resend item={item} />
      <div>
        <Title order={3} size="h5" mb="xs">
          {say('attempts')}
        </Title>
        <Attempts history={item.history} />
      </div>
      <div>
        <Title order={3} size="h5" mb="xs">
          {say('body')}
        </Title>
        <CodeBlock code={JSON.stringify(JSON.parse(item.body), null, 2)} label={say('body')} />
      </div>
    </Stack>
  );
}

function Resend({ item }: { item: EventDeliveryDetail }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const mayManage = useMay('admin');
  const resend = useAct('resendEventDelivery', { refresh: ['readEventDelivery', 'listEventDeliveries'] });
  if (!mayManage) return null;
  const { event_id, endpoint_id } = item;
  return (
    <div>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconRefresh size={14} />}
        loading={resend.isPending}
        onClick={() =>
          resend.mutate({ params: { org_id, event_id, endpoint_id } }, { onSuccess: () => notifyDone(say('resent')) })
        }
      >
        {say('resend')}
      </Button>
      {resend.error && <ProblemAlert problem={resend.error} />}
    </div>
  );
}

function Attempts({ history }: { history: readonly DeliveryAttempt[] }): ReactNode {
  const say = useTexts(texts);
  if (history.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {say('no_attempt')}
      </Text>
    );
  return (
    <ol className={classes.attempts}>
      {history.map((attempt, index) => (
        <li key={attempt.at}>
          <Group justify="space-between" gap="xs">
            <Text size="sm" fw={570}>
              {say('attempt', { count: index + 1 })}
              {': '}
              <span className="ltr">{attempt.status ?? say('no_answer')}</span>
            </Text>
            <Text size="xs" c="dimmed">
              <Moment at={attempt.at} /> · {say('took', { count: number(say.language, attempt.duration_ms) })}
            </Text>
          </Group>
          {attempt.error && <Fault error={attempt.error} />}
          {attempt.response && <pre>{attempt.response}</pre>}
        </li>
      ))}
    </ol>
  );
}

/** Shows the server's sentence. In Arabic, shows the meaning of the code. */
function Fault({ error }: { error: NonNullable<DeliveryAttempt['error']> }): ReactNode {
  const say = useTexts(texts);
  const word = `error_${error.code}` as DeliveryWord;
  return (
    <Text size="sm" mt={4} dir="auto">
      {say.language === 'ar' && Object.hasOwn(texts.ar, word) ? say(word) : error.detail}
    </Text>
  );
}
