import { textIn, type RawSearch } from '../../list/read-search.ts';

export type ChannelsSearch = { text?: string; agent_id?: string; cursor?: string; connect?: string };
export const readChannelsSearch = (raw: RawSearch): ChannelsSearch => ({
  text: textIn(raw, 'text'),
  agent_id: textIn(raw, 'agent_id'),
  cursor: textIn(raw, 'cursor'),
  connect: raw['connect'] === undefined ? undefined : (textIn(raw, 'connect') ?? ''),
});
