import { Alert, Badge, Button, Group, SegmentedControl, Stack } from '@mantine/core';
import { IconAlertTriangle, IconGauge, IconPencil, IconRefresh, IconWorld } from '@tabler/icons-react';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { KeyRecord } from '../../../../../../contract/dashboard/keys.ts';
import { useRead } from '../../../../api/queries.ts';
import { useTexts } from '../../../../language/texts.tsx';
import { Card } from '../../../../parts/card.tsx';
import { CopyFact, Fact, Facts } from '../../../../parts/fact.tsx';
import { Moment } from '../../../../parts/moment.tsx';
import { PageHeader } from '../../../../parts/page-header.tsx';
import { PagePending } from '../../../../parts/page-pending.tsx';
import { ReadProblem } from '../../../../parts/record-page.tsx';
import { useMay, useOrganization } from '../../../../session/session.ts';
import {
  LimitsDialog,
  NetworksDialog,
  RenameDialog,
  RevokeDialog,
  RotateDialog,
} from '../../../../parts/api-keys/dialogs.tsx';
import { Limits } from '../../../../parts/api-keys/limits-field.tsx';
import { KeyHistory } from './key-history.tsx';
import type { KeyAct } from './keys-list.tsx';
import {
  LastUsed,
  Networks,
  Permissions,
  Prefix,
  Scope,
  Standing,
  personName,
} from '../../../../parts/api-keys/key-parts.tsx';
import { KeyUsageCards } from './key-usage.tsx';
import { useAgentNames, useCampaignNames, useMemberNames } from '../../../../parts/use-record-names.ts';
import { USAGE_RANGES, type UsageRange } from './search.ts';
import { texts } from '../../../../parts/api-keys/texts.ts';
import classes from '../../../../parts/api-keys/api-keys.module.css';

const route = getRouteApi('/inside/settings/integrations/api-keys/$key_id');
const LOOK_AGAIN_MS = 2_000;

export function ApiKeyPage(): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const { key_id } = route.useParams();
  const { range = '24h' } = route.useSearch();
  const navigate = route.useNavigate();
  const key = useRead('readKey', { params: { org_id, key_id } }, { every: LOOK_AGAIN_MS, live: 'keys' });
  const [verb, setVerb] = useState<KeyAct['verb'] | null>(null);
  if (key.isPending) return <PagePending />;
  const crumbs = [
    { label: say('settings'), to: '/settings' as const },
    { label: say('integrations') },
    { label: say('api_keys'), to: '/settings/integrations/api-keys' as const },
  ];
  if (!key.data)
    return (
      <>
        <PageHeader title={say('api_keys')} crumbs={crumbs} />
        <ReadProblem read={key} />
      </>
    );
  const item = key.data;
  const acting = (wanted: KeyAct['verb']): KeyRecord | null => (verb === wanted ? item : null);
  const done = (): void => setVerb(null);
  return (
    <>
      <PageHeader
        title={item.label}
        crumbs={crumbs}
        badge={<StateBadge item={item} />}
        actions={<PageActions item={item} onAct={setVerb} />}
      />
      {item.leak && <LeakAlert leak={item.leak} />}
      <KeyFacts item={item} />
      <Group justify="flex-end" mt="lg" mb="sm">
        <SegmentedControl
          size="xs"
          aria-label={say('range')}
          value={range}
          onChange={(value) => void navigate({ to: '.', search: { range: value as UsageRange }, replace: true })}
          data={USAGE_RANGES.map((value) => ({ value, label: say(`range_${value}`) }))}
        />
      </Group>
      <KeyUsageCards keyId={key_id} range={range} />
      <KeyHistory keyId={key_id} />
      <RevokeDialog item={acting('revoke')} onClose={done} />
      <RotateDialog item={acting('rotate')} onClose={done} />
      <RenameDialog item={acting('rename')} onClose={done} />
      <NetworksDialog item={acting('networks')} onClose={done} />
      <LimitsDialog item={acting('limits')} onClose={done} />
    </>
  );
}

/** The page shows the URL of the report as text without a link. */
function LeakAlert({ leak }: { leak: NonNullable<KeyRecord['leak']> }): ReactNode {
  const say = useTexts(texts);
  return (
    <Alert color="red" icon={<IconAlertTriangle size={18} />} title={say('leak_title')} mb="lg">
      <Stack gap={6}>
        <span>{say('leak_words')}</span>
        {leak.url && (
          <span>
            {say('leak_place')} <code className={classes.leakUrl}>{leak.url}</code>
            {leak.source && <> ({leak.source})</>}
          </span>
        )}
        <span>{say(leak.signed ? 'leak_signed' : 'leak_unsigned')}</span>
      </Stack>
    </Alert>
  );
}

function StateBadge({ item }: { item: KeyRecord }): ReactNode {
  const say = useTexts(texts);
  const color = { active: 'blue', revoking: 'orange', revoked: 'gray' }[item.state];
  return (
    <Badge color={color} size="lg">
      {say(`state_${item.state}`)}
    </Badge>
  );
}

function PageActions({ item, onAct }: { item: KeyRecord; onAct: (verb: KeyAct['verb']) => void }): ReactNode {
  const say = useTexts(texts);
  const mayManage = useMay('admin');
  const { plan } = useOrganization();
  if (!mayManage || item.state !== 'active') return null;
  return (
    <>
      <Button variant="default" leftSection={<IconPencil size={16} />} onClick={() => onAct('rename')}>
        {say('rename')}
      </Button>
      <Button variant="default" leftSection={<IconWorld size={16} />} onClick={() => onAct('networks')}>
        {say('networks_act')}
      </Button>
      <Button variant="default" leftSection={<IconGauge size={16} />} onClick={() => onAct('limits')}>
        {say('limits_act')}
      </Button>
      {plan === 'paid' && (
        <Button variant="default" leftSection={<IconRefresh size={16} />} onClick={() => onAct('rotate')}>
          {say('rotate')}
        </Button>
      )}
      <Button variant="default" c="var(--mantine-color-error)" onClick={() => onAct('revoke')}>
        {say('revoke')}
      </Button>
    </>
  );
}

function KeyFacts({ item }: { item: KeyRecord }): ReactNode {
  const say = useTexts(texts);
  const agentName = useAgentNames(item.agent_id ? [item.agent_id] : []);
  const campaignName = useCampaignNames(item.campaign_id ? [item.campaign_id] : []);
  const who = useMemberNames();
  return (
    <Card>
      <Facts>
        <Fact label={say('prefix')}>
          <Prefix prefix={item.prefix} />
        </Fact>
        <Fact label={say('scope')}>
          <Scope item={item} agentName={agentName} campaignName={campaignName} />
        </Fact>
        <Fact label={say('permissions')}>
          <Permissions permissions={item.permissions} />
        </Fact>
        <Fact label={say('networks')}>
          <Networks networks={item.allowed_networks} />
        </Fact>
        <Fact label={say('limits')}>
          <Limits item={item} />
        </Fact>
        <Fact label={say('last_used')}>
          <LastUsed item={item} />
        </Fact>
        <Fact label={say('created')}>
          <Moment at={item.created_at} />
        </Fact>
        <Fact label={say('created_by')}>
          <bdi>{personName(item.created_by, who, say('gone_person'), say('by_parley'))}</bdi>
        </Fact>
        {(item.state !== 'active' || item.revoke_at) && (
          <Fact label={say(`state_${item.state}`)}>
            <Standing item={item} who={who} />
          </Fact>
        )}
        {item.rotated_from && (
          <Fact label={say('rotated_from')}>
            <Link to="/settings/integrations/api-keys/$key_id" params={{ key_id: item.rotated_from }}>
              {say('older_key')}
            </Link>
          </Fact>
        )}
        <CopyFact label={say('key_id')} value={item.id} copyLabel={say('copy_key_id')} />
      </Facts>
    </Card>
  );
}
