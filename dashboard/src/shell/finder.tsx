import { Kbd, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { createSpotlight, Spotlight } from '@mantine/spotlight';
// oxlint-disable-next-line import/no-unassigned-import -- styles are imported for what they do to the page
import '@mantine/spotlight/styles.layer.css';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useState, type ReactNode } from 'react';
import { call } from '../api/client.ts';
import { useTexts } from '../language/texts.tsx';
import { useOrganization, useSession } from '../session/session.ts';
import { pageOfId } from '../parts/page-of-id.ts';
// oxlint-disable-next-line import/no-unassigned-import -- the shell loads the finder after the first view of any page
import '../parts/select-keys.ts';
import { onPageActions, pageActions, type Shortcut } from '../parts/use-shortcuts.ts';
import { useCommands } from './commands.ts';
import { MORE_PAGES } from './more-pages.ts';
import type { Item } from './navigation.tsx';
import { finderTexts } from './finder-texts.ts';
import { texts } from './texts.ts';
import { useSwitchOrganization } from './use-switch-organization.ts';

const [store, { open, close }] = createSpotlight();
/** Each kind has at most this many results. */
const SHOWN = 4;
const SETTLED_MS = 200;
/** The results are shown before a text is typed. */
const SHOWN_COMMANDS = 6;
/** The dialog returns the focus before the command runs, because a command may move the focus. */
const FOCUS_BACK_MS = 60;

type Found = { group: 'agents' | 'end_users' | 'conversations' | 'api_keys' | 'campaigns'; id: string; label: string };
const GROUPS = ['agents', 'end_users', 'conversations', 'api_keys', 'campaigns'] as const satisfies Found['group'][];
type Props = { opened: boolean; onClose: () => void; entries: readonly Item[]; early: () => string };

/** Finds pages, records and IDs by typing. The key Ctrl-K opens the finder anywhere. */
export function Finder({ opened, onClose, entries, early }: Props): ReactNode {
  const say = useTexts(texts);
  const sayHere = useTexts(finderTexts);
  const router = useRouter();
  const [query, setQuery] = useState('');
  const text = query.trim();
  const [asked] = useDebouncedValue(text, SETTLED_MS);
  const found = useFound(asked);
  const has = (label: string): boolean => label.toLocaleLowerCase().includes(text.toLocaleLowerCase());
  // Typing also finds pages without an entry in the navigation.
  const pages = [
    ...entries.map(({ to, word, icon }) => ({ to, label: say(word), icon })),
    ...(text === '' ? [] : MORE_PAGES.map(({ to, word, icon }) => ({ to, label: sayHere(word), icon }))),
  ].filter(({ label }) => has(label));
  const commands = useActions(opened, useCommands()).filter(({ label }) => has(label));
  const organizations = useOtherOrganizations().filter(({ name }) => text !== '' && has(name));
  const place = pageOfId(text);
  useEffect(() => (opened ? open() : close()), [opened]);
  // The documentation is not a page of the dashboard.
  const go = (path: string): void => (path === '/docs' ? location.assign(path) : router.history.push(path));
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
        onFocus={({ currentTarget: field }) => {
          const typed = early();
          if (typed === '') return;
          setQuery((before) => before + typed);
          // The library selects the first result only after it has seen the typing.
          setTimeout(() => field.dispatchEvent(new KeyboardEvent('keydown', { code: 'ArrowDown', bubbles: true })));
        }}
      />
      <Spotlight.ActionsList>
        {place !== null && (
          <Spotlight.Action onClick={() => go(place)}>
            {sayHere.rich('find_id', { id: <bdi>{text}</bdi> })}
          </Spotlight.Action>
        )}
        <Commands of={text === '' ? commands.slice(0, SHOWN_COMMANDS) : commands} />
        <Pages of={pages} onOpen={go} />
        <Organizations of={organizations} />
        {GROUPS.map((group) => {
          const mine = things.filter((one) => one.group === group);
          return (
            mine.length > 0 && (
              <Spotlight.ActionsGroup key={group} label={say(group)}>
                {mine.map(({ id, label }) => (
                  <Spotlight.Action key={id} onClick={() => go(pageOfId(id)!)}>
                    <Text size="sm" dir="auto" truncate>
                      {label}
                    </Text>
                  </Spotlight.Action>
                ))}
              </Spotlight.ActionsGroup>
            )
          );
        })}
        {place === null && [commands, pages, organizations, things].every(({ length }) => length === 0) && (
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

function Commands({ of: commands }: { of: readonly Shortcut[] }): ReactNode {
  const say = useTexts(finderTexts);
  if (commands.length === 0) return null;
  return (
    <Spotlight.ActionsGroup label={say('find_commands')}>
      {commands.map(({ label, key, act }) => (
        <Spotlight.Action
          key={label}
          label={label}
          rightSection={key && <Kbd>{key}</Kbd>}
          onClick={() => setTimeout(act, FOCUS_BACK_MS)}
        />
      ))}
    </Spotlight.ActionsGroup>
  );
}

type Page = { to: string; label: string; icon: Item['icon'] };

function Pages({ of: pages, onOpen }: { of: readonly Page[]; onOpen: (path: string) => void }): ReactNode {
  const say = useTexts(finderTexts);
  if (pages.length === 0) return null;
  return (
    <Spotlight.ActionsGroup label={say('find_pages')}>
      {pages.map(({ to, label, icon: Icon }) => (
        <Spotlight.Action
          key={to}
          label={label}
          leftSection={<Icon size={18} stroke={1.7} />}
          onClick={() => onOpen(to)}
        />
      ))}
    </Spotlight.ActionsGroup>
  );
}

type Named = { id: string; name: string };

function useOtherOrganizations(): readonly Named[] {
  const current = useOrganization().id;
  return useSession().organizations.filter(({ id }) => id !== current);
}

function Organizations({ of: organizations }: { of: readonly Named[] }): ReactNode {
  const say = useTexts(texts);
  const choose = useSwitchOrganization();
  if (organizations.length === 0) return null;
  return (
    <Spotlight.ActionsGroup label={say('organizations')}>
      {organizations.slice(0, SHOWN).map(({ id, name }) => (
        <Spotlight.Action key={id} onClick={() => choose(id)}>
          <Text size="sm" dir="auto" truncate>
            {name}
          </Text>
        </Spotlight.Action>
      ))}
    </Spotlight.ActionsGroup>
  );
}

/** Returns the actions of the page, which change while the finder is open, then the actions of every page. */
function useActions(opened: boolean, everywhere: readonly Shortcut[]): readonly Shortcut[] {
  const [ofPage, setOfPage] = useState<readonly Shortcut[]>([]);
  useEffect(() => {
    if (!opened) return;
    const read = (): void => setOfPage(pageActions().filter(({ key }) => key !== '?'));
    read();
    return onPageActions(read);
  }, [opened]);
  return [...ofPage, ...everywhere];
}

/**
 * Finds records of the organization that match the text. One letter matches everything, so at least two are required.
 */
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
