import { NativeSelect } from '@mantine/core';
import { IconChartBar } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Analytics } from '../../../../contract/dashboard/analytics.ts';
import type { Problem } from '../../api/client.ts';
import { number, utcDay } from '../../language/format.ts';
import { type Say, useTexts } from '../../language/texts.tsx';
import { type Column, DataList } from '../../list/data-list.tsx';
import { Empty } from '../../list/empty.tsx';
import { Card } from '../../parts/card.tsx';
import pageClasses from '../../parts/page.module.css';
import { costOf, ratingOf, tookOf } from './figures.tsx';
import { conversationLinks } from './conversation-links.ts';
import { type AnalyticsSearch, type Group, GROUPS } from './search.ts';
import { texts } from './texts.ts';
import classes from './analytics.module.css';

type SayWords = Say<keyof (typeof texts)['en']>;
type Row = Analytics['data'][number];
type Read = UseQueryResult<Analytics, Problem>;
type Props = { read: Read; found: Analytics; search: AnalyticsSearch; onBy: (by: Group) => void };

/** The card shows the figures of each day, agent, version, channel or member. */
export function GroupsCard({ read, found, search, onBy }: Props): ReactNode {
  const say = useTexts(texts);
  // The previous groups stay visible until the chosen groups have loaded.
  const { by } = found;
  return (
    <Card
      title={say('table')}
      description={by === 'member' ? say('member_hint') : undefined}
      aside={
        <NativeSelect
          aria-label={say('by')}
          value={search.by ?? 'day'}
          data={GROUPS.map((value) => ({ value, label: say(`by_${value}`) }))}
          onChange={({ currentTarget: { value } }) => onBy(value as Group)}
        />
      }
    >
      <div className={classes.groups}>
        <DataList
          label={say('table')}
          read={read}
          keyOf={({ group, agent_id }) => `${agent_id} ${group}`}
          columns={columnsOf(say, found, search)}
          empty={<Empty icon={<IconChartBar size={22} />} title={say('empty')} />}
        />
      </div>
    </Card>
  );
}

function columnsOf(say: SayWords, found: Analytics, search: AnalyticsSearch): Column<Row>[] {
  const { by } = found;
  const figure = (
    id: string,
    label: string,
    of: (row: Row) => string,
    to: (row: Row, list: ReturnType<typeof conversationLinks>) => LinkProps,
  ): Column<Row> => ({
    id,
    label,
    align: 'end',
    cell: (row) => <Figure text={of(row)} list={rowList(found, search, row)} to={(list) => to(row, list)} />,
  });
  const many = (value: number): string => number(say.language, value);
  const outcome = (name: 'answered' | 'handed_over' | 'unanswered', label: string): Column<Row> =>
    figure(
      name,
      label,
      ({ figures }) => many(figures[name]),
      (_row, list) => list({ outcome: name }),
    );
  return [
    { id: 'group', label: say(`by_${by}`), cell: (row) => <bdi>{nameOf(say, by, row)}</bdi> },
    figure(
      'conversations',
      say('conversations'),
      ({ figures }) => many(figures.conversations),
      (_row, list) => list(),
    ),
    outcome('answered', say('short_answered')),
    outcome('handed_over', say('handed_over')),
    outcome('unanswered', say('short_unanswered')),
    figure(
      'first_reply',
      say('first_reply'),
      ({ figures }) => tookOf(say, figures.first_reply_seconds),
      (_row, list) => list({ outcome: 'replied' }),
    ),
    figure(
      'team_reply',
      say('short_team_reply'),
      ({ figures }) => tookOf(say, figures.team_reply_seconds),
      (_row, list) => list({ outcome: 'team_replied' }),
    ),
    figure(
      'resolve',
      say('resolve'),
      ({ figures }) => tookOf(say, figures.resolve_seconds),
      (_row, list) => list({ status: 'resolved' }),
    ),
    figure(
      'rating',
      say('rating'),
      ({ figures }) => ratingOf(say, figures.rating),
      (_row, list) => list({ outcome: 'rated' }),
    ),
    figure(
      'cost',
      say('short_cost'),
      ({ figures }) => costOf(say, figures.cost),
      (_row, list) => list({ outcome: 'with_cost' }),
    ),
  ];
}

type FigureProps = {
  text: string;
  list: ReturnType<typeof conversationLinks> | null;
  to: (list: ReturnType<typeof conversationLinks>) => LinkProps;
};

/** A zero has no link. */
function Figure({ text, list, to }: FigureProps): ReactNode {
  if (list === null || text === '0' || text === '–') return text;
  return (
    <Link {...to(list)} className={pageClasses.link}>
      {text}
    </Link>
  );
}

/** Combines the filters of the page with the filters of the row. */
function rowList(
  found: Analytics,
  search: AnalyticsSearch,
  { group, agent_id }: Row,
): ReturnType<typeof conversationLinks> | null {
  const { by: _by, days: _days, since: _since, until: _until, ...filters } = search;
  const period = { since: found.from, until: found.to };
  const { by } = found;
  if (by === 'day') {
    const day = found.days.find((one) => one.day === group);
    return day ? conversationLinks({ ...filters, since: day.from, until: day.to }) : null;
  }
  if (by === 'version') {
    if (agent_id === null) return null;
    const version = group === null ? { without: by } : { version: Number(group) };
    return conversationLinks({ ...filters, ...period, agent_id, ...version });
  }
  if (group === null) return by === 'member' ? conversationLinks({ ...filters, ...period, without: by }) : null;
  return conversationLinks({ ...filters, ...period, [`${by}_id`]: group });
}

function nameOf(say: SayWords, by: Group, { group, name, agent_id }: Row): string {
  if (by === 'day') return group === null ? '' : utcDay(say.language, group);
  if (by === 'member') return group === null ? say('no_member') : (name ?? say('gone_member'));
  if (by !== 'version') return name ?? say('gone');
  const agent = name ?? (agent_id === null ? '' : say('gone'));
  return group === null ? `${agent}: ${say('no_version')}` : say('version_of', { agent, number: group });
}
