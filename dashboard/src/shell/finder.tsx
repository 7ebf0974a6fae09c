import { Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { createSpotlight, Spotlight } from '@mantine/spotlight';
// oxlint-disable-next-line import/no-unassigned-import -- styles are imported for what they do to the page
import '@mantine/spotlight/styles.layer.css';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useState, type ReactNode } from 'react';
import { call } from '../api/client.ts';
import { useWords } from '../language/words.tsx';
import { useOrganization } from '../session/session.ts';
import type { Item } from './navigation.tsx';
import { finderWords } from './finder-words.ts';
import { words } from './words.ts';

const [store, { open, close }] = createSpotlight();
/** The maximum results of each kind. */
const SHOWN = 4;
const SETTLED_MS = 200;

type Found = { group: 'agents' | 'end_users' | 'conversations' | 'api_keys' | 'campaigns'; id: string; label: string };
const GROUPS = ['agents', 'end_users', 'conversations', 'api_keys', 'campaigns'] as const satisfies Found['group'][];
type Props = { opened: boolean; onClose: () => void; entries: readonly Item[]; early: () => string };

/** The page of an ID, by its prefix. */
const PLACES: Readonly<Record<string, string>> = {
  agent: '/agents/',
  conv: '/conversations/',
  enduser: '/end-users/',
  campaign: '/campaigns/',
  trigger: '/triggers/',
  channel: '/channels/',
  key: '/settings/integrations/api-keys/',
  whk: '/settings/integrations/webhooks/',
};
const HOMES: Record<Found['group'], string> = {
  agents: PLACES['agent']!,
  end_users: PLACES['enduser']!,
  conversations: PLACES['conv']!,
  api_keys: PLACES['key']!,
  campaigns: PLACES['campaign']!,
};

/** Finds pages, records and IDs by typing. Ctrl-K opens it anywhere. */
export function Finder({ opened, onClose, entries, early }: Props): ReactNode {
  const say = useWords(words);
  const sayHere = useWords(finderWords);
  const router = useRouter();
  const [query, setQuery] = useState('');
  const text = query.trim();
  const [asked] = useDebouncedValue(text, SETTLED_MS);
  const found = useFound(asked);
  const pages = entries.filter(({ word }) => say(word).toLocaleLowerCase().includes(text.toLocaleLowerCase()));
  const place = placeOf(text);
  useEffect(() => (opened ? open() : close()), [opened]);
  const go = (path: string): void => router.history.push(path);
  const things = asked === text ? (found.data ?? []) : [];
  return (
    <Spotlight.Root
      store={store}
      shortcut={null}
      query={query}
      onQueryChange={setQuery}
      onSpotlightClose={onClose}
      scrollable
      maxHeight="60vh"
      attributes={{ content: { 'aria-label': say('find') } }}
    >
      <Spotlight.Search
        placeholder={sayHere('find_what')}
        aria-label={sayHere('find_what')}
        dir="auto"
        maxLength={100}
        onFocus={() => {
          const typed = early();
          if (typed !== '') setQuery((before) => before + typed);
        }}
      />
      <Spotlight.ActionsList>
        {place !== null && (
          <Spotlight.Action onClick={() => go(place)}>
            {sayHere.rich('find_id', { id: <bdi>{text}</bdi> })}
          </Spotlight.Action>
        )}
        {pages.length > 0 && (
          <Spotlight.ActionsGroup label={sayHere('find_pages')}>
            {pages.map(({ to, word, icon: Icon }) => (
              <Spotlight.Action
                key={to}
                label={say(word)}
                leftSection={<Icon size={18} stroke={1.7} />}
                onClick={() => go(to)}
              />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {GROUPS.map((group) => {
          const mine = things.filter((one) => one.group === group);
          return (
            mine.length > 0 && (
              <Spotlight.ActionsGroup key={group} label={say(group)}>
                {mine.map(({ id, label }) => (
                  <Spotlight.Action key={id} onClick={() => go(HOMES[group] + id)}>
                    <Text size="sm" dir="auto" truncate>
                      {label}
                    </Text>
                  </Spotlight.Action>
                ))}
              </Spotlight.ActionsGroup>
            )
          );
        })}
        {place === null && pages.length === 0 && things.length === 0 && (
          <Spotlight.Empty>
            {sayHere(
              found.isFetching || asked !== text ? 'find_looking' : found.isError ? 'find_failed' : 'find_nothing',
            )}
          </Spotlight.Empty>
        )}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}

const placeOf = (text: string): string | null => {
  const [, prefix = ''] = /^([a-z]+)_[0-9a-z]{26}$/.exec(text) ?? [];
  return Object.hasOwn(PLACES, prefix) ? PLACES[prefix]! + text : null;
};

/** Records of the organization that match the text. One letter matches everything, so at least two are required. */
function useFound(text: string) {
  const org_id = useOrganization().id;
  return useQuery({
    queryKey: ['find', org_id, text],
    enabled: text.length >= 2,
    staleTime: 10_000,
    queryFn: async ({ signal }): Promise<Found[]> => {
      const input = { params: { org_id }, query: { text, limit: SHOWN }, signal };
      const [agents, people, conversations, keys, campaigns] = await Promise.all([
        call('listAgents', input),
        call('listEndUsers', input),
        call('listConversations', input),
        call('listKeys', input),
        call('listCampaigns', input),
      ]);
      return [
        ...agents.data.map(({ id, name }): Found => ({ group: 'agents', id, label: name })),
        ...people.data.map((one): Found => ({ group: 'end_users', id: one.id, label: nameOf(one) })),
        ...conversations.data.map(({ id, end_user: person, last_message: last }): Found => ({
          group: 'conversations',
          id,
          label: [nameOf(person), last?.text].filter(Boolean).join(': '),
        })),
        ...keys.data.map(({ id, label }): Found => ({ group: 'api_keys', id, label })),
        ...campaigns.data.map(({ id, name }): Found => ({ group: 'campaigns', id, label: name })),
      ];
    },
  });
}

const nameOf = (one: { id: string; name: string | null; external_id: string | null }): string =>
  one.name ?? one.external_id ?? one.id;
