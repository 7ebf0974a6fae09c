import { ActionIcon, Button } from '@mantine/core';
import { IconDots, IconKey, IconGauge, IconPencil, IconRefresh, IconWorld } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { KeyRecord } from '../../../../../../contract/dashboard/keys.ts';
import type { Problem } from '../../../../api/client.ts';
import { useTexts } from '../../../../language/texts.tsx';
import { Empty } from '../../../../list/empty.tsx';
import { PagedList } from '../../../../list/paged-list.tsx';
import type { ListState } from '../../../../list/use-list-state.ts';
import { Menu, MenuItem } from '../../../../parts/menu.tsx';
import { useOrganization } from '../../../../session/session.ts';
import { useKeyColumns } from '../../../../parts/api-keys/key-columns.tsx';
import { Permissions, Scope } from '../../../../parts/api-keys/key-parts.tsx';
import { useAgentNames, useCampaignNames } from '../../../../parts/use-record-names.ts';
import { texts } from '../../../../parts/api-keys/texts.ts';
import classes from '../../../../parts/api-keys/api-keys.module.css';

export type KeyAct = { verb: 'revoke' | 'rotate' | 'rename' | 'networks' | 'limits'; item: KeyRecord };

type Props = {
  keys: UseQueryResult<{ data: KeyRecord[]; next_cursor: string | null }, Problem>;
  list: ListState<object>;
  createButton: ReactNode;
  onAct: (act: KeyAct) => void;
  mayManage: boolean;
};

export function KeysList({ keys, list, createButton, onAct, mayManage }: Props): ReactNode {
  const say = useTexts(texts);
  const rows = keys.data?.data ?? [];
  const agentName = useAgentNames(rows.flatMap(({ agent_id }) => agent_id ?? []));
  const campaignName = useCampaignNames(rows.flatMap(({ campaign_id }) => campaign_id ?? []));
  const columns = useKeyColumns({
    more: [
      {
        id: 'scope',
        label: say('scope'),
        cell: (item) => <Scope item={item} agentName={agentName} campaignName={campaignName} />,
      },
      {
        id: 'permissions',
        label: say('permissions'),
        cell: ({ permissions }) => <Permissions permissions={permissions} />,
      },
    ],
    besideState: (item) =>
      mayManage &&
      item.state === 'active' &&
      item.revoke_at && (
        <Button
          size="compact-xs"
          variant="subtle"
          color="red"
          c="var(--mantine-color-error)"
          onClick={() => onAct({ verb: 'revoke', item })}
        >
          {say('revoke_now')}
        </Button>
      ),
    actions: (item) => <Actions item={item} onAct={onAct} />,
  });
  return (
    <PagedList
      name="keys"
      label={say('api_keys')}
      list={list}
      read={keys}
      columns={columns}
      faded={({ state }) => state !== 'active'}
      icon={<IconKey size={26} />}
      none={
        <Empty icon={<IconKey size={26} />} title={say('empty_title')} action={createButton}>
          {say('empty_words')}
        </Empty>
      }
    />
  );
}

function Actions({ item, onAct }: { item: KeyRecord; onAct: (act: KeyAct) => void }): ReactNode {
  const say = useTexts(texts);
  const { plan } = useOrganization();
  return (
    <div className={classes.actions}>
      <Button
        size="compact-sm"
        variant="subtle"
        color="gray"
        className={classes.revoke}
        aria-describedby={`label-${item.id}`}
        onClick={() => onAct({ verb: 'revoke', item })}
      >
        {say('revoke')}
      </Button>
      <Menu
        label={say('more', { label: item.label })}
        align="end"
        button={(opener) => (
          <ActionIcon variant="subtle" color="gray" aria-label={say('more', { label: item.label })} {...opener}>
            <IconDots size={17} />
          </ActionIcon>
        )}
      >
        <MenuItem icon={<IconPencil size={16} />} onClick={() => onAct({ verb: 'rename', item })}>
          {say('rename')}
        </MenuItem>
        <MenuItem icon={<IconWorld size={16} />} onClick={() => onAct({ verb: 'networks', item })}>
          {say('networks_act')}
        </MenuItem>
        <MenuItem icon={<IconGauge size={16} />} onClick={() => onAct({ verb: 'limits', item })}>
          {say('limits_act')}
        </MenuItem>
        <MenuItem
          icon={<IconRefresh size={16} />}
          // A new key requires the paid plan, like any other key.
          disabled={plan === 'free'}
          onClick={() => onAct({ verb: 'rotate', item })}
        >
          {say('rotate')}
        </MenuItem>
      </Menu>
    </div>
  );
}
