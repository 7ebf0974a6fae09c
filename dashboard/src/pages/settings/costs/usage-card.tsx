import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { IconCoins } from '@tabler/icons-react';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { USAGE_GROUPS, type UsageGroup, type UsageRecord } from '../../../../../contract/dashboard/costs.ts';
import type { Use } from '../../../../../contract/costs.ts';
import { useRead } from '../../../api/queries.ts';
import { money, number, utcDay } from '../../../language/format.ts';
import { useTexts } from '../../../language/texts.tsx';
import { type Column, DataList } from '../../../list/data-list.tsx';
import { Empty } from '../../../list/empty.tsx';
import { Card } from '../../../parts/card.tsx';
import { useOrganization } from '../../../session/session.ts';
import { texts } from './texts.ts';

type Row = UsageRecord['data'][number];

const column = (id: string, label: string, of: (use: Use) => ReactNode): Column<Row> => ({
  id,
  label,
  cell: ({ use }) => of(use),
  align: 'end',
});

const route = getRouteApi('/inside/settings/costs');

/**
 * The card shows the usage of a period, in one of five groupings. If the URL names no period, the period is the last 30
 * days.
 */
export function UsageCard(): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const [by, setBy] = useState<UsageGroup>('day');
  const { since, until } = route.useSearch();
  const isChosen = since !== undefined || until !== undefined;
  const read = useRead('readUsage', { params: { org_id }, query: { by, since, until } }, { every: 30_000 });
  return (
    <Card
      title={say(isChosen ? 'usage_chosen' : 'usage')}
      description={isChosen && read.data && <Chosen since={read.data.since} until={read.data.until} />}
      aside={
        <NativeSelect
          aria-label={say('by')}
          value={by}
          data={USAGE_GROUPS.map((value) => ({ value, label: say(`by_${value}`) }))}
          onChange={({ currentTarget: { value } }) => setBy(value as UsageGroup)}
        />
      }
    >
      <Stack>
        {read.data && read.data.data.length > 0 && (
          <Group gap="xs">
            <Text size="sm" fw={600}>
              {say('total')}
            </Text>
            <CostOf use={read.data.total} />
          </Group>
        )}
        <DataList
          label={say(isChosen ? 'usage_chosen' : 'usage')}
          read={read}
          keyOf={({ group }) => group ?? ''}
          empty={
            <Empty icon={<IconCoins size={22} />} title={say('nothing_used')}>
              {say('nothing_used_hint')}
            </Empty>
          }
          columns={[
            { id: 'group', label: say(`by_${by}`), cell: (row) => <NameOf row={row} by={by} /> },
            column('turns', say('turns'), ({ turns }) => number(say.language, turns)),
            column('calls', say('calls'), (use) => <Calls use={use} />),
            column('input', say('input'), (use) => <Input use={use} />),
            column('output', say('output'), ({ output_tokens }) => number(say.language, output_tokens)),
            column('tools', say('tools'), ({ tool_calls }) => number(say.language, tool_calls)),
            column('cost', say('cost'), (use) => <CostOf use={use} />),
          ]}
        />
      </Stack>
    </Card>
  );
}

function Chosen({ since, until }: { since: string; until: string }): ReactNode {
  const say = useTexts(texts);
  return (
    <Group gap="xs">
      {say('within', { since: utcDay(say.language, since), until: utcDay(say.language, until) })}
      <Button
        size="compact-xs"
        variant="subtle"
        renderRoot={(props) => <Link to="/settings/costs" search={{}} resetScroll={false} {...props} />}
      >
        {say('last_30')}
      </Button>
    </Group>
  );
}

function NameOf({ row: { group, name }, by }: { row: Row; by: UsageGroup }): ReactNode {
  const say = useTexts(texts);
  if (group === null) return say(by === 'campaign' ? 'none_of_campaign' : 'none_of_key');
  if (by === 'day') return utcDay(say.language, group);
  return name === null ? <code>{group}</code> : <bdi>{name}</bdi>;
}

function Calls({ use }: { use: Use }): ReactNode {
  const say = useTexts(texts);
  return (
    <span>
      {number(say.language, use.calls)}
      {use.seconds > 0 && <Small>{say('seconds', { many: number(say.language, use.seconds) })}</Small>}
    </span>
  );
}

function Input({ use }: { use: Use }): ReactNode {
  const say = useTexts(texts);
  return (
    <span>
      {number(say.language, use.input_tokens)}
      {use.cached_tokens > 0 && <Small>{say('cached', { many: number(say.language, use.cached_tokens) })}</Small>}
    </span>
  );
}

/** Shows each currency separately, and the usage without a price. */
function CostOf({ use }: { use: Use }): ReactNode {
  const say = useTexts(texts);
  const many = (value: number) => ({ many: number(say.language, value) });
  return (
    <span>
      {use.cost.map(({ amount, currency }) => (
        <div key={currency}>
          <bdi>{money(say.language, Number(amount), currency)}</bdi>
        </div>
      ))}
      {use.cost.length === 0 && use.unpriced_tokens > 0 && say('unknown')}
      {use.cost.length > 0 && use.unpriced_tokens > 0 && <Small>{say('unpriced', many(use.unpriced_tokens))}</Small>}
      {use.unmeasured_calls > 0 && <Small>{say('unmeasured', many(use.unmeasured_calls))}</Small>}
    </span>
  );
}

const Small = ({ children }: { children: ReactNode }): ReactNode => (
  <Text size="xs" c="dimmed">
    {children}
  </Text>
);
