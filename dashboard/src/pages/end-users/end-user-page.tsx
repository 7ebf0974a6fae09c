import { Badge, Button, Text } from '@mantine/core';
import { IconMessages, IconPencil } from '@tabler/icons-react';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { EndUserRecord } from '../../../../contract/dashboard/end-users.ts';
import { useRead } from '../../api/queries.ts';
import { common } from '../../language/common.ts';
import { languageName } from '../../language/format.ts';
import { useTexts } from '../../language/texts.tsx';
import { DataList } from '../../list/data-list.tsx';
import { Empty } from '../../list/empty.tsx';
import { Pager } from '../../list/pager.tsx';
import { useListState } from '../../list/use-list-state.ts';
import { Card } from '../../parts/card.tsx';
import { CopyFact, Fact, Facts } from '../../parts/fact.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Tags } from '../../parts/tags.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { usePersonName } from '../../parts/end-users/person-name.ts';
import { RecordPage } from '../../parts/record-page.tsx';
import { useMay, useOrganization } from '../../session/session.ts';
import { AgentLink } from '../../parts/agents/agent-select.tsx';
import pageClasses from '../../parts/page.module.css';
import { ConversationStatusBadge } from '../../parts/conversations/status-badge.tsx';
import { useAgentNames } from '../../parts/use-record-names.ts';
import { ConsentCard } from './consent-card.tsx';
import { EndUserDialog } from './end-user-form.tsx';
import { EraseCard } from './erase-card.tsx';
import { KindName } from '../../parts/channels/kind-name.tsx';
import { texts } from './texts.ts';
import classes from './end-users.module.css';

const route = getRouteApi('/inside/end-users/$end_user_id');

export function EndUserPage(): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const { end_user_id } = route.useParams();
  const may = useMay('member');
  const nameOf = usePersonName();
  const [editing, setEditing] = useState(false);
  const person = useRead('readEndUser', { params: { org_id, end_user_id } }, { every: 10_000 });
  const crumbs = [{ label: say('end_users'), to: '/end-users' as const }];
  return (
    <RecordPage read={person} title={say('end_users')} crumbs={crumbs}>
      {(item) => (
        <>
          <PageHeader
            title={nameOf(item)}
            crumbs={crumbs}
            badge={item.blocked && <Badge color="red">{say('blocked')}</Badge>}
            actions={
              may && (
                <Button variant="default" leftSection={<IconPencil size={16} />} onClick={() => setEditing(true)}>
                  {say('edit')}
                </Button>
              )
            }
          />
          <RecordCard item={item} />
          <Attributes attributes={item.attributes} />
          <Addresses item={item} />
          <ConsentCard item={item} />
          <Conversations endUserId={item.id} />
          {may && (
            <div className={classes.section}>
              <EraseCard item={item} />
            </div>
          )}
          <EndUserDialog item={item} opened={editing} onClose={() => setEditing(false)} />
        </>
      )}
    </RecordPage>
  );
}

function RecordCard({ item }: { item: EndUserRecord }): ReactNode {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  const none = <span className={pageClasses.soft}>{say('none')}</span>;
  return (
    <Card title={say('record')}>
      <Facts>
        <CopyFact label={say('id')} value={item.id} copyLabel={say('copy_id')} />
        <Fact label={say('external_id')}>{item.external_id ? <code>{item.external_id}</code> : none}</Fact>
        <Fact label={say('email')}>{item.email ? <span className="ltr">{item.email}</span> : none}</Fact>
        <Fact label={say('phone')}>{item.phone ? <span className="ltr">{item.phone}</span> : none}</Fact>
        <Fact label={say('language')}>{item.locale ? languageName(say.language, item.locale) : none}</Fact>
        <Fact label={say('time_zone')}>{item.time_zone ? <span className="ltr">{item.time_zone}</span> : none}</Fact>
        <Fact label={say('tags')}>{item.tags.length === 0 ? none : <Tags of={item.tags} />}</Fact>
        <Fact label={say('last_seen')}>
          {item.last_seen_at ? <Moment at={item.last_seen_at} /> : sayCommon('never')}
        </Fact>
        <Fact label={say('created')}>
          <Moment at={item.created_at} />
        </Fact>
        <Fact label={say('changed')}>
          <Moment at={item.updated_at} />
        </Fact>
      </Facts>
    </Card>
  );
}

function Attributes({ attributes }: { attributes: EndUserRecord['attributes'] }): ReactNode {
  const say = useTexts(texts);
  const entries = Object.entries(attributes);
  return (
    <Card title={say('attributes')} description={say('attributes_hint')}>
      {entries.length === 0 ? (
        <Text size="sm" c="dimmed">
          {say('attributes_empty')}
        </Text>
      ) : (
        <dl className={classes.pairs}>
          {entries.map(([name, value]) => (
            <div key={name}>
              <dt dir="auto">{name}</dt>
              <dd dir="auto">{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
            </div>
          ))}
        </dl>
      )}
    </Card>
  );
}

function Addresses({ item }: { item: EndUserRecord }): ReactNode {
  const say = useTexts(texts);
  return (
    <Card title={say('identities')}>
      {item.identities.length === 0 ? (
        <Text size="sm" c="dimmed">
          {say('identities_empty')}
        </Text>
      ) : (
        <dl className={classes.pairs}>
          {item.identities.map(({ channel_id, channel_kind, address }) => (
            <div key={channel_id + address}>
              <dt>
                <Link to="/channels/$channel_id" params={{ channel_id }} className={pageClasses.link}>
                  <KindName kind={channel_kind} />
                </Link>
              </dt>
              <dd>
                <code>{address}</code>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </Card>
  );
}

const PAGE = 10;

function Conversations({ endUserId }: { endUserId: string }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const list = useListState<object>([]);
  const conversations = useRead(
    'listConversations',
    { params: { org_id }, query: { end_user_id: endUserId, cursor: list.cursor, limit: PAGE } },
    { every: 5_000, keep: true },
  );
  const agentName = useAgentNames((conversations.data?.data ?? []).map(({ agent_id }) => agent_id));
  return (
    <section aria-label={say('conversations')} className={classes.section}>
      <h2>{say('conversations')}</h2>
      <DataList
        label={say('conversations')}
        read={conversations}
        keyOf={({ id }) => id}
        columns={[
          {
            id: 'open',
            label: say('conversation'),
            cell: ({ id, key, last_message: last }) => (
              <Link
                to="/conversations/$conversation_id"
                params={{ conversation_id: id }}
                className={`${pageClasses.name} ${classes.words}`}
                dir="auto"
              >
                {key ?? (last?.text || say('open'))}
              </Link>
            ),
          },
          { id: 'agent', label: say('agent'), cell: (item) => <AgentLink id={item.agent_id} nameOf={agentName} /> },
          { id: 'state', label: say('state'), cell: ({ status }) => <ConversationStatusBadge status={status} /> },
          { id: 'changed', label: say('last_change'), cell: (item) => <Moment at={item.updated_at} /> },
        ]}
        empty={
          <Empty icon={<IconMessages size={26} />} title={say('conversations')}>
            {say('conversations_empty')}
          </Empty>
        }
        footer={<Pager list={list} page={conversations.data} />}
      />
    </section>
  );
}
