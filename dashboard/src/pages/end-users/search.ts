import { textIn, type RawSearch } from '../../list/read-search.ts';

export type EndUsersSearch = {
  text?: string;
  tag?: string;
  attribute?: string;
  blocked?: string;
  cursor?: string;
  create?: string;
};
export const readEndUsersSearch = (raw: RawSearch): EndUsersSearch => ({
  text: textIn(raw, 'text'),
  tag: textIn(raw, 'tag'),
  attribute: textIn(raw, 'attribute'),
  blocked: raw['blocked'] === true || raw['blocked'] === 'true' ? 'true' : undefined,
  cursor: textIn(raw, 'cursor'),
  create: raw['create'] === undefined ? undefined : '',
});
/** The cursor of the person's conversations. */
export const readEndUserSearch = (raw: RawSearch): { cursor?: string } => ({ cursor: textIn(raw, 'cursor') });
/**
 * `id`: the ID of the open import. The cursor belongs to the failed rows of the open import, or to the list of imports.
 */
export const readImportSearch = (raw: RawSearch): { id?: string; cursor?: string } => ({
  id: textIn(raw, 'id'),
  cursor: textIn(raw, 'cursor'),
});
