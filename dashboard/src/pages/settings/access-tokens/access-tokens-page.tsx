import { Badge, Button, Group, Switch, Text } from '@mantine/core';
import { IconTerminal2 } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import type { AccessTokenRecord } from '../../../../../contract/dashboard/access-tokens.ts';
import { useRead } from '../../../api/queries.ts';
import { common } from '../../../language/common.ts';
import { useTexts } from '../../../language/texts.tsx';
import type { Column } from '../../../list/data-list.tsx';
import { Empty } from '../../../list/empty.tsx';
import { useCreating } from '../../../list/list-page.tsx';
import { hasNone, PagedList } from '../../../list/paged-list.tsx';
import { useListState } from '../../../list/use-list-state.ts';
import { AddButton } from '../../../parts/add-button.tsx';
import { Moment, Until, useNow } from '../../../parts/moment.tsx';
import { PageHeader } from '../../../parts/page-header.tsx';
import { useMay, useOrganization, useSession } from '../../../session/session.ts';
import { CreateTokenDialog, ReplaceTokenDialog, RevokeTokenDialog } from './token-dialogs.tsx';
import keyClasses from '../../../parts/api-keys/api-keys.module.css';
import { texts } from './texts.ts';

const PAGE = 20;
const LOOK_AGAIN_MS = 5_000;
const SOON_MS = 7 * 86_400_000;

type Act = { verb: 'revoke' | 'replace'; item: AccessTokenRecord };

export function AccessTokensPage(): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const [creating, setCreating] = useCreating();
  const [act, setAct] = useState<Act | null>(null);
  const list = useListState<{ state?: 'all' }>(['state']);
  const read = useRead(
    'listAccessTokens',
    { params: { org_id }, query: { ...list.filters, cursor: list.cursor, limit: PAGE } },
    { every: LOOK_AGAIN_MS, keep: true },
  );
  const columns = useColumns(setAct);
  const add = <AddButton onClick={() => setCreating(true)}>{say('create')}</AddButton>;
  const isBare = hasNone({ list, read });
  return (
    <>
      <PageHeader
        title={say('title')}
        crumbs={[{ label: say('settings'), to: '/settings' }]}
        hint={say('hint')}
        actions={!isBare && add}
      />
      <Switch
        mb="md"
        label={say('show_ended')}
        checked={list.filters.state !== undefined}
        onChange={(event) => list.setFilters({ state: event.currentTarget.checked ? 'all' : undefined })}
      />
      <PagedList
        name="access_tokens"
        label={say('title')}
        list={list}
        read={read}
        columns={columns}
        faded={({ state }) => state !== 'active'}
        icon={<IconTerminal2 size={26} />}
        none={
          <Empty icon={<IconTerminal2 size={26} />} title={say('empty_title')} action={add}>
            {say('empty_words')}
          </Empty>
        }
      />
      <CreateTokenDialog opened={creating} onClose={() => setCreating(false)} />
      <RevokeTokenDialog item={act?.verb === 'revoke' ? act.item : null} onClose={() => setAct(null)} />
      <ReplaceTokenDialog item={act?.verb === 'replace' ? act.item : null} onClose={() => setAct(null)} />
    </>
  );
}

function useColumns(onAct: (act: Act) => void): Column<AccessTokenRecord>[] {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  return [
    { id: 'label', label: say('label'), cell: (item) => <Label item={item} /> },
    { id: 'belongs_to', label: say('belongs_to'), cell: (item) => <Whose item={item} /> },
    {
      id: 'verbs',
      label: say('verbs'),
      cell: ({ verbs, agent_ids }) => (
        <div>
          <Text size="sm">{verbs.map((verb) => say(`verb_${verb}`)).join(say.language === 'ar' ? '، ' : ', ')}</Text>
          {agent_ids && (
            <Text size="xs" c="dimmed">
              {say('some_agents', { count: agent_ids.length })}
            </Text>
          )}
        </div>
      ),
    },
    { id: 'expires', label: say('expires'), cell: (item) => <Expiry item={item} /> },
    {
      id: 'last_used',
      label: say('last_used'),
      cell: ({ last_used_at }) => (last_used_at ? <Moment at={last_used_at} /> : sayCommon('never')),
    },
    {
      id: 'actions',
      label: sayCommon('actions'),
      hidden: true,
      align: 'end',
      cell: (item) => <Actions item={item} onAct={onAct} />,
    },
  ];
}

function Label({ item: { id, label, prefix } }: { item: AccessTokenRecord }): ReactNode {
  return (
    <div>
      <Text size="sm" fw={550} dir="auto" id={`label-${id}`}>
        {label}
      </Text>
      <Text size="xs" c="dimmed" component="span" className="ltr" ff="monospace">
        {prefix}…
      </Text>
    </div>
  );
}

function Whose({ item: { kind, user_id, user_name } }: { item: AccessTokenRecord }): ReactNode {
  const say = useTexts(texts);
  const { user } = useSession();
  const name = <bdi>{user_name ?? say('gone_person')}</bdi>;
  if (kind === 'organization') return <Text size="sm">{say.rich('of_organization', { name })}</Text>;
  return <Text size="sm">{user_id === user.id ? say('kind_person') : name}</Text>;
}

function Expiry({ item: { state, expires_at } }: { item: AccessTokenRecord }): ReactNode {
  const say = useTexts(texts);
  const now = useNow();
  if (state !== 'active') return <Badge color="gray">{say(state)}</Badge>;
  if (expires_at === null) return <Text size="sm">{say('days_none')}</Text>;
  const isSoon = Date.parse(expires_at) - now < SOON_MS;
  return (
    <Group gap={8}>
      <Until at={expires_at} />
      {isSoon && <Badge color="orange">{say('soon')}</Badge>}
    </Group>
  );
}

function Actions({ item, onAct }: { item: AccessTokenRecord; onAct: (act: Act) => void }): ReactNode {
  const say = useTexts(texts);
  const { user } = useSession();
  const mayManage = useMay('admin');
  if (item.state === 'revoked') return null;
  const mayReplace = item.kind === 'organization' ? mayManage : item.user_id === user.id;
  return (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      {mayReplace && (
        <Button
          size="compact-sm"
          variant="subtle"
          aria-describedby={`label-${item.id}`}
          onClick={() => onAct({ verb: 'replace', item })}
        >
          {say('replace')}
        </Button>
      )}
      <Button
        size="compact-sm"
        variant="subtle"
        color="gray"
        className={keyClasses.revoke}
        aria-describedby={`label-${item.id}`}
        onClick={() => onAct({ verb: 'revoke', item })}
      >
        {say('revoke')}
      </Button>
    </Group>
  );
}
