import { textIn, type RawSearch } from '../../list/read-search.ts';

export type ActivitySearch = { actor?: string; subject_id?: string; cursor?: string };
export const readActivitySearch = (raw: RawSearch): ActivitySearch => ({
  actor: textIn(raw, 'actor')?.slice(0, 64),
  subject_id: textIn(raw, 'subject_id')?.slice(0, 64),
  cursor: textIn(raw, 'cursor'),
});
