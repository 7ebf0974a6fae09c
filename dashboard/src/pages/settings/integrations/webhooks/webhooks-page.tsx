import { Alert, Anchor, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconWebhook } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { WebhookRecord } from '../../../../../../contract/dashboard/webhooks.ts';
import { call } from '../../../../api/client.ts';
import { refetch, useRead } from '../../../../api/queries.ts';
import { common } from '../../../../language/common.ts';
import { useTexts } from '../../../../language/texts.tsx';
import { DataList, type Column } from '../../../../list/data-list.tsx';
import { Empty } from '../../../../list/empty.tsx';
import { AddButton } from '../../../../parts/add-button.tsx';
import { Moment } from '../../../../parts/moment.tsx';
import { PageHeader } from '../../../../parts/page-header.tsx';
import { useMay, useOrganization } from '../../../../session/session.ts';
import { SecretDialog } from '../../../../parts/secret-dialog.tsx';
import { WebhookDialog, type EndpointDraft } from './webhook-form.tsx';
import { EndpointState, EndpointTypes } from './webhook-parts.tsx';
import { texts } from './texts.ts';
import classes from '../../../../parts/event-deliveries/event-deliveries.module.css';

/** The page lists the endpoints that receive events. */
export function WebhooksPage(): ReactNode {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  const { id: org_id, role } = useOrganization();
  const mayManage = useMay('admin');
  const client = useQueryClient();
  const [adding, { open, close }] = useDisclosure(false);
  const [secret, setSecret] = useState<string | null>(null);
  const endpoints = useRead('listWebhooks', { params: { org_id } }, { every: 15_000 });
  const columns = useColumns();

  // The call is not a mutation of TanStack Query, whose cache would keep the secret for minutes.
  const create = async (draft: EndpointDraft): Promise<void> => {
    const made = await call('createWebhook', { params: { org_id }, body: draft });
    close();
    setSecret(made.secret);
    void refetch(client, ['listWebhooks']);
  };
  const add = mayManage && <AddButton onClick={open}>{say('add')}</AddButton>;
  const isEmpty = endpoints.data?.data.length === 0;
  return (
    <>
      <PageHeader
        title={say('webhooks')}
        crumbs={[{ label: say('settings'), to: '/settings' }, { label: say('integrations') }]}
        hint={
          <Group gap="xs">
            <span>{say('hint')}</span>
            <Anchor href="/docs#events" target="_blank" rel="noreferrer" inherit underline="always">
              {say('reference')}
            </Anchor>
          </Group>
        }
        actions={!isEmpty && add}
      />
      {!mayManage && (
        <Alert color="gray" mb="md">
          {say('admins_only', { role: sayCommon(`role_${role}`) })}
        </Alert>
      )}
      <DataList
        label={say('webhooks')}
        read={endpoints}
        keyOf={({ id }) => id}
        columns={columns}
        faded={({ enabled }) => !enabled}
        empty={
          <Empty icon={<IconWebhook size={26} />} title={say('empty_title')} action={add}>
            {say('empty_words')}
          </Empty>
        }
      />
      <WebhookDialog opened={adding} onClose={close} title={say('add_title')} act={say('add')} onSubmit={create} />
      <SecretDialog secret={secret} onClose={() => setSecret(null)} />
    </>
  );
}

function useColumns(): Column<WebhookRecord>[] {
  const say = useTexts(texts);
  return [
    {
      id: 'endpoint',
      label: say('endpoint'),
      cell: ({ id, url, description }) => (
        <div>
          <Link to="/settings/integrations/webhooks/$endpoint_id" params={{ endpoint_id: id }} className={classes.name}>
            {url}
          </Link>
          {description && (
            <div className={classes.soft} dir="auto">
              {description}
            </div>
          )}
        </div>
      ),
    },
    { id: 'events', label: say('events'), cell: ({ types }) => <EndpointTypes types={types} />, width: '130px' },
    { id: 'state', label: say('state'), cell: (item) => <EndpointState item={item} />, width: '130px' },
    { id: 'created', label: say('created'), cell: ({ created_at }) => <Moment at={created_at} />, width: '150px' },
  ];
}
