import { NativeSelect, TagsInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { ConversationRecord } from '../../../../contract/dashboard/conversations.ts';
import type { EndUserRecord } from '../../../../contract/dashboard/end-users.ts';
import { useAct, useRead } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { KindName } from '../../parts/channels/kind-name.tsx';
import { kindNames } from '../../parts/channels/kind-names.ts';
import { ConversationStatusBadge } from '../../parts/conversations/status-badge.tsx';
import { usePersonName } from '../../parts/end-users/person-name.ts';
import { Fact } from '../../parts/fact.tsx';
import { mergeList } from '../../parts/merge-list.ts';
import { Moment } from '../../parts/moment.tsx';
import pageClasses from '../../parts/page.module.css';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { Tags } from '../../parts/tags.tsx';
import { useMay, useOrganization } from '../../session/session.ts';
import { EditableFact } from './editable-fact.tsx';
import { PersonAttributes } from './person-attributes.tsx';
import { personTexts } from './person-texts.ts';
import { type ChangePerson, useChangePerson } from './use-change-person.ts';
import classes from './person-panel.module.css';

const LOOK_AGAIN_MS = 30_000;
const SHOWN_CONVERSATIONS = 6;
const MAX_TAGS = 100;

/** Shows the data of the organization about the person, which members change in place. */
export function PersonPanel({ item: { end_user, channel_kind, id } }: { item: ConversationRecord }): ReactNode {
  const say = useTexts(personTexts);
  const nameOf = usePersonName();
  const org_id = useOrganization().id;
  const may = useMay('member');
  const person = useRead('readEndUser', { params: { org_id, end_user_id: end_user.id } }, { every: LOOK_AGAIN_MS });
  const change = useChangePerson(end_user.id);
  return (
    <section className={classes.section} aria-label={say('person')}>
      <h2>
        <Link
          to="/end-users/$end_user_id"
          params={{ end_user_id: end_user.id }}
          className={pageClasses.link}
          dir="auto"
        >
          {nameOf(end_user)}
        </Link>
      </h2>
      {person.error && !person.data && <ProblemAlert problem={person.error} onRetry={() => void person.refetch()} />}
      {person.data && (
        <>
          {(['name', 'email', 'phone'] as const).map((name) => (
            <EditableFact
              key={name}
              label={say(name)}
              value={person.data[name] ?? ''}
              error={change.errorOf(name)}
              onSave={may ? (value) => change.set(name, { [name]: value === '' ? null : value }) : null}
            />
          ))}
          <PersonAttributes person={person.data} change={may ? change : null} />
          <PersonTags person={person.data} change={may ? change : null} />
          <PersonConsent person={person.data} kind={channel_kind} may={may} />
        </>
      )}
      <OtherConversations endUserId={end_user.id} besides={id} />
      <Campaigns endUserId={end_user.id} />
    </section>
  );
}

type PartProps = { person: EndUserRecord; change: ChangePerson | null };

function PersonTags({ person: { tags }, change }: PartProps): ReactNode {
  const say = useTexts(personTexts);
  const [sent, setSent] = useState<{ before: string; tags: string[] } | null>(null);
  const isNewer = sent !== null && (change?.isPending || sent.before === JSON.stringify(tags));
  const shown = isNewer ? sent.tags : tags;
  if (change === null)
    return (
      tags.length > 0 && (
        <Fact label={say('tags')}>
          <Tags of={tags} />
        </Fact>
      )
    );
  return (
    <Fact label={say('tags')}>
      <TagsInput
        aria-label={say('tags')}
        size="xs"
        w="100%"
        miw={0}
        dir="auto"
        splitChars={[',', '،']}
        classNames={{ input: classes.tags }}
        maxTags={MAX_TAGS}
        maxLength={64}
        value={[...shown]}
        error={change.errorOf('tags')}
        onChange={(next) => {
          setSent({ before: JSON.stringify(tags), tags: next });
          change.set('tags', (newest) => ({ tags: mergeList(newest.tags, shown, next) }));
        }}
      />
    </Fact>
  );
}

type ConsentProps = { person: EndUserRecord; kind: string; may: boolean };

/**
 * The consent for the channel of the conversation can be changed. Other kinds of channel are shown if the person has a
 * consent for them.
 */
function PersonConsent({ person: { id, consent }, kind, may }: ConsentProps): ReactNode {
  const say = useTexts(personTexts);
  const sayKind = useTexts(kindNames);
  const org_id = useOrganization().id;
  const set = useAct('setEndUserConsent', { refresh: ['readEndUser', 'listEndUsers'] });
  const statusOf = (one: string): '' | 'opted_in' | 'opted_out' => {
    const value = consent[one];
    const status = typeof value === 'string' ? value : (value as { status?: unknown } | undefined)?.status;
    return status === 'opted_in' || status === 'opted_out' ? status : '';
  };
  const kinds = [kind, ...Object.keys(consent).filter((one) => one !== kind && statusOf(one) !== '')];
  const name = (one: string): string => sayKind(`kind_${one.replace('-', '_')}` as 'kind_sms');
  return (
    <Fact label={say('consent')}>
      <ul className={classes.list}>
        {kinds.map((one) => (
          <li key={one}>
            <KindName kind={one} />
            {may ? (
              <NativeSelect
                size="xs"
                aria-label={say('consent_of', { channel: name(one) })}
                value={statusOf(one)}
                data={[
                  // The entry without a consent cannot be chosen again, because a consent is never removed.
                  { value: '', label: say('consent_none'), disabled: true },
                  { value: 'opted_in', label: say('opted_in') },
                  { value: 'opted_out', label: say('opted_out') },
                ]}
                onChange={({ currentTarget: { value } }) =>
                  set.mutate({
                    params: { org_id, end_user_id: id, channel_kind: one },
                    body: { status: value as 'opted_in' },
                  })
                }
              />
            ) : (
              <span>{say(statusOf(one) || 'consent_none')}</span>
            )}
          </li>
        ))}
      </ul>
      {set.error && <ProblemAlert problem={set.error} />}
    </Fact>
  );
}

function OtherConversations({ endUserId: end_user_id, besides }: { endUserId: string; besides: string }): ReactNode {
  const say = useTexts(personTexts);
  const org_id = useOrganization().id;
  const query = { end_user_id, limit: SHOWN_CONVERSATIONS };
  const read = useRead('listConversations', { params: { org_id }, query }, { every: LOOK_AGAIN_MS });
  const others = (read.data?.data ?? []).filter(({ id }) => id !== besides);
  if (others.length === 0) return null;
  return (
    <Fact label={say('earlier')}>
      <ul className={classes.list}>
        {others.map((one) => (
          <li key={one.id}>
            <Link
              to="/conversations/$conversation_id"
              params={{ conversation_id: one.id }}
              search={true}
              className={pageClasses.link}
            >
              <Moment at={one.last_message?.created_at ?? one.created_at} />
            </Link>
            <ConversationStatusBadge status={one.status} />
          </li>
        ))}
      </ul>
    </Fact>
  );
}

function Campaigns({ endUserId: end_user_id }: { endUserId: string }): ReactNode {
  const say = useTexts(personTexts);
  const org_id = useOrganization().id;
  const read = useRead('listEndUserCampaigns', { params: { org_id, end_user_id } }, { every: LOOK_AGAIN_MS });
  const campaigns = read.data?.data ?? [];
  if (campaigns.length === 0) return null;
  return (
    <Fact label={say('campaigns')}>
      <ul className={classes.list}>
        {campaigns.map(({ recipient_id, campaign_id, name, created_at }) => (
          <li key={recipient_id}>
            <Link to="/campaigns/$campaign_id" params={{ campaign_id }} className={pageClasses.link}>
              <bdi>{name}</bdi>
            </Link>
            <Moment at={created_at} />
          </li>
        ))}
      </ul>
    </Fact>
  );
}
