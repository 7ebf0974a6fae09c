import type { ListedConversation } from '../../../contract/dashboard/conversations.ts';

/** A row of the list is narrow, so the excerpt must show the match. */
const BEFORE = 16;
const AFTER = 100;

/**
 * Returns the part of a text around a match of the search. If the database folds letters differently, the part is the
 * start of the text.
 */
export function searchExcerpt(text: string, words: string): Omit<NonNullable<ListedConversation['found']>, 'role'> {
  const line = text.replaceAll(/\s+/g, ' ');
  const wanted = words.replaceAll(/\s+/g, ' ');
  const place = new RegExp(wanted.replaceAll(/[$()*+.?[\\\]^{|}/]/g, String.raw`\$&`), 'iu').exec(line);
  if (!place)
    return {
      before: '',
      match: '',
      after: Array.from(line)
        .slice(0, BEFORE + AFTER)
        .join(''),
    };
  const [match] = place;
  const before = Array.from(line.slice(0, place.index));
  return {
    before: before.length > BEFORE ? `…${before.slice(-BEFORE).join('')}` : before.join(''),
    match,
    after: Array.from(line.slice(place.index + match.length))
      .slice(0, AFTER)
      .join(''),
  };
}
