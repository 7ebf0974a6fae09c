import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useRead } from '../../../api/queries.ts';
import { common } from '../../../language/common.ts';
import { useTexts } from '../../../language/texts.tsx';
import { Card } from '../../../parts/card.tsx';
import { PageHeader } from '../../../parts/page-header.tsx';
import { RecordPage } from '../../../parts/record-page.tsx';
import { useMay, useOrganization } from '../../../session/session.ts';
import { DomainsCard } from './domains-card.tsx';
import { ProviderCard } from './provider-card.tsx';
import { texts } from './texts.ts';

/** The page sets the OpenID provider of the organization, and the domains whose people may sign in with it. */
export function SignInSettingsPage(): ReactNode {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  const organization = useOrganization();
  const may = useMay('owner');
  return (
    <>
      <PageHeader
        title={say('sign_in')}
        crumbs={[{ label: say('settings'), to: '/settings' }]}
        hint={say.rich('sign_in_hint', { organization: <bdi>{organization.name}</bdi> })}
      />
      {may ? (
        <Settings key={organization.id} orgId={organization.id} />
      ) : (
        <Card>
          <Text size="sm">{say('owners_only', { role: sayCommon(`role_${organization.role}`) })}</Text>
        </Card>
      )}
    </>
  );
}

function Settings({ orgId }: { orgId: string }): ReactNode {
  const say = useTexts(texts);
  const settings = useRead('readSignInSettings', { params: { org_id: orgId } });
  return (
    <RecordPage read={settings} title={say('sign_in')}>
      {(found) => (
        <>
          <ProviderCard orgId={orgId} settings={found} />
          <DomainsCard orgId={orgId} domains={found.domains} />
        </>
      )}
    </RecordPage>
  );
}
