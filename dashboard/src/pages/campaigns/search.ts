import { textIn, type RawSearch } from '../../list/read-search.ts';

export type CampaignsSearch = { text?: string; agent_id?: string; cursor?: string; create?: string };
export const readCampaignsSearch = (raw: RawSearch): CampaignsSearch => ({
  text: textIn(raw, 'text'),
  agent_id: textIn(raw, 'agent_id'),
  cursor: textIn(raw, 'cursor'),
  create: raw['create'] === undefined ? undefined : '',
});

/** The cursor is that of the keys. `created`: the key that was just made here, for a reload while it is shown. */
export type CampaignSearch = { cursor?: string; created?: string };
export const readCampaignSearch = (raw: RawSearch): CampaignSearch => ({
  cursor: textIn(raw, 'cursor'),
  created: textIn(raw, 'created'),
});
