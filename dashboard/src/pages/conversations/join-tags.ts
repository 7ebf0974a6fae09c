import type { ConversationChange } from '../../../../contract/dashboard/conversations.ts';

type Tagged = Pick<ConversationChange, 'actor_id' | 'added_tags' | 'removed_tags'>;

/** A member often changes several tags one by one, so consecutive changes become one change. */
export function joinTags<Entry extends object>(entries: readonly Entry[]): Entry[] {
  const joined: Entry[] = [];
  for (const entry of entries) {
    const last = joined.at(-1);
    if (last && isTagged(last) && isTagged(entry) && last.actor_id === entry.actor_id) {
      joined.pop();
      if (entry.added_tags.length + entry.removed_tags.length === 0) joined.push(entry);
      else joined.push(...sumOf(last, entry));
    } else joined.push(entry);
  }
  return joined;
}

/** A tag that was added and removed has not changed. */
function sumOf<Entry extends Tagged>(one: Entry, next: Entry): Entry[] {
  const added_tags = [...without(one.added_tags, next.removed_tags), ...without(next.added_tags, one.removed_tags)];
  const removed_tags = [...without(one.removed_tags, next.added_tags), ...without(next.removed_tags, one.added_tags)];
  return added_tags.length + removed_tags.length === 0 ? [] : [{ ...next, added_tags, removed_tags }];
}

const without = (tags: readonly string[], others: readonly string[]): string[] =>
  tags.filter((tag) => !others.includes(tag));

const isTagged = (entry: object): entry is Tagged =>
  'actor_id' in entry && (entry as { type?: unknown }).type === 'tagged';
