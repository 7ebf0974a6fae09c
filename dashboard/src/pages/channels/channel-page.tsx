import { Alert } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useRead } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { RecordPage } from '../../parts/record-page.tsx';
import { useMay, useOrganization } from '../../session/session.ts';
import { AboutCard } from './about-card.tsx';
import { ChannelState } from './channel-parts.tsx';
import { CredentialsCard } from './credentials-card.tsx';
import { DisconnectCard } from './disconnect-card.tsx';
import { InstallCard } from './install-card.tsx';
import { isKnownKind } from '../../parts/channels/kinds.ts';
import { SendTest } from './send-test.tsx';
import { SettingsCard } from './settings-card.tsx';
import { texts } from './texts.ts';

const route = getRouteApi('/inside/channels/$channel_id');
const LOOK_AGAIN_MS = 2_000;

export function ChannelPage(): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const may = useMay('member');
  const { channel_id } = route.useParams();
  const channel = useRead('readChannel', { params: { org_id, channel_id } }, { every: LOOK_AGAIN_MS });
  const crumbs = [{ label: say('channels'), to: '/channels' as const }];
  return (
    <RecordPage read={channel} title={say('channels')} crumbs={crumbs}>
      {(item) => {
        const { kind } = item;
        return (
          <div>
            <PageHeader title={item.name} crumbs={crumbs} badge={<ChannelState item={item} />} />
            {item.status === 'broken' && (
              <Alert color="red" icon={<IconAlertTriangle size={18} />} title={say('broken_title')} mb="lg">
                <span dir="auto">{item.status_detail ?? say('broken_words')}</span>
              </Alert>
            )}
            <AboutCard item={item} />
            {kind === 'web_chat' && <InstallCard item={item} />}
            {may && isKnownKind(kind) && kind !== 'web_chat' && <SendTest item={item} kind={kind} />}
            <SettingsCard item={item} />
            {may && isKnownKind(kind) && <CredentialsCard item={item} kind={kind} />}
            {may && <DisconnectCard item={item} />}
          </div>
        );
      }}
    </RecordPage>
  );
}
