import { Group, UnstyledButton } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import type { MouseEvent, ReactNode } from 'react';
import type { ListState } from '../../list/use-list-state.ts';
import { clock, day } from '../../language/format.ts';
import { useTexts } from '../../language/texts.tsx';
import { useAgentNames, useMemberNames } from '../../parts/use-record-names.ts';
import { inboxTexts } from './inbox-texts.ts';
import { ratingTexts } from './rating-texts.ts';
import type { ConversationsSearch } from './search.ts';
import { texts } from './texts.ts';
import { statusTexts } from '../../parts/conversations/status-texts.ts';
import inbox from './inbox.module.css';

type Filtering = Omit<ConversationsSearch, 'cursor'>;
type Chip = { name: Exclude<keyof Filtering, 'view'>; words: string };

/**
 * The filters of the list, one chip for each filter in the URL. A view is not a chip, because the tabs show the
 * selected one.
 */
export function FilterChips({ list }: { list: ListState<Filtering> }): ReactNode {
  const say = useTexts(inboxTexts);
  const chips = useChips(list.filters);
  if (chips.length === 0) return null;
  return (
    <Group role="group" aria-label={say('filters_active')} gap={6}>
      {chips.map((chip) => (
        <UnstyledButton
          key={chip.name}
          className={inbox.chip}
          aria-label={say('filter_remove', { filter: chip.words })}
          onClick={(event) => {
            moveFocus(event);
            list.setFilters({ [chip.name]: undefined });
          }}
        >
          <bdi>{chip.words}</bdi>
          <IconX size={13} aria-hidden="true" />
        </UnstyledButton>
      ))}
    </Group>
  );
}

function useChips(filters: Filtering): Chip[] {
  const say = useTexts(texts);
  const sayInbox = useTexts(inboxTexts);
  const sayStatus = useTexts(statusTexts);
  const sayRating = useTexts(ratingTexts);
  const { text, status, agent_id, channel_id, end_user_id, tag, since, until, handed_off, rated, sort } = filters;
  const { outcome, without, version, member_id, trigger_id, campaign_id } = filters;
  const memberName = useMemberNames();
  const time = (at: string): string => `${day(say.language, at)} ${clock(say.language, at)}`;
  const agentName = useAgentNames(agent_id ? [agent_id] : []);
  const named = (name: string, value: string): string => sayInbox('filter_named', { name, value });
  return [
    text && { name: 'text' as const, words: named(sayInbox('filter_text'), text) },
    status && { name: 'status' as const, words: named(say('status'), sayStatus(`status_${status}`)) },
    agent_id && { name: 'agent_id' as const, words: named(say('agent'), agentName(agent_id) ?? agent_id) },
    channel_id && { name: 'channel_id' as const, words: say('only_channel') },
    tag && { name: 'tag' as const, words: named(say('tag'), tag) },
    sort && { name: 'sort' as const, words: named(sayInbox('sort'), sayInbox(`sort_${sort}`)) },
    end_user_id && { name: 'end_user_id' as const, words: say('only_person') },
    handed_off && { name: 'handed_off' as const, words: sayInbox('filter_handed_off') },
    outcome && { name: 'outcome' as const, words: sayInbox(`outcome_${outcome}`) },
    without && { name: 'without' as const, words: sayInbox(`without_${without}`) },
    version && { name: 'version' as const, words: named(sayInbox('filter_version'), String(version)) },
    member_id && {
      name: 'member_id' as const,
      words: named(sayInbox('filter_member'), memberName(member_id) ?? sayInbox('assigned_gone')),
    },
    trigger_id && { name: 'trigger_id' as const, words: sayInbox('filter_trigger') },
    campaign_id && { name: 'campaign_id' as const, words: sayInbox('filter_campaign') },
    rated && {
      name: 'rated' as const,
      words:
        rated === 'any'
          ? sayRating('rating_any')
          : named(sayRating('rating'), sayRating('rating_score', { score: rated })),
    },
    since && { name: 'since' as const, words: named(sayInbox('filter_since'), time(since)) },
    until && { name: 'until' as const, words: named(sayInbox('filter_until'), time(until)) },
  ].filter((chip) => !!chip);
}

/**
 * The pressed button disappears with its chip. The focus moves to the next chip, or to the search field if no chip is
 * left.
 */
function moveFocus({ currentTarget: chip }: MouseEvent<HTMLElement>): void {
  const neighbour = chip.nextElementSibling ?? chip.previousElementSibling;
  const next = neighbour ?? chip.closest('[role="search"]')?.querySelector('input[type="search"]');
  if (next instanceof HTMLElement) next.focus();
}
