import { Badge, Button, Group } from '@mantine/core';
import { IconUsersGroup } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useRead } from '../../api/queries.ts';
import { common } from '../../language/common.ts';
import { useWords } from '../../language/words.tsx';
import { DataList } from '../../list/data-list.tsx';
import { Empty, NothingFound } from '../../list/empty.tsx';
import { FilterBar } from '../../list/filter-bar.tsx';
import { Pager } from '../../list/pager.tsx';
import { useListState } from '../../list/use-list-state.ts';
import { Moment } from '../../parts/moment.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { useOrganization } from '../../session/session.ts';
import agentClasses from '../agents/agents.module.css';
import { words } from './words.ts';

const PAGE = 20;
const LOOK_AGAIN_MS = 10_000;

export function EndUsersPage(): ReactNode {
  const say = useWords(words);
  const sayCommon = useWords(common);
  const org_id = useOrganization().id;
  const list = useListState<{ text?: string }>(['text']);
  const people = useRead(
    'listEndUsers',
    { params: { org_id }, query: { ...list.filters, cursor: list.cursor, limit: PAGE } },
    { every: LOOK_AGAIN_MS, keep: true },
  );
  const empty = people.data?.data.length === 0 && !list.filtered && list.cursor === undefined;
  return (
    <>
      <PageHeader title={say('end_users')} description={say('hint')} />
      {!empty && (
        <FilterBar
          text={list.filters.text}
          onText={(text) => list.setFilters({ text })}
          placeholder={say('search')}
          filtered={list.filtered}
          onClear={list.clear}
        />
      )}
      <DataList
        label={say('end_users')}
        read={people}
        keyOf={({ id }) => id}
        faded={({ blocked }) => blocked}
        columns={[
          {
            id: 'name',
            label: say('name'),
            cell: (person) => (
              <div className={agentClasses.nameCell}>
                <Link
                  to="/end-users/$end_user_id"
                  params={{ end_user_id: person.id }}
                  className={agentClasses.name}
                  dir="auto"
                >
                  {person.name ?? person.external_id ?? say('anonymous')}
                </Link>
                {person.blocked && <Badge color="red">{say('blocked')}</Badge>}
              </div>
            ),
          },
          {
            id: 'contact',
            label: say('contact'),
            cell: ({ email, phone }) => (
              <div>
                {email && <div className="ltr">{email}</div>}
                {phone && <div className="ltr">{phone}</div>}
                {!email && !phone && <span className={agentClasses.soft}>{say('none')}</span>}
              </div>
            ),
          },
          {
            id: 'external_id',
            label: say('external_id'),
            cell: ({ external_id }) =>
              external_id ? <code>{external_id}</code> : <span className={agentClasses.soft}>{say('none')}</span>,
          },
          {
            id: 'tags',
            label: say('tags'),
            cell: ({ tags }) =>
              tags.length === 0 ? (
                <span className={agentClasses.soft}>{say('none')}</span>
              ) : (
                <Group gap={4}>
                  {tags.slice(0, 4).map((tag) => (
                    <Badge key={tag} color="gray" dir="auto">
                      {tag}
                    </Badge>
                  ))}
                </Group>
              ),
          },
          {
            id: 'last_seen',
            label: say('last_seen'),
            cell: ({ last_seen_at }) =>
              last_seen_at ? (
                <Moment at={last_seen_at} />
              ) : (
                <span className={agentClasses.soft}>{sayCommon('never')}</span>
              ),
          },
          { id: 'created', label: say('created'), cell: (person) => <Moment at={person.created_at} /> },
        ]}
        empty={
          empty ? (
            <Empty
              icon={<IconUsersGroup size={26} />}
              title={say('empty_title')}
              action={<Button renderRoot={(props) => <Link to="/triggers" {...props} />}>{say('to_triggers')}</Button>}
            >
              {say('empty_words')}
            </Empty>
          ) : (
            <NothingFound icon={<IconUsersGroup size={26} />} onClear={list.clear} />
          )
        }
        footer={<Pager list={list} page={people.data} />}
      />
    </>
  );
}
