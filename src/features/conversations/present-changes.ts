import type { ConversationChange } from '../../../contract/dashboard/conversations.ts';
import { timestamp } from '../../kernel/clock.ts';
import type { ChangeRow, TagNames } from '../../store/conversations/changes.ts';
import { SYSTEM } from '../../store/organizations/audit.ts';

/** Lists the changes of members and the hand-offs of the agent, oldest first. */
export function presentChanges(
  conversationId: string,
  changes: readonly ChangeRow[],
  handOffs: readonly Date[],
): ConversationChange[] {
  const ofMembers = changes.toReversed().flatMap((change) => presentChange(change) ?? []);
  const ofAgent = handOffs.map((at): ConversationChange => ({
    id: `${conversationId}-${at.getTime()}`,
    type: 'handed_off',
    actor_id: null,
    user_id: null,
    until: null,
    ...NO_TAGS,
    created_at: timestamp(at),
  }));
  return [...ofMembers, ...ofAgent].toSorted((one, other) => Date.parse(one.created_at) - Date.parse(other.created_at));
}

const TYPES: Readonly<Record<string, ConversationChange['type']>> = {
  'conversation.taken_over': 'taken_over',
  'conversation.handed_back': 'handed_back',
  'conversation.assigned': 'assigned',
  'conversation.snoozed': 'snoozed',
  'conversation.resolved': 'resolved',
  'conversation.tagged': 'tagged',
};

const NO_TAGS = { added_tags: [], removed_tags: [] };

function presentChange({ id, actor, action, facts, tags, created_at }: ChangeRow): ConversationChange | null {
  const found = TYPES[action];
  if (found === undefined) return null;
  const user_id = textOf(facts['user_id']);
  const until = textOf(facts['until']);
  const isEnd = (found === 'assigned' && user_id === null) || (found === 'snoozed' && until === null);
  const type = !isEnd ? found : found === 'assigned' ? 'unassigned' : 'snooze_ended';
  const actor_id = actor === SYSTEM.userId ? null : actor;
  return { id, type, actor_id, user_id, until, ...presentTags(tags), created_at: timestamp(new Date(created_at)) };
}

function presentTags(tags: string | null): Pick<ConversationChange, 'added_tags' | 'removed_tags'> {
  if (tags === null) return NO_TAGS;
  const { added, removed } = JSON.parse(tags) as TagNames;
  return { added_tags: [...added], removed_tags: [...removed] };
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
