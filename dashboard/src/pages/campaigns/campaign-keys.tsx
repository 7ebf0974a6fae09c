import { Alert, Anchor, Button, Group, Switch, Text } from '@mantine/core';
import { IconCreditCard, IconKey } from '@tabler/icons-react';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { CampaignRecord } from '../../../../contract/dashboard/campaigns.ts';
import type { KeyRecord } from '../../../../contract/dashboard/keys.ts';
import { useRead } from '../../api/queries.ts';
import { common } from '../../language/common.ts';
import { useTexts } from '../../language/texts.tsx';
import { Empty } from '../../list/empty.tsx';
import { PagedList } from '../../list/paged-list.tsx';
import { useListState } from '../../list/use-list-state.ts';
import { useMay, useOrganization } from '../../session/session.ts';
import { RevokeDialog, RotateDialog } from '../../parts/api-keys/dialogs.tsx';
import { useKeyColumns } from '../../parts/api-keys/key-columns.tsx';
import keyClasses from '../../parts/api-keys/api-keys.module.css';
import { LostValue } from '../../parts/api-keys/lost-value.tsx';
import { UpgradeLink } from '../../parts/api-keys/upgrade-link.tsx';
import { texts } from './texts.ts';
import classes from './campaigns.module.css';
import { CreateCampaignKey } from './create-campaign-key.tsx';

const route = getRouteApi('/inside/campaigns/$campaign_id');
const PAGE = 10;
const LOOK_AGAIN_MS = 2_000;

type KeyAct = { verb: 'revoke' | 'rotate'; item: KeyRecord };

/**
 * The card lists the keys of one campaign. Only this card creates the keys, shows them once, lists them and revokes
 * them.
 */
export function CampaignKeys({ campaign }: { campaign: CampaignRecord }): ReactNode {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  const organization = useOrganization();
  const mayManage = useMay('admin');
  const { created } = route.useSearch();
  const navigate = route.useNavigate();
  const { list, all, setAll, keys } = useKeys(campaign);
  const [creating, setCreating] = useState(false);
  const [shown, setShown] = useState(false);
  const [act, setAct] = useState<KeyAct | null>(null);
  const setCreated = (id: string | undefined): void =>
    void navigate({ to: '.', search: { tab: 'keys' as const, created: id }, replace: true, resetScroll: false });
  const mayCreate = mayManage && organization.plan === 'paid' && campaign.state !== 'ended';
  const createButton = mayCreate && (
    <Button variant="default" leftSection={<IconKey size={16} />} onClick={() => setCreating(true)}>
      {say('key_create')}
    </Button>
  );
  const columns = useKeyColumns({ actions: (item) => <Actions item={item} onAct={setAct} /> });
  return (
    <section className={classes.section} aria-label={say('key')}>
      <Group justify="space-between" align="flex-start" mb="md" gap="sm">
        <Heading />
        <Group gap="md">
          <Switch
            label={say('revoked_shown')}
            checked={all}
            onChange={(event) => setAll(event.currentTarget.checked)}
          />
          {organization.plan === 'free' ? <UpgradeLink /> : (keys.data?.data.length ?? 0) > 0 && createButton}
        </Group>
      </Group>
      {organization.plan === 'free' && (
        <Alert color="orange" icon={<IconCreditCard size={18} />} mb="md">
          {say('key_free')}
        </Alert>
      )}
      {created && !shown && <LostValue keyId={created} onDismiss={() => setCreated(undefined)} />}
      <PagedList
        name="campaign_keys"
        label={say('key')}
        list={list}
        read={keys}
        columns={columns}
        faded={({ state }) => state !== 'active'}
        icon={<IconKey size={26} />}
        none={
          <Empty icon={<IconKey size={26} />} title={say('key_none')} action={createButton}>
            {!mayManage && say('key_role', { role: sayCommon(`role_${organization.role}`) })}
          </Empty>
        }
      />
      <CreateCampaignKey
        campaign={campaign}
        opened={creating}
        onMade={({ id }) => {
          setShown(true);
          setCreated(id);
        }}
        onClose={() => {
          setCreating(false);
          setShown(false);
          setCreated(undefined);
        }}
      />
      <RevokeDialog item={act?.verb === 'revoke' ? act.item : null} onClose={() => setAct(null)} />
      <RotateDialog item={act?.verb === 'rotate' ? act.item : null} onClose={() => setAct(null)} />
    </section>
  );
}

function useKeys(campaign: CampaignRecord) {
  const org_id = useOrganization().id;
  const list = useListState<object>([]);
  const [all, setAll] = useState(false);
  const keys = useRead(
    'listKeys',
    {
      params: { org_id },
      query: { campaign_id: campaign.id, state: all ? 'all' : undefined, cursor: list.cursor, limit: PAGE },
    },
    { every: LOOK_AGAIN_MS, keep: true },
  );
  return {
    list,
    all,
    setAll: (next: boolean): void => {
      setAll(next);
      // A cursor belongs to the list without, or with, the revoked keys.
      if (list.cursor !== undefined) list.toFirst();
    },
    keys,
  };
}

function Heading(): ReactNode {
  const say = useTexts(texts);
  return (
    <div className={classes.words}>
      <h2>{say('key')}</h2>
      <Text size="sm" c="dimmed">
        {say('key_hint')}{' '}
        <Anchor
          inherit
          renderRoot={(props) => (
            <Link to="/settings/integrations/api-keys" search={{ scope: 'campaign' }} {...props} />
          )}
        >
          {say('key_all')}
        </Anchor>
      </Text>
    </div>
  );
}

function Actions({ item, onAct }: { item: KeyRecord; onAct: (act: KeyAct) => void }): ReactNode {
  const say = useTexts(texts);
  const organization = useOrganization();
  return (
    <Group gap={2} justify="flex-end" wrap="nowrap">
      {organization.plan === 'paid' && (
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          aria-label={say('rotate_label', { label: item.label })}
          onClick={() => onAct({ verb: 'rotate', item })}
        >
          {say('rotate')}
        </Button>
      )}
      <Button
        size="compact-sm"
        variant="subtle"
        color="gray"
        className={keyClasses.revoke}
        aria-label={say('revoke_label', { label: item.label })}
        onClick={() => onAct({ verb: 'revoke', item })}
      >
        {say('revoke')}
      </Button>
    </Group>
  );
}
