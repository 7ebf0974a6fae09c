import { Button, Group, SegmentedControl, Select, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Analytics } from '../../../../contract/dashboard/analytics.ts';
import { MAX_PAGE } from '../../../../contract/limits.ts';
import { useRead } from '../../api/queries.ts';
import { common } from '../../language/common.ts';
import { useTexts } from '../../language/texts.tsx';
import { AgentFilter } from '../../parts/agents/agent-select.tsx';
import { useOrganization } from '../../session/session.ts';
import { type AnalyticsSearch, DAYS } from './search.ts';
import { texts } from './texts.ts';
import classes from './analytics.module.css';

const KEPT_MS = 30_000;

type Props = {
  search: AnalyticsSearch;
  /** The page shows the figures in `read`, whose days are the first value of a custom period. */
  read: Analytics | undefined;
  onChange: (change: Partial<AnalyticsSearch>) => void;
  /** Null: no filter is set. */
  onClear: (() => void) | null;
};

export function AnalyticsFilterBar(props: Props): ReactNode {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  const { search, onChange, onClear } = props;
  return (
    <Group role="search" aria-label={say('filters')} gap="xs" mb="md" align="center" className={classes.bar}>
      <Period {...props} />
      <AgentFilter
        value={search.agent_id}
        onChange={(agent_id) => onChange({ agent_id, version: undefined, trigger_id: undefined })}
      />
      {search.agent_id !== undefined && <VersionFilter {...props} agentId={search.agent_id} />}
      <NamedFilters {...props} />
      {onClear && (
        <Button variant="subtle" color="gray" size="compact-sm" onClick={onClear}>
          {sayCommon('clear_filters')}
        </Button>
      )}
    </Group>
  );
}

function Period({ search, read, onChange }: Props): ReactNode {
  const say = useTexts(texts);
  const { days = 30, since, until } = search;
  const isCustom = since !== undefined || until !== undefined;
  const choose = (value: string): void =>
    value === 'custom'
      ? onChange({ days: undefined, since: read?.since, until: read?.until })
      : onChange({ days: Number(value), since: undefined, until: undefined });
  const field = (name: 'since' | 'until', label: string): ReactNode => (
    <TextInput
      type="date"
      dir="ltr"
      aria-label={label}
      w={150}
      value={search[name] ?? read?.[name] ?? ''}
      onChange={({ currentTarget: { value } }) => {
        // While the user types a year, the field has the years 2, 20 and 202.
        if (/^2\d{3}-/.test(value)) onChange({ days: undefined, [name]: value });
      }}
    />
  );
  return (
    <>
      <SegmentedControl
        size="xs"
        className={classes.period}
        aria-label={say('period')}
        value={isCustom ? 'custom' : String(days)}
        onChange={choose}
        data={[
          ...DAYS.map((value) => ({ value: String(value), label: say(`days_${value}`) })),
          { value: 'custom', label: say('custom') },
        ]}
      />
      {isCustom && (
        <>
          {field('since', say('first_day'))}
          {field('until', say('last_day'))}
        </>
      )}
    </>
  );
}

function VersionFilter({ search: { version }, onChange, agentId }: Props & { agentId: string }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const params = { org_id, agent_id: agentId };
  const versions = useRead('listAgentVersions', { params, query: { limit: MAX_PAGE } }, { staleTime: KEPT_MS });
  const known = (versions.data?.data ?? []).map((one) => one.version);
  const numbers = version === undefined || known.includes(version) ? known : [version, ...known];
  return (
    <Choice
      label={say('version')}
      placeholder={say('any_version')}
      value={version === undefined ? undefined : String(version)}
      data={numbers.map((number) => ({ id: String(number), name: say('version_number', { number: String(number) }) }))}
      onChange={(value) => onChange({ version: value === undefined ? undefined : Number(value) })}
    />
  );
}

/** The filters by a record, which offer the newest records, and all of them in most organizations. */
function NamedFilters({ search, onChange }: Props): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const { agent_id } = search;
  const query = { limit: MAX_PAGE, ...(agent_id !== undefined && { agent_id }) };
  const channels = useRead('listChannels', { params: { org_id }, query }, { staleTime: KEPT_MS });
  const triggers = useRead('listTriggers', { params: { org_id }, query }, { staleTime: KEPT_MS });
  const campaigns = useRead('listCampaigns', { params: { org_id }, query }, { staleTime: KEPT_MS });
  const members = useRead('listMembers', { params: { org_id } }, { staleTime: KEPT_MS });
  return (
    <>
      <Choice
        label={say('channel')}
        placeholder={say('any_channel')}
        value={search.channel_id}
        data={channels.data?.data}
        onChange={(channel_id) => onChange({ channel_id })}
      />
      <Choice
        label={say('member')}
        placeholder={say('any_member')}
        value={search.member_id}
        data={members.data?.data.map(({ user_id: id, name }) => ({ id, name }))}
        onChange={(member_id) => onChange({ member_id })}
      />
      <Choice
        label={say('trigger')}
        placeholder={say('any_trigger')}
        value={search.trigger_id}
        data={triggers.data?.data}
        onChange={(trigger_id) => onChange({ trigger_id })}
      />
      <Choice
        label={say('campaign')}
        placeholder={say('any_campaign')}
        value={search.campaign_id}
        data={campaigns.data?.data}
        onChange={(campaign_id) => onChange({ campaign_id })}
      />
    </>
  );
}

type ChoiceProps = {
  label: string;
  placeholder: string;
  value: string | undefined;
  data: readonly { id: string; name: string }[] | undefined;
  onChange: (id: string | undefined) => void;
};

function Choice({ label, placeholder, value, data = [], onChange }: ChoiceProps): ReactNode {
  const known = data.map(({ id, name }) => ({ value: id, label: name }));
  const options =
    value === undefined || known.some((one) => one.value === value) ? known : [{ value, label: value }, ...known];
  return (
    <Select
      aria-label={label}
      placeholder={placeholder}
      clearable
      searchable
      w={160}
      value={value ?? null}
      data={options}
      onChange={(id) => onChange(id ?? undefined)}
    />
  );
}
