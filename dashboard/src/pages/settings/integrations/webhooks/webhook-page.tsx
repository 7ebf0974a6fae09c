import { Alert, Button, Group, Text } from '@mantine/core';
import { IconHistory, IconPencil, IconPower, IconRefresh, IconSend, IconTrash } from '@tabler/icons-react';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { WebhookRecord } from '../../../../../../contract/dashboard/webhooks.ts';
import { useAct, useRead } from '../../../../api/queries.ts';
import { useTexts } from '../../../../language/texts.tsx';
import { Card } from '../../../../parts/card.tsx';
import { CopyFact, Fact, Facts } from '../../../../parts/fact.tsx';
import { Moment, Until } from '../../../../parts/moment.tsx';
import { PageHeader } from '../../../../parts/page-header.tsx';
import { ProblemAlert } from '../../../../parts/problem-alert.tsx';
import { RecordPage } from '../../../../parts/record-page.tsx';
import { useMay, useOrganization } from '../../../../session/session.ts';
import { Deliveries, deliveryPlace } from '../../../../parts/event-deliveries/event-deliveries.tsx';
import { EndpointDialogs, type EndpointDialog } from './endpoint-dialogs.tsx';
import type { DeliverySearch } from '../../../../parts/event-deliveries/search.ts';
import { EndpointState, EndpointTypes } from './webhook-parts.tsx';
import { texts as deliveryTexts } from '../../../../parts/event-deliveries/texts.ts';
import { texts } from './texts.ts';

const route = getRouteApi('/inside/settings/integrations/webhooks/$endpoint_id');

export function WebhookPage(): ReactNode {
  const say = useTexts(texts);
  const sayDelivery = useTexts(deliveryTexts);
  const org_id = useOrganization().id;
  const { endpoint_id } = route.useParams();
  const endpoint = useRead('readWebhook', { params: { org_id, endpoint_id } }, { every: 10_000 });
  const crumbs = [
    { label: say('settings'), to: '/settings' as const },
    { label: say('integrations') },
    { label: say('webhooks'), to: '/settings/integrations/webhooks' as const },
  ];
  return (
    <RecordPage read={endpoint} title={say('endpoint')} crumbs={crumbs}>
      {(item) => (
        <>
          <PageHeader
            title={item.description || say('endpoint')}
            crumbs={crumbs}
            badge={<EndpointState item={item} />}
            description={<span className="ltr">{item.url}</span>}
          />
          <Endpoint item={item} />
          <Card title={sayDelivery('deliveries')} description={sayDelivery('deliveries_hint')}>
            <Deliveries endpointId={item.id} />
          </Card>
        </>
      )}
    </RecordPage>
  );
}

function Endpoint({ item }: { item: WebhookRecord }): ReactNode {
  const say = useTexts(texts);
  const mayManage = useMay('admin');
  const [dialog, setDialog] = useState<EndpointDialog>(null);
  return (
    <Card title={say('endpoint')} aside={mayManage && <Actions item={item} onOpen={setDialog} />}>
      {!item.enabled && (
        <Alert color={item.disabled_reason === 'gone' ? 'red' : 'gray'} mb="md">
          {say(item.disabled_reason === 'gone' ? 'gone_words' : 'off_words')}
        </Alert>
      )}
      <Facts>
        <CopyFact label={say('url')} value={item.url} copyLabel={say('copy_url')} />
        <Fact label={say('events')}>
          <EndpointTypes types={item.types} />
        </Fact>
        <Fact label={say('created')}>
          <Moment at={item.created_at} />
        </Fact>
        <Fact label={say('secret')}>
          <Text size="sm">
            {item.previous_secret_until
              ? say.rich('both_until', { when: <Until at={item.previous_secret_until} /> })
              : say('secret_hidden')}
          </Text>
        </Fact>
      </Facts>
      <EndpointDialogs item={item} dialog={dialog} onClose={() => setDialog(null)} />
    </Card>
  );
}

function Actions({ item, onOpen }: { item: WebhookRecord; onOpen: (dialog: EndpointDialog) => void }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const navigate = useNavigate();
  const test = useAct('testWebhook', { refresh: ['listEventDeliveries'] });
  const sendTest = (): void =>
    test.mutate(
      { params: { org_id, endpoint_id: item.id } },
      {
        onSuccess: (made) =>
          void navigate({
            to: '.',
            search: (before: DeliverySearch) => ({ ...before, delivery: deliveryPlace(made) }),
            resetScroll: false,
          }),
      },
    );
  return (
    <div>
      <Group gap="xs">
        <Button
          size="xs"
          leftSection={<IconSend size={14} className="mirror" />}
          onClick={sendTest}
          loading={test.isPending}
          disabled={!item.enabled}
        >
          {say('test')}
        </Button>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconHistory size={14} className="mirror" />}
          onClick={() => onOpen('recover')}
          disabled={!item.enabled}
        >
          {say('recover')}
        </Button>
        <Button size="xs" variant="default" leftSection={<IconPencil size={14} />} onClick={() => onOpen('edit')}>
          {say('edit')}
        </Button>
        <Button size="xs" variant="default" leftSection={<IconRefresh size={14} />} onClick={() => onOpen('rotate')}>
          {say('rotate')}
        </Button>
        <Button size="xs" variant="default" leftSection={<IconPower size={14} />} onClick={() => onOpen('switch')}>
          {say(item.enabled ? 'disable' : 'enable')}
        </Button>
        <Button size="xs" variant="default" leftSection={<IconTrash size={14} />} onClick={() => onOpen('delete')}>
          {say('delete')}
        </Button>
      </Group>
      {test.error && <ProblemAlert problem={test.error} />}
    </div>
  );
}
