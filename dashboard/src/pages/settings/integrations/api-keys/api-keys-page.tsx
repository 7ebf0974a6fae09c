import { Alert, NativeSelect, Switch } from '@mantine/core';
import { IconCreditCard, IconEye } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { KEY_SCOPES, PERMISSIONS } from '../../../../../../contract/permissions.ts';
import { useRead } from '../../../../api/queries.ts';
import { common } from '../../../../language/common.ts';
import { useTexts } from '../../../../language/texts.tsx';
import { FilterBar } from '../../../../list/filter-bar.tsx';
import { useListState } from '../../../../list/use-list-state.ts';
import { AddButton } from '../../../../parts/add-button.tsx';
import { PageHeader } from '../../../../parts/page-header.tsx';
import { useMay, useOrganization } from '../../../../session/session.ts';
import { BaseUrlCard } from './base-url-card.tsx';
import { ScannerHelp } from './scanner-help.tsx';
import { type KeyAct, KeysList } from './keys-list.tsx';
import {
  CreateKeyDialog,
  LimitsDialog,
  NetworksDialog,
  RenameDialog,
  RevokeDialog,
  RotateDialog,
} from '../../../../parts/api-keys/dialogs.tsx';
import { usePartsInOrder } from '../../../../parts/use-parts-in-order.ts';
import { LostValue } from '../../../../parts/api-keys/lost-value.tsx';
import type { KeysSearch } from './search.ts';
import { UpgradeLink } from '../../../../parts/api-keys/upgrade-link.tsx';
import { texts } from '../../../../parts/api-keys/texts.ts';

const route = getRouteApi('/inside/settings/integrations/api-keys');
const PAGE = 20;
/** A change of "last used" is visible within a second. A list without activity sends few requests. */
const LOOK_AGAIN_MS = 2_000;

export function ApiKeysPage(): ReactNode {
  const say = useTexts(texts);
  const organization = useOrganization();
  const mayManage = useMay('admin');
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [act, setAct] = useState<KeyAct | null>(null);
  const [shown, setShown] = useState(false);
  const list = useListState<Omit<KeysSearch, 'create' | 'created' | 'cursor'>>([
    'text',
    'scope',
    'permission',
    'state',
    'agent_id',
  ]);
  const inOrder = usePartsInOrder();
  const keys = useRead(
    'listKeys',
    { params: { org_id: organization.id }, query: { ...list.filters, cursor: list.cursor, limit: PAGE } },
    { every: LOOK_AGAIN_MS, live: 'keys', keep: true },
  );
  const mayCreate = mayManage && organization.plan === 'paid';
  const go = (change: Partial<KeysSearch>, replace = true): void =>
    void navigate({ to: '.', search: (before: KeysSearch) => ({ ...before, ...change }), replace });
  const createButton = mayCreate && (
    <AddButton onClick={() => go({ create: '', created: undefined }, false)}>{say('create')}</AddButton>
  );
  const empty = keys.data?.data.length === 0 && !list.filtered;

  return (
    <>
      <PageHeader
        title={say('api_keys')}
        crumbs={[{ label: say('settings'), to: '/settings' }, { label: say('integrations') }]}
        hint={say('hint')}
        actions={organization.plan === 'free' ? <UpgradeLink /> : createButton}
      />
      <Standing empty={empty} />
      {search.created && !shown && <LostValue keyId={search.created} onDismiss={() => go({ created: undefined })} />}
      <BaseUrlCard />
      <Filters list={list} />
      <div {...inOrder}>
        <KeysList keys={keys} list={list} createButton={createButton} onAct={setAct} mayManage={mayManage} />
        <ScannerHelp />
      </div>
      <CreateKeyDialog
        opened={search.create !== undefined && mayCreate}
        agentId={search.create || null}
        onMade={({ id }) => {
          setShown(true);
          go({ create: undefined, created: id });
        }}
        onClose={() => {
          setShown(false);
          go({ create: undefined, created: undefined });
        }}
      />
      <RevokeDialog item={act?.verb === 'revoke' ? act.item : null} onClose={() => setAct(null)} />
      <RotateDialog item={act?.verb === 'rotate' ? act.item : null} onClose={() => setAct(null)} />
      <RenameDialog item={act?.verb === 'rename' ? act.item : null} onClose={() => setAct(null)} />
      <LimitsDialog item={act?.verb === 'limits' ? act.item : null} onClose={() => setAct(null)} />
      <NetworksDialog item={act?.verb === 'networks' ? act.item : null} onClose={() => setAct(null)} />
    </>
  );
}

/** The reason why an action is not available: the plan, or the user's role. */
function Standing({ empty }: { empty: boolean }): ReactNode {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  const organization = useOrganization();
  const mayManage = useMay('admin');
  return (
    <>
      {organization.plan === 'free' && (
        <Alert color="orange" icon={<IconCreditCard size={18} />} title={say('free_title')} mb="lg">
          {say(empty ? 'free_words_empty' : 'free_words')}
        </Alert>
      )}
      {!mayManage && (
        <Alert color="gray" icon={<IconEye size={18} />} title={say('read_only_title')} mb="lg">
          {say.rich('read_only', {
            organization: <bdi>{organization.name}</bdi>,
            role: sayCommon(`role_${organization.role}`),
          })}
        </Alert>
      )}
    </>
  );
}

function Filters({
  list,
}: {
  list: ReturnType<typeof useListState<Omit<KeysSearch, 'create' | 'created' | 'cursor'>>>;
}) {
  const say = useTexts(texts);
  const { filters, setFilters } = list;
  return (
    <FilterBar
      text={filters.text}
      onText={(text) => setFilters({ text })}
      placeholder={say('filter_text')}
      filtered={list.filtered}
      onClear={list.clear}
    >
      <NativeSelect
        aria-label={say('scope')}
        flex="1 1 150px"
        maw={200}
        value={filters.scope ?? ''}
        data={[
          { value: '', label: say('any_scope') },
          ...KEY_SCOPES.map((scope) => ({ value: scope, label: say(`scope_${scope}`) })),
        ]}
        onChange={({ currentTarget: { value } }) => setFilters({ scope: KEY_SCOPES.find((scope) => scope === value) })}
      />
      <NativeSelect
        aria-label={say('permissions')}
        flex="1 1 150px"
        maw={200}
        value={filters.permission ?? ''}
        data={[
          { value: '', label: say('any_permission') },
          ...PERMISSIONS.map((permission) => ({ value: permission, label: say(`permission_${permission}`) })),
        ]}
        onChange={({ currentTarget: { value } }) =>
          setFilters({ permission: PERMISSIONS.find((permission) => permission === value) })
        }
      />
      <Switch
        label={say('show_revoked')}
        checked={filters.state !== undefined}
        onChange={(event) => setFilters({ state: event.currentTarget.checked ? 'all' : undefined })}
      />
    </FilterBar>
  );
}
