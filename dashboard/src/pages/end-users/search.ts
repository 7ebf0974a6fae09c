import { textIn, type RawSearch } from '../../list/read-search.ts';

export type EndUsersSearch = { text?: string; cursor?: string };
export const readEndUsersSearch = (raw: RawSearch): EndUsersSearch => ({
  text: textIn(raw, 'text'),
  cursor: textIn(raw, 'cursor'),
});
/** The cursor is that of their conversations. */
export const readEndUserSearch = (raw: RawSearch): { cursor?: string } => ({ cursor: textIn(raw, 'cursor') });
