import { textIn, type RawSearch } from '../../list/read-search.ts';

type TriggersSearch = { text?: string; agent_id?: string; cursor?: string; create?: string };
export const readTriggersSearch = (raw: RawSearch): TriggersSearch => ({
  text: textIn(raw, 'text'),
  agent_id: textIn(raw, 'agent_id'),
  cursor: textIn(raw, 'cursor'),
  create: raw['create'] === undefined ? undefined : '',
});

/** The cursor of the list of runs. */
export const readTriggerSearch = (raw: RawSearch): { cursor?: string } => ({ cursor: textIn(raw, 'cursor') });
