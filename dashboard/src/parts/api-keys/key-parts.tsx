import { Badge, Group, Skeleton, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { KeyRecord } from '../../../../contract/dashboard/keys.ts';
import type { Permission } from '../../../../contract/permissions.ts';
import { relative } from '../../language/format.ts';
import { common } from '../../language/common.ts';
import { useTexts } from '../../language/texts.tsx';
import { Moment, Until, useNow } from '../moment.tsx';
import { NoValue } from '../no-value.tsx';
import { Tip } from '../tip.tsx';
import { useOrganization } from '../../session/session.ts';
import type { NameOf } from '../use-record-names.ts';
import { texts } from './texts.ts';
import classes from './api-keys.module.css';

export const Prefix = ({ prefix }: { prefix: string }): ReactNode => (
  <code className={classes.prefix}>
    {prefix}
    <span aria-hidden="true">…</span>
  </code>
);

export function Permissions({ permissions }: { permissions: readonly Permission[] }): ReactNode {
  const say = useTexts(texts);
  return (
    <Group gap={5}>
      {permissions.map((permission) => (
        <Badge key={permission} className={classes.permission} data-permission={permission}>
          {say(`permission_${permission}`)}
        </Badge>
      ))}
    </Group>
  );
}

type ScopeProps = { item: KeyRecord; agentName: NameOf; campaignName: NameOf };

/** Shows the scope of the key, with a link to its agent or campaign. */
export function Scope({ item, agentName, campaignName }: ScopeProps): ReactNode {
  const say = useTexts(texts);
  if (item.scope === 'organization')
    return (
      <Link to="/settings/organization" className={classes.scope}>
        {say('scope_organization')}
      </Link>
    );
  const id = (item.scope === 'agent' ? item.agent_id : item.campaign_id) ?? '';
  const name = (item.scope === 'agent' ? agentName : campaignName)(id);
  if (name === undefined) return <Skeleton h={14} w={110} />;
  if (name === null)
    return (
      <Text span inherit c="dimmed" title={id}>
        {say(item.scope === 'agent' ? 'gone_agent' : 'gone_campaign')}
      </Text>
    );
  return (
    <Link to={`/${item.scope}s/${id}`} className={classes.scope} title={name}>
      {item.scope === 'agent' ? <bdi>{name}</bdi> : say.rich('campaign_named', { name: <bdi key="name">{name}</bdi> })}
    </Link>
  );
}

/** Shows the networks from which the key may be used. */
export function Networks({ networks }: { networks: readonly string[] | null }): ReactNode {
  const say = useTexts(texts);
  if (networks === null) return say('networks_everywhere');
  return (
    <Group gap={6}>
      {networks.map((network) => (
        <code key={network} className="ltr">
          {network}
        </code>
      ))}
    </Group>
  );
}

export function LastUsed({ item }: { item: KeyRecord }): ReactNode {
  const say = useTexts(common);
  return item.last_used_at ? <Moment at={item.last_used_at} /> : <NoValue>{say('never')}</NoValue>;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const SYSTEM = 'system';
export const USED_LATELY_MS = DAY_MS;

/** Shows facts for a cleanup, which are inactive states and unused keys. */
export function Standing({ item, who }: { item: KeyRecord; who: NameOf }): ReactNode {
  const say = useTexts(texts);
  const now = useNow();
  const { plan } = useOrganization();
  if (item.state === 'revoking') return <Badge color="orange">{say('state_revoking')}</Badge>;
  if (item.state === 'revoked')
    return (
      <Text span size="xs" c="dimmed">
        {say.rich(item.leak ? 'revoked_leaked' : 'revoked_by', {
          when: item.revoked_at ? <Moment at={item.revoked_at} /> : '',
          who: <bdi>{personName(item.revoked_by, who, say('gone_person'), say('by_parley'))}</bdi>,
        })}
      </Text>
    );
  return (
    <>
      {plan === 'free' && <Badge color="orange">{say('paused')}</Badge>}
      {item.allowed_networks && <OnlyFrom networks={item.allowed_networks} />}
      {item.remaining !== null && <Remaining remaining={item.remaining} />}
      {item.revoke_at && <Badge color="orange">{say.rich('ends', { when: <Until at={item.revoke_at} /> })}</Badge>}
      <Idle item={item} now={now} />
    </>
  );
}

function Remaining({ remaining }: { remaining: number }): ReactNode {
  const say = useTexts(texts);
  if (remaining === 0) return <Badge color="red">{say('used_up')}</Badge>;
  return <Badge color="gray">{say('remaining', { count: remaining })}</Badge>;
}

function OnlyFrom({ networks }: { networks: readonly string[] }): ReactNode {
  const say = useTexts(texts);
  return (
    <Tip label={<Networks networks={networks} />}>
      {(anchor) => (
        <Badge color="gray" tabIndex={0} {...anchor}>
          {say('networks_only', { count: networks.length })}
        </Badge>
      )}
    </Tip>
  );
}

function Idle({ item, now }: { item: KeyRecord; now: number }): ReactNode {
  const say = useTexts(texts);
  const since = (at: string): number => now - new Date(at).getTime();
  if (!item.last_used_at)
    return since(item.created_at) > 7 * DAY_MS ? <Badge color="gray">{say('never_used_7')}</Badge> : null;
  return since(item.last_used_at) > 30 * DAY_MS ? <Badge color="gray">{say('unused_30')}</Badge> : null;
}

/** `itself`: the text for a change that no person made. */
export function personName(id: string | null, who: NameOf, gone: string, itself: string): string {
  if (id === null || id === SYSTEM) return itself;
  const name = who(id);
  return name === undefined ? '…' : (name ?? (id.startsWith('user_') ? gone : id));
}

/** Returns a text such as "3 minutes ago". */
export function useAgo(at: string | null): string {
  const say = useTexts(common);
  const now = useNow();
  return at === null ? say('never') : relative(say.language, at, Math.max(now, new Date(at).getTime()));
}
